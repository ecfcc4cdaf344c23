package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
)

// HistoryRule says what one provider takes back.
type HistoryRule struct {
	API   string
	Names NameRule
	// ID reports that the provider takes a call id; nil: any but "".
	ID func(id string) bool
}

// Turn is one entry of a history that a codec is about to write: a person's
// message, or a reply with each call that needs a result paired with its one.
type Turn struct {
	User  string
	Reply *Reply
	Calls []PairedCall
	// Verbatim says that Reply.Message can be sent back as it came; what else
	// must be rebuilt from Reply.Text and Calls, or mended.
	Verbatim bool
}

// Call is the call at that position of the reply, nil where none of its goes back.
func (t *Turn) Call(position int) *PairedCall {
	for i := range t.Calls {
		if t.Calls[i].Position == position {
			return &t.Calls[i]
		}
	}
	return nil
}

// PairedCall is a call as this history writes it, with its result.
type PairedCall struct {
	holdfast.Call
	Position int    // in Reply.Calls
	SentID   string // the provider's own id, or one made by us; once in a history
	SentName string // legal for this provider
	// Object is the arguments as one legal JSON object: as they came, else the
	// nearest form. A custom call has none; its input is Arguments.
	Object json.RawMessage
	// AsSent says that id, name and arguments stand as they came.
	AsSent bool
	Result holdfast.Observation
}

// Pair plans a history: every call has exactly one result, in call order, under
// an id that no other call of the history has. What it leaves out: broken
// replies; the calls of a filtered one; a later call with an id of the same
// reply. A call whose result is not there gets one that says so.
func Pair(items []Item, names Names, rule HistoryRule) ([]Turn, error) {
	p := pairing{names: names, rule: rule, used: map[string]bool{}}
	for i, item := range items {
		switch {
		case item.Reply != nil:
			p.reply(item.Reply)
		case item.Results != nil:
			if i == 0 || items[i-1].Reply == nil {
				return nil, fmt.Errorf("encoding history: item %d holds results, but the one before is no reply", i)
			}
			p.results(item.Results)
		case item.User != "":
			p.turns = append(p.turns, Turn{User: rawjson.Text([]byte(item.User))})
		}
	}
	return p.turns, nil
}

type pairing struct {
	names   Names
	rule    HistoryRule
	turns   []Turn
	used    map[string]bool // ids of calls so far
	replies int
	open    *Turn // the reply that results may follow
}

func (p *pairing) reply(r *Reply) {
	p.replies++
	p.open = nil
	if r.Ending == Broken {
		return
	}
	t := Turn{Reply: r, Verbatim: r.API == p.rule.API && len(r.Message) > 0 && r.Ending != Cut && r.Ending != Filtered && rawjson.Sendable(r.Message)}
	if r.Ending != Filtered {
		p.calls(&t)
	}
	if !t.Verbatim && r.Text == "" && len(t.Calls) == 0 {
		return
	}
	p.turns = append(p.turns, t)
	p.open = &p.turns[len(p.turns)-1]
}

func (p *pairing) calls(t *Turn) {
	own := make(map[string]bool, len(t.Reply.Calls))
	for i, c := range t.Reply.Calls {
		if c.ProviderExecuted {
			continue
		}
		if c.ID != "" && own[c.ID] {
			t.Verbatim = false
			continue
		}
		own[c.ID] = true
		pc := p.call(c, i, t.Reply.API)
		t.Verbatim = t.Verbatim && pc.AsSent
		t.Calls = append(t.Calls, pc)
	}
	for _, c := range t.Calls {
		p.used[c.SentID] = true
	}
}

func (p *pairing) call(c holdfast.Call, position int, api string) PairedCall {
	pc := PairedCall{Call: c, Position: position, SentID: c.ID, SentName: p.name(c.Name, api), AsSent: c.Complete}
	if c.ID == "" || p.used[c.ID] || p.rule.ID != nil && !p.rule.ID(c.ID) {
		pc.SentID = localID(p.replies, position)
	}
	if c.Kind == holdfast.CustomCall {
		pc.Arguments = rawjson.Text([]byte(c.Arguments))
	} else {
		pc.Object = legalObject(c.Arguments)
	}
	if pc.SentID != c.ID || pc.SentName != c.Name || pc.Arguments != c.Arguments || pc.Object != nil && !blank(c.Arguments) && string(pc.Object) != c.Arguments {
		pc.AsSent = false
	}
	pc.Result = missingResult(&pc)
	return pc
}

// localID is the id of a call that came without a usable one: a function of its
// place, so that call and result agree and the next request says the same. Nine
// letters and digits are what the narrowest provider takes.
func localID(reply, position int) string {
	return "hf" + base36(reply, 4) + base36(position, 3)
}

func base36(n, width int) string {
	s := strconv.FormatInt(int64(n), 36)
	return strings.Repeat("0", max(0, width-len(s))) + s
}

// name is the name under which a call stands in this provider's history. One of
// another provider's table is found by the qualified name that it may be.
func (p *pairing) name(name, api string) string {
	if _, known := p.names[name]; known {
		return name
	}
	if api != p.rule.API {
		if sent, ok := p.names.find(name); ok {
			return sent
		}
	}
	if p.rule.Names.Allows(name) {
		return name
	}
	return p.rule.Names.nearest(name)
}

// unreadable is the member under which argument text goes back that is no
// object: the model sees what it wrote.
const unreadable = "unreadable_arguments"

// legalObject is argument text as an object that every provider takes.
func legalObject(text string) json.RawMessage {
	if blank(text) {
		return json.RawMessage(`{}`)
	}
	raw := bytes.TrimSpace([]byte(text))
	if rawjson.IsObject(raw) {
		if rawjson.Sendable(raw) {
			return json.RawMessage(text)
		}
		return rawjson.Clean(raw)
	}
	return append(append([]byte(`{"`+unreadable+`":`), rawjson.Quote(text)...), '}')
}

// missingResult stands where a history has no result of a call: a cancel or a
// crash came between, and nobody can say whether it ran.
func missingResult(c *PairedCall) holdfast.Observation {
	return holdfast.Observation{
		CallID: c.SentID, Name: c.SentName, Position: c.Position, Error: true,
		JSON: json.RawMessage(`{"outcome":"uncertain","code":"unrecorded","executed":null,"message":"No result of this call is on record; it may have run.","next":"Look whether it took effect before proposing it again."}`),
	}
}

// adopt gives a call that came without an id the one under which its outcome
// was told, where this provider takes it: then a person finds it in the record.
func (p *pairing) adopt(c *PairedCall, id string) {
	if c.ID != "" || id == "" || p.used[id] || p.rule.ID != nil && !p.rule.ID(id) {
		return
	}
	delete(p.used, c.SentID)
	c.SentID, p.used[id] = id, true
}

func (p *pairing) results(results []holdfast.Observation) {
	if p.open == nil {
		return
	}
	for i := range p.open.Calls {
		c := &p.open.Calls[i]
		for _, obs := range results {
			if obs.Position == c.Position {
				p.adopt(c, obs.CallID)
				c.Result = obs
				break
			}
		}
		c.Result.CallID, c.Result.Name = c.SentID, c.SentName
		c.Result.Text = rawjson.Text([]byte(c.Result.Text))
		if c.Result.JSON != nil && !rawjson.Sendable(c.Result.JSON) {
			c.Result.Text, c.Result.JSON = rawjson.Text(bytes.Clone(c.Result.JSON)), nil
		}
	}
}
