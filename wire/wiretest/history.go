package wiretest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// Spoken is a reply that a codec's test writes as its provider would send it.
type Spoken struct {
	Text  string
	Calls []holdfast.Call // ID, Name and Arguments count
	Cut   bool            // a length limit ended it, within the last call if there is one
}

// Entry is one thing in an encoded history, as a codec's test reads it back.
type Entry struct {
	Kind      string // user, text, call, result; anything else is passed over
	ID        string // of a call or result; its name where the format has no ids
	Name      string // of a call
	Arguments string // of a call
	Content   string // of a result, a text or a user's message
}

// answer is the result of the call at position of r.
func answer(r *wire.Reply, position int, content string) holdfast.Observation {
	c := r.Calls[position]
	return holdfast.Observation{CallID: c.ID, Name: c.Name, Position: position, JSON: json.RawMessage(content)}
}

// answers are plain results of all calls of r.
func answers(r *wire.Reply) []holdfast.Observation {
	var out []holdfast.Observation
	for i := range r.Calls {
		out = append(out, answer(r, i, fmt.Sprintf(`{"n":%d}`, i)))
	}
	return out
}

const rejection = `{"outcome":"rejected","code":"unreadable_arguments","executed":false,"message":"did not run"}`

func function(id, name, arguments string) holdfast.Call {
	return holdfast.Call{ID: id, Name: name, Kind: holdfast.FunctionCall, Arguments: arguments}
}

// history is one conversation that must come out in a form the provider takes.
type history struct {
	name  string
	items func(speak func(Spoken) *wire.Reply) []wire.Item
	calls []string // the names of the calls that must stand in it
	check func(entries []Entry) string
}

// foreign is a reply of another provider.
func foreign(calls ...holdfast.Call) *wire.Reply {
	for i := range calls {
		calls[i].Complete, calls[i].Kind = true, holdfast.FunctionCall
	}
	return &wire.Reply{API: "elsewhere", Ending: wire.Ended, Complete: true, Text: "from elsewhere", Calls: calls, Message: json.RawMessage(`{"foreign":true}`)}
}

