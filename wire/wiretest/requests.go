package wiretest

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/wire"
)

// testRequests reads each recorded request that holds results, encodes its
// history anew and compares; and once more with each reply in it replaced by the
// recorded reply that it came from.
func testRequests(t *testing.T, o Options) {
	all := recordings(t, o.Recorded)
	replies := recordedReplies(o, all)
	requests, built := 0, 0
	for _, r := range all {
		if r.request == nil {
			continue
		}
		items, want := o.Conversation(r.request)
		if !holdsResults(items) {
			continue
		}
		requests++
		if why := o.Apart[r.name]; why != "" {
			t.Logf("%s differs: %s", r.name, why)
			continue
		}
		compareHistories(t, r.name, o, items, want)
		replaced := false
		items = slices.Clone(items)
		for i, item := range items {
			if item.Reply == nil || len(item.Reply.Calls) == 0 {
				continue
			}
			if reply := replies[callsKey(o, path.Dir(r.name), item.Reply)]; reply != nil {
				items[i].Reply, replaced = reply, true
			}
		}
		if replaced {
			built++
			compareHistories(t, r.name+" from its recorded reply", o, items, want)
		}
	}
	t.Logf("%s: %d requests with results encode as recorded, %d of them from the recorded reply before", o.Codec.API(), requests, built)
}

func holdsResults(items []wire.Item) bool {
	return slices.ContainsFunc(items, func(i wire.Item) bool { return len(i.Results) > 0 })
}

// recordedReplies are the complete replies with calls, by folder and calls.
func recordedReplies(o Options, all []recording) map[string]*wire.Reply {
	replies := make(map[string]*wire.Reply)
	for _, r := range all {
		reply, _ := decode(o.Codec, r.bytes)
		if reply.Complete && len(reply.Calls) > 0 {
			replies[callsKey(o, path.Dir(r.name), reply)] = reply
		}
	}
	return replies
}

// callsKey is what tells a reply by its calls: arguments by value, as clients
// write them anew, and ids where the format has them.
func callsKey(o Options, folder string, r *wire.Reply) string {
	var key strings.Builder
	key.WriteString(folder)
	if o.Mark != nil {
		key.WriteString(" " + o.Mark(r))
	}
	for _, c := range r.Calls {
		id := ""
		if o.IDs {
			id = c.ID
		}
		key.WriteString("\n" + id + " " + c.Name + " " + quote(value(c.Arguments)))
	}
	return key.String()
}

func compareHistories(t *testing.T, name string, o Options, items []wire.Item, want []json.RawMessage) {
	t.Helper()
	got, err := o.Codec.History(items, nil)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if diff := cmp.Diff(counted(want, o), counted(got, o)); diff != "" {
		t.Errorf("%s: history differs (-recorded +encoded):\n%s", name, diff)
	}
}

// byValue replaces argument texts by what they say: clients write the ones that
// they send back anew.
func byValue(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = byValue(v[i])
		}
	case map[string]any:
		for name, m := range v {
			if text, ok := m.(string); ok && name == "arguments" {
				v[name] = value(text)
				continue
			}
			v[name] = byValue(m)
		}
	}
	return v
}

// counted is messages as values, without what the codec's test says is the
// client's own choice.
func counted(messages []json.RawMessage, o Options) []any {
	var out []any
	for _, m := range messages {
		v := byValue(value(string(m)))
		if o.Immaterial != nil {
			if object, ok := v.(map[string]any); ok {
				object = maps.Clone(object)
				if o.Immaterial(object); len(object) == 0 {
					continue
				}
				v = object
			}
		}
		out = append(out, v)
	}
	return out
}
