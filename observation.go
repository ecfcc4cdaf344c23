package holdfast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/schema"
)

// Observation is an outcome as the model reads it, tied to the provider's own
// call id. Exactly one goes back for each id of a round.
type Observation struct {
	CallID string // the id that the provider sent, or the one we made
	Name   string // the tool's name as the provider sent it
	// Position of the call in its reply, from 0: what a result is matched by
	// where ids are missing.
	Position int
	Error    bool // anything but ok
	// JSON is set when the content is one JSON value; Text otherwise.
	JSON   json.RawMessage
	Text   string
	Images []Image
}

// Content is the observation as text: its JSON, or its text.
func (o Observation) Content() string {
	if o.JSON != nil {
		return string(o.JSON)
	}
	return o.Text
}

const (
	maxObservedProblems     = 20
	maxObservedProblemBytes = 2 << 10
)

// Observe makes the observation of an outcome. limit is the most bytes of a
// result that the model sees; longer ones are cut with a visible mark.
func Observe(o Outcome, limit int) Observation {
	plain := o.Status == OK && o.Code == "" && !o.Replayed && len(o.Also) == 0 && len(o.Inner) == 0
	if plain {
		return observeResult(o.Result, limit)
	}
	obs := Observation{Error: o.Status != OK, JSON: observed(o, limit)}
	if o.Status == OK && o.Result != nil {
		obs.Images = o.Result.Images
	}
	return obs
}

func observeResult(r *Result, limit int) Observation {
	if r == nil {
		return Observation{JSON: json.RawMessage(`{}`)}
	}
	obs := Observation{Images: r.Images}
	switch {
	case r.JSON != nil && len(r.JSON) <= limit:
		obs.JSON = r.JSON
	case r.JSON != nil:
		obs.Text = cut(string(r.JSON), limit, "JSON result")
	case len(r.Text) <= limit:
		obs.Text = r.Text
	default:
		obs.Text = cut(r.Text, limit, "result")
	}
	return obs
}

// cut keeps limit bytes on a rune's boundary and says how much is left out.
func cut(s string, limit int, what string) string {
	kept := s[:limit]
	for len(kept) > 0 {
		if r, n := utf8.DecodeLastRuneInString(kept); r != utf8.RuneError || n != 1 {
			break
		}
		kept = kept[:len(kept)-1]
	}
	return fmt.Sprintf("%s\n[cut here: this is the first %d of %d bytes of the %s]", kept, len(kept), len(s), what)
}

// observation is the one JSON object that everything but a plain result goes
// back as, the same for all providers. Its field names are fixed.
type observation struct {
	Outcome    Status            `json:"outcome"`
	Code       Code              `json:"code,omitempty"`
	Executed   json.RawMessage   `json:"executed,omitempty"` // true, false, or null where it is not known
	Replayed   bool              `json:"replayed,omitempty"`
	Message    string            `json:"message,omitempty"`
	Problems   []schema.Problem  `json:"problems,omitempty"`
	More       int               `json:"more_problems,omitempty"`
	ApprovalID string            `json:"approval_id,omitempty"`
	Inner      []Inner           `json:"calls,omitempty"`
	MoreInner  int               `json:"more_calls,omitempty"`
	Result     json.RawMessage   `json:"result,omitempty"`
	Also       []json.RawMessage `json:"also,omitempty"`
	Next       string            `json:"next,omitempty"`
}

// observed renders o as that object.
func observed(o Outcome, limit int) json.RawMessage {
	v := observation{
		Outcome: o.Status, Code: o.Code, Replayed: o.Replayed, Message: o.Message,
		ApprovalID: o.ApprovalID, Next: o.Next,
	}
	v.Inner, v.MoreInner = observedInner(o.Inner)
	if o.Status != OK {
		v.Executed = json.RawMessage("null")
		if executed := o.Executed(); executed != nil {
			v.Executed = fmt.Appendf(nil, "%t", *executed)
		}
	}
	v.Problems, v.More = observedProblems(o.Problems)
	if o.Result != nil {
		content := observeResult(o.Result, limit)
		v.Result = content.JSON
		if v.Result == nil {
			v.Result = marshal(content.Text)
		}
	}
	for _, also := range o.Also {
		v.Also = append(v.Also, observed(also, limit))
	}
	return marshal(v)
}

const maxObservedInner = 40

// observedInner are the calls of an agent call that the model is told of, in order,
// and how many more there are. Of many, those that are not known to have ended one
// way or the other come before all others, and then those that changed nothing last.
func observedInner(all []Inner) ([]Inner, int) {
	if len(all) <= maxObservedInner {
		return all, 0
	}
	told := make(map[int]bool, maxObservedInner)
	for _, wanted := range []func(Status) bool{
		func(s Status) bool { return s == Uncertain }, func(s Status) bool { return s == OK }, func(Status) bool { return true },
	} {
		for i, in := range all {
			if len(told) < maxObservedInner && wanted(in.Status) {
				told[i] = true
			}
		}
	}
	var list []Inner
	for i, in := range all {
		if told[i] {
			list = append(list, in)
		}
	}
	return list, len(all) - len(list)
}

// observedProblems are the first that fit, and how many more there are. Of one
// that alone does not fit, the long texts are shortened.
func observedProblems(all []schema.Problem) ([]schema.Problem, int) {
	size := len("[]")
	for i, p := range all {
		size += len(marshal(p)) + len(",")
		switch {
		case i == maxObservedProblems || i > 0 && size > maxObservedProblemBytes:
			return all[:i], len(all) - i
		case size > maxObservedProblemBytes:
			return []schema.Problem{shortened(p)}, len(all) - 1
		}
	}
	return all, 0
}

// shortened is p with its texts as long as fits.
func shortened(p schema.Problem) schema.Problem {
	for limit := maxObservedProblemBytes / 4; limit > 0; limit /= 2 {
		short := p
		for _, text := range []*string{&short.Path, &short.Expected, &short.Got, &short.Message} {
			if len(*text) > limit {
				*text = strings.ToValidUTF8((*text)[:limit], "") + "…"
			}
		}
		if len(marshal(short)) < maxObservedProblemBytes-len("[]") {
			return short
		}
	}
	return schema.Problem{Keyword: p.Keyword}
}

// marshal is JSON without HTML escapes: a model reads it, not a browser.
func marshal(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("holdfast: observation does not marshal: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