var histories = []history{
	{"a call and its result", func(speak func(Spoken) *wire.Reply) []wire.Item {
		r := speak(Spoken{Text: "let me look", Calls: []holdfast.Call{function("call_a1", "search", `{"q":"x"}`)}})
		return []wire.Item{{User: "hello"}, {Reply: r}, {Results: answers(r)}, {Reply: speak(Spoken{Text: "found"})}, {User: "thanks"}}
	}, []string{"search"}, nil},
	{"two calls, results told in the wrong order", func(speak func(Spoken) *wire.Reply) []wire.Item {
		r := speak(Spoken{Calls: []holdfast.Call{function("call_a1", "search", `{"q":"x"}`), function("call_a2", "fetch", `{"q":"y"}`)}})
		return []wire.Item{{User: "hello"}, {Reply: r}, {Results: []holdfast.Observation{answer(r, 1, `{"n":1}`), answer(r, 0, `{"n":0}`)}}}
	}, []string{"search", "fetch"}, func(entries []Entry) string {
		results := only(entries, "result")
		if !strings.Contains(results[0].Content, `"n":0`) || !strings.Contains(results[1].Content, `"n":1`) {
			return "results are not in call order"
		}
		return ""
	}},
	{"a call cancelled before its result", func(speak func(Spoken) *wire.Reply) []wire.Item {
		r := speak(Spoken{Calls: []holdfast.Call{function("call_a1", "search", `{"q":"x"}`), function("call_a2", "fetch", `{}`)}})
		return []wire.Item{{User: "hello"}, {Reply: r}, {Results: []holdfast.Observation{answer(r, 0, `{"n":0}`)}}, {User: "and now?"}}
	}, []string{"search", "fetch"}, func(entries []Entry) string {
		if !strings.Contains(only(entries, "result")[1].Content, "uncertain") {
			return "the missing result does not say that it is"
		}
		return ""
	}},
	{"a crash before any result", func(speak func(Spoken) *wire.Reply) []wire.Item {
		r := speak(Spoken{Calls: []holdfast.Call{function("call_a1", "search", `{"q":"x"}`)}})
		return []wire.Item{{User: "hello"}, {Reply: r}}
	}, []string{"search"}, nil},
	{"a denied approval", func(speak func(Spoken) *wire.Reply) []wire.Item {
		r := speak(Spoken{Calls: []holdfast.Call{function("call_a1", "search", `{"q":"x"}`)}})
		o := answer(r, 0, `{"outcome":"rejected","code":"approval_denied","executed":false,"message":"a person said no"}`)
		o.Error = true
		return []wire.Item{{User: "hello"}, {Reply: r}, {Results: []holdfast.Observation{o}}}
	}, []string{"search"}, nil},
	{"arguments that are no JSON", oneCall(function("call_a1", "search", `{"q": nope`)), []string{"search"}, legalArguments},
	{"arguments of two objects", oneCall(function("call_a1", "search", `{"q":1}{"q":2}`)), []string{"search"}, legalArguments},
	{"arguments that are a list", oneCall(function("call_a1", "search", `[1]`)), []string{"search"}, legalArguments},
	{"no arguments", oneCall(function("call_a1", "search", ``)), []string{"search"}, func(entries []Entry) string {
		if c := only(entries, "call")[0]; strings.TrimSpace(c.Arguments) != "{}" {
			return "arguments are " + c.Arguments + ", want {}"
		}
		return ""
	}},
	{"a lone surrogate", oneCall(function("call_a1", "search", `{"d":"a\ud99cb"}`)), []string{"search"}, legalArguments},
	{"a name that no tool has", oneCall(function("call_a1", "searchh", `{}`)), []string{"searchh"}, nil},
	{"a name that the provider does not take", oneCall(function("call_a1", "functions search<|x|>"+strings.Repeat("y", 200), `{}`)), []string{""}, nil},
	{"no name", oneCall(function("call_a1", "", `{"q":1}`)), []string{""}, nil},
	{"no id", oneCall(function("", "search", `{"q":1}`)), []string{"search"}, nil},
	{"an id that few providers take", oneCall(function("functions.search:0 ü", "search", `{"q":1}`)), []string{"search"}, nil},
	{"one id twice in a reply", func(speak func(Spoken) *wire.Reply) []wire.Item {
		r := speak(Spoken{Calls: []holdfast.Call{function("call_a1", "search", `{"q":1}`), function("call_a1", "fetch", `{"q":2}`)}})
		return []wire.Item{{User: "hello"}, {Reply: r}, {Results: answers(r)}}
	}, nil, nil},
	{"one id in two replies", func(speak func(Spoken) *wire.Reply) []wire.Item {
		a := speak(Spoken{Calls: []holdfast.Call{function("call_0", "search", `{"q":1}`)}})
		b := speak(Spoken{Calls: []holdfast.Call{function("call_0", "fetch", `{"q":2}`)}})
		return []wire.Item{{User: "hello"}, {Reply: a}, {Results: answers(a)}, {Reply: b}, {Results: answers(b)}}
	}, []string{"search", "fetch"}, nil},
	{"a reply cut within a call", func(speak func(Spoken) *wire.Reply) []wire.Item {
		r := speak(Spoken{Text: "I write", Cut: true, Calls: []holdfast.Call{function("call_a1", "search", `{"q":1}`), function("call_a2", "write", `{"path":"a","text":"half`)}})
		var results []holdfast.Observation
		for i := range r.Calls {
			results = append(results, answer(r, i, rejection))
		}
		return []wire.Item{{User: "hello"}, {Reply: r}, {Results: results}, {User: "go on"}}
	}, nil, legalArguments},
	{"a broken reply", func(speak func(Spoken) *wire.Reply) []wire.Item {
		r := speak(Spoken{Text: "lost", Calls: []holdfast.Call{function("call_a1", "search", `{"q":1}`)}})
		r.Ending, r.Complete = wire.Broken, false
		return []wire.Item{{User: "hello"}, {Reply: r}, {User: "again"}}
	}, []string{}, nil},
	{"two messages, two replies, and two messages in a row", func(speak func(Spoken) *wire.Reply) []wire.Item {
		a, b := speak(Spoken{Text: "first"}), speak(Spoken{Text: "more", Calls: []holdfast.Call{function("call_a1", "search", `{"q":1}`)}})
		return []wire.Item{{User: "hello"}, {User: "you there?"}, {Reply: a}, {Reply: b}, {Results: answers(b)}, {User: "and?"}, {User: "well?"}}
	}, []string{"search"}, nil},
	{"a filtered reply", func(speak func(Spoken) *wire.Reply) []wire.Item {
		r := speak(Spoken{Text: "I cannot", Calls: []holdfast.Call{function("call_a1", "search", `{"q":1}`)}})
		r.Ending, r.Complete = wire.Filtered, false
		return []wire.Item{{User: "hello"}, {Reply: r}, {User: "again"}}
	}, []string{}, nil},
	{"replies of another provider", func(speak func(Spoken) *wire.Reply) []wire.Item {
		a := foreign(function("toolu_01A", "search", `{"q":1}`), function("", "coach.fetch", ``))
		b := foreign(function("toolu_01A", "search", `{"q":1}`))
		c := speak(Spoken{Calls: []holdfast.Call{function("call_a1", "search", `{"q":3}`)}})
		return []wire.Item{{User: "hello"}, {Reply: a}, {Results: answers(a)}, {Reply: b}, {Results: answers(b)}, {Reply: c}, {Results: answers(c)}}
	}, []string{"search", "fetch", "search", "search"}, nil},
	{"an image and text that is not UTF-8 in results", func(speak func(Spoken) *wire.Reply) []wire.Item {
		r := speak(Spoken{Calls: []holdfast.Call{function("call_a1", "search", `{"q":"x"}`), function("call_a2", "fetch", `{"q":"y"}`)}})
		a, b := answer(r, 0, ``), answer(r, 1, ``)
		a.JSON, a.Text, a.Images = nil, "a picture", []holdfast.Image{{MediaType: "image/png", Data: []byte{1, 2, 3}}}
		b.JSON, b.Text = nil, "not \xff text"
		return []wire.Item{{User: "hel\xfflo"}, {Reply: r}, {Results: []holdfast.Observation{a, b}}, {User: "well?"}}
	}, []string{"search", "fetch"}, nil},
}

