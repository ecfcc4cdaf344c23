package ledger

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// The bodies of rows. Databases of every version hold them, so fields are only
// added, and an absent one means what it meant before it was there. They do not
// change once they are in a row.

type storedEntry struct {
	ID              string           `json:"id"`
	Run             string           `json:"run,omitempty"`
	Turn            int              `json:"turn,omitempty"`
	Round           int              `json:"round,omitempty"`
	Position        int              `json:"position,omitempty"`
	CallID          string           `json:"call_id,omitempty"`
	Tool            string           `json:"tool"`
	ToolDigest      string           `json:"tool_digest,omitempty"`
	Effect          string           `json:"effect,omitempty"`
	Tenant          string           `json:"tenant,omitempty"`
	Principal       string           `json:"principal,omitempty"`
	Arguments       json.RawMessage  `json:"arguments,omitempty"`
	Text            string           `json:"text,omitempty"`
	Sealed          []byte           `json:"sealed,omitempty"` // exactly what will run
	ArgumentsDigest string           `json:"arguments_digest,omitempty"`
	Key             string           `json:"key,omitempty"`
	HasKey          bool             `json:"has_key,omitempty"` // at most one entry has a key
	KeyDigest       string           `json:"key_digest,omitempty"`
	Pruned          string           `json:"pruned,omitempty"` // the day, 2006-01-02; of the rest only the key's digest is left
	Erased          string           `json:"erased,omitempty"` // the day that arguments and result were erased
	Coerced         []storedCoercion `json:"coerced,omitempty"`
	Warnings        []storedProblem  `json:"warnings,omitempty"`
	Labels          []holdfast.Label `json:"labels,omitempty"`
	Rule            string           `json:"rule,omitempty"`
	State           string           `json:"state"`
	Stage           string           `json:"stage,omitempty"`
	Fence           int64            `json:"fence,omitempty"`
	Owner           string           `json:"owner,omitempty"`
	Outcome         *storedOutcome   `json:"outcome,omitempty"`
	Evidence        []storedEvidence `json:"evidence,omitempty"`
	Approval        string           `json:"approval,omitempty"`
	Ran             time.Duration    `json:"ran,omitempty"`
	Asked           int              `json:"asked,omitempty"` // how often a confirm function was
	AskAfter        time.Time        `json:"ask_after,omitzero"`
	Proposed        time.Time        `json:"proposed"`
	Started         time.Time        `json:"started,omitzero"`
	End             time.Time        `json:"end,omitzero"`
	Event           int64            `json:"event,omitempty"` // that made this row; 0: an older program did

	made struct{ place, same, other, key string } // words, once they were asked for: what they are made of does not change
}

type storedOutcome struct {
	Status   string          `json:"status"`
	Code     string          `json:"code,omitempty"`
	Message  string          `json:"message,omitempty"`
	Problems []storedProblem `json:"problems,omitempty"`
	Next     string          `json:"next,omitempty"`
	Result   *storedResult   `json:"result,omitempty"`
	Replayed bool            `json:"replayed,omitempty"`
	Parked   bool            `json:"parked,omitempty"`
	Approval string          `json:"approval,omitempty"`
	Inner    []storedInner   `json:"inner,omitempty"`
	Also     []storedOutcome `json:"also,omitempty"`
}

// storedEvidence is what came too late, or what somebody saw, and with which
// event it came.
type storedEvidence struct {
	Event    int64          `json:"event,omitempty"`
	Fence    int64          `json:"fence,omitempty"` // under which a late result came
	Stage    string         `json:"stage,omitempty"`
	Evidence string         `json:"evidence,omitempty"`
	Outcome  *storedOutcome `json:"outcome,omitempty"`
}

type storedProblem struct {
	Path     string `json:"path"`
	Keyword  string `json:"keyword"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
	Message  string `json:"message"`
}

type storedCoercion struct {
	Path string          `json:"path"`
	Rule string          `json:"rule"`
	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`
}

type storedResult struct {
	JSON   json.RawMessage `json:"json,omitempty"`
	Text   string          `json:"text,omitempty"`
	Images []storedImage   `json:"images,omitempty"`
}