func oneCall(c holdfast.Call) func(func(Spoken) *wire.Reply) []wire.Item {
	return func(speak func(Spoken) *wire.Reply) []wire.Item {
		r := speak(Spoken{Text: "well", Calls: []holdfast.Call{c}})
		return []wire.Item{{User: "hello"}, {Reply: r}, {Results: answers(r)}, {User: "and?"}}
	}
}

// legalArguments is checked of every history; here it says that the case is for it.
func legalArguments([]Entry) string { return "" }

func only(entries []Entry, kind string) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Kind != kind })
}

// testHistories encodes each conversation and checks what every provider wants:
// each call answered once, in order, before anything else; ids that tell calls
// apart; names that it takes; arguments that are one JSON object.
func testHistories(t *testing.T, o Options) {
	names := wire.Names{"search": "coach.search", "fetch": "coach.fetch", "write": "coach.write"}
	speak := func(s Spoken) *wire.Reply {
		r, _ := decode(o.Codec, o.Speak(s))
		if r.Err != nil || len(r.Calls) < len(s.Calls) && !s.Cut && !sameIDs(s.Calls) {
			t.Errorf("%s: spoken reply %+v decodes to %+v", o.Codec.API(), s, r)
		}
		return r
	}
	for _, h := range histories {
		t.Run(h.name, func(t *testing.T) {
			items := h.items(speak)
			messages, err := o.Codec.History(items, names)
			if err != nil {
				t.Fatalf("History(%s) = %v", h.name, err)
			}
			again, err := o.Codec.History(items, names)
			if err != nil || !slices.EqualFunc(messages, again, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
				t.Errorf("History(%s) is not the same twice, or %v", h.name, err)
			}
			for _, m := range messages {
				if !rawjson.Sendable(m) || !utf8.Valid(m) {
					t.Errorf("History(%s) has a message that is not valid JSON and UTF-8: %s", h.name, m)
				}
			}
			if o.Alternates {
				checkRoles(t, h, messages)
			}
			entries := o.Read(messages)
			for _, problem := range problemsOf(entries, o) {
				t.Errorf("History(%s): %s\n%s", h.name, problem, messages)
			}
			if h.calls != nil {
				checkNames(t, h, only(entries, "call"), messages)
			}
			if h.check != nil && !t.Failed() {
				if problem := h.check(entries); problem != "" {
					t.Errorf("History(%s): %s\n%s", h.name, problem, messages)
				}
			}
		})
	}
}

func sameIDs(calls []holdfast.Call) bool { return len(calls) == 2 && calls[0].ID == calls[1].ID }

func checkNames(t *testing.T, h history, calls []Entry, messages []json.RawMessage) {
	t.Helper()
	if len(calls) != len(h.calls) {
		t.Errorf("History(%s) has %d calls, want %d\n%s", h.name, len(calls), len(h.calls), messages)
		return
	}
	for i, c := range calls {
		if h.calls[i] != "" && c.Name != h.calls[i] {
			t.Errorf("History(%s): call %d is %q, want %q", h.name, i, c.Name, h.calls[i])
		}
	}
}

func checkRoles(t *testing.T, h history, messages []json.RawMessage) {
	t.Helper()
	last := "assistant"
	for _, m := range messages {
		role := rawjson.MemberString(m, "role")
		if role == last {
			t.Errorf("History(%s): the role %s twice in a row, or first\n%s", h.name, role, messages)
		}
		last = role
	}
}

// problemsOf lists what a provider would refuse.
func problemsOf(entries []Entry, o Options) (problems []string) {
	var open []Entry // calls without a result so far, of one reply
	seen := map[string]bool{}
	for _, e := range entries {
		switch e.Kind {
		case "call":
			if o.IDs && seen[e.ID] {
				problems = append(problems, "two calls with id "+e.ID)
			}
			seen[e.ID] = true
			if o.Name != nil && !o.Name.MatchString(e.Name) {
				problems = append(problems, fmt.Sprintf("call name %q is not taken", e.Name))
			}
			if o.ID != nil && !o.ID.MatchString(e.ID) {
				problems = append(problems, fmt.Sprintf("call id %q is not taken", e.ID))
			}
			if !rawjson.IsObject([]byte(e.Arguments)) {
				problems = append(problems, "arguments are no object: "+e.Arguments)
			}
			open = append(open, e)
		case "result":
			if len(open) == 0 || open[0].ID != e.ID {
				problems = append(problems, fmt.Sprintf("result of %q where calls %v wait", e.ID, open))
				continue
			}
			open = open[1:]
		case "user", "text":
			if len(open) > 0 && e.Kind == "user" {
				problems = append(problems, fmt.Sprintf("a person's message before the results of %v", open))
				open = nil
			}
		}
	}
	if len(open) > 0 {
		problems = append(problems, fmt.Sprintf("no result of %v", open))
	}
	return problems
}