type storedImage struct {
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

type storedInner struct {
	Tool   string `json:"tool"`
	Status string `json:"status"`
	Code   string `json:"code,omitempty"`
	Entry  string `json:"entry,omitempty"`
}

// load is the body of a row as its private type.
func load[T any](row Row) (*T, error) {
	if v, ok := any(row.Value).(*T); ok {
		return v, nil
	}
	text, err := row.Bytes()
	if err != nil {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(text, v); err != nil {
		return nil, fmt.Errorf("reading row %q of %s: %w", row.ID, row.Table, err)
	}
	return v, nil
}

func storeEntry(e *Entry) storedEntry {
	return storedEntry{
		ID: e.ID, Run: e.Run, Turn: e.Turn, Round: e.Round, Position: e.Position, CallID: valid(e.CallID),
		Tool: valid(e.Tool), ToolDigest: e.ToolDigest, Effect: string(e.Effect),
		Tenant: e.Principal.Tenant, Principal: e.Principal.ID,
		Arguments: e.Arguments, Text: valid(e.Text), Sealed: e.Sealed, ArgumentsDigest: e.ArgumentsDigest, Key: e.Key,
		Coerced:  convert(e.Coerced, func(c schema.Coercion) storedCoercion { return storedCoercion(c) }),
		Warnings: convert(e.Warnings, storeProblem), Labels: e.Labels, Rule: e.Rule,
		State: string(e.State), Stage: e.Stage, Fence: e.Fence, Owner: e.Owner,
		Outcome: storeOutcome(e.Outcome), Approval: e.ApprovalID, Ran: e.Ran,
		Asked: e.Asked, AskAfter: plain(e.AskAfter),
		Proposed: plain(e.Proposed), Started: plain(e.Started), End: plain(e.End),
	}
}

// plain is a time as it reads back.
func plain(t time.Time) time.Time { return t.UTC().Round(0) }

// entry is e as the API tells it, without what is sealed.
func (e *storedEntry) entry() Entry {
	return Entry{
		ID: e.ID, Run: e.Run, Turn: e.Turn, Round: e.Round, Position: e.Position, CallID: e.CallID,
		Tool: e.Tool, ToolDigest: e.ToolDigest, Effect: holdfast.Effect(e.Effect), Principal: e.principal(),
		Arguments: e.Arguments, Text: e.Text, ArgumentsDigest: e.ArgumentsDigest, Key: e.Key,
		Coerced:  convert(e.Coerced, func(c storedCoercion) schema.Coercion { return schema.Coercion(c) }),
		Warnings: convert(e.Warnings, func(p storedProblem) schema.Problem { return schema.Problem(p) }), Labels: e.Labels, Rule: e.Rule,
		State: State(e.State), Stage: e.Stage, Fence: e.Fence, Owner: e.Owner,
		Outcome: e.Outcome.outcome(), ApprovalID: e.Approval, Ran: e.Ran,
		Asked: e.Asked, AskAfter: e.AskAfter,
		Proposed: e.Proposed, Started: e.Started, End: e.End,
	}
}

func (e *storedEntry) principal() holdfast.Principal {
	return holdfast.Principal{Tenant: e.Tenant, ID: e.Principal}
}

// storeOutcome makes an outcome and its result in one piece: they live together.
func storeOutcome(o *holdfast.Outcome) *storedOutcome {
	if o == nil {
		return nil
	}
	whole := &struct {
		storedOutcome
		result storedResult
	}{storedOutcome: storedOutcome{
		Status: string(o.Status), Code: string(o.Code), Message: valid(o.Message),
		Problems: convert(o.Problems, storeProblem),
		Next:     valid(o.Next), Replayed: o.Replayed, Parked: o.Parked, Approval: o.ApprovalID,
		Inner: convert(o.Inner, func(i holdfast.Inner) storedInner {
			return storedInner{Tool: i.Tool, Status: string(i.Status), Code: string(i.Code), Entry: i.LedgerID}
		}),
		Also: convert(o.Also, func(a holdfast.Outcome) storedOutcome { return storeOutcome(&a).readable() }),
	}}
	if r := o.Result; r != nil {
		whole.result = storedResult{
			JSON: r.JSON, Text: valid(r.Text),
			Images: convert(r.Images, func(i holdfast.Image) storedImage { return storedImage(i) }),
		}
		whole.Result = &whole.result
	}
	return &whole.storedOutcome
}

// readable is s where what claims to be JSON and is not is kept as text, as an
// entry's own outcome is when it is encoded.
func (s *storedOutcome) readable() storedOutcome {
	out := *s
	if r := s.Result; r != nil && r.JSON != nil && !json.Valid(r.JSON) {
		out.Result = &storedResult{Text: valid(string(r.JSON)), Images: r.Images}
	}
	return out
}

func storeProblem(p schema.Problem) storedProblem {
	return storedProblem{
		Path: valid(p.Path), Keyword: p.Keyword, Expected: valid(p.Expected), Got: valid(p.Got), Message: valid(p.Message),
	}
}

func (s *storedOutcome) outcome() *holdfast.Outcome {
	if s == nil {
		return nil
	}
	o := &holdfast.Outcome{
		Status: holdfast.Status(s.Status), Code: holdfast.Code(s.Code), Message: s.Message,
		Problems: convert(s.Problems, func(p storedProblem) schema.Problem { return schema.Problem(p) }),
		Next:     s.Next, Replayed: s.Replayed, Parked: s.Parked, ApprovalID: s.Approval,
		Inner: convert(s.Inner, func(i storedInner) holdfast.Inner {
			return holdfast.Inner{Tool: i.Tool, Status: holdfast.Status(i.Status), Code: holdfast.Code(i.Code), LedgerID: i.Entry}
		}),
		Also: convert(s.Also, func(a storedOutcome) holdfast.Outcome { return *a.outcome() }),
	}
	if r := s.Result; r != nil {
		o.Result = &holdfast.Result{
			JSON: r.JSON, Text: r.Text,
			Images: convert(r.Images, func(i storedImage) holdfast.Image { return holdfast.Image(i) }),
		}
	}
	return o
}

func convert[A, B any](list []A, to func(A) B) []B {
	if list == nil {
		return nil
	}
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = to(v)
	}
	return out
}
