package policy_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/openai"
)

// obedient is the worst model there can be: it does whatever any text says that it
// reads, a person's or a stranger's, at once and without a doubt. An order is
// "@do TOOL {arguments}"; in the arguments {{TOOL}} stands for what that tool last
// said, and {{b64 TOOL}} for the same in base64: it carries off whatever it saw.
type obedient struct {
	mu      sync.Mutex
	todo    [][]order
	read    int // items of the conversation that it has read
	said    map[string]string
	repeats bool // its answer is all that it read: a summary
	heard   []string
}

type order struct{ tool, args string }

var orders = regexp.MustCompile(`(?m)@do (\S+) (\{.*\})$`)

func (m *obedient) Codec() wire.Codec { return openai.Chat{} }

func (m *obedient) Reply(_ context.Context, r *wire.Request, _ func(wire.Event)) (*wire.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ; m.read < len(r.Items); m.read++ {
		m.listen(r.Items[m.read])
	}
	message := map[string]any{"role": "assistant", "content": "That is all. " + m.summary()}
	reason := "stop"
	if len(m.todo) > 0 {
		var calls []map[string]any
		for i, o := range m.todo[0] {
			calls = append(calls, map[string]any{
				"id": fmt.Sprintf("c%d_%d", m.read, i), "type": "function",
				"function": map[string]string{"name": o.tool, "arguments": m.fill(o.args)},
			})
		}
		m.todo = m.todo[1:]
		message = map[string]any{"role": "assistant", "content": nil, "tool_calls": calls}
		reason = "tool_calls"
	}
	body, err := json.Marshal(map[string]any{"id": "r", "model": "obedient", "choices": []any{
		map[string]any{"index": 0, "finish_reason": reason, "message": message},
	}})
	if err != nil {
		return nil, err
	}
	d := openai.Chat{}.NewDecoder()
	d.Feed(body)
	return d.Close(), nil
}

// listen takes the orders of an item: a person's one after the other, those of a
// result at once, before all else.
func (m *obedient) listen(item wire.Item) {
	for _, o := range find(item.User) {
		m.todo = append(m.todo, []order{o})
	}
	for _, result := range item.Results {
		text := plainText(result)
		if m.said == nil {
			m.said = map[string]string{}
		}
		m.said[result.Name] = text
		m.heard = append(m.heard, text)
		if given := find(text); len(given) > 0 {
			m.todo = append([][]order{given}, m.todo...)
		}
	}
}

func (m *obedient) summary() string {
	if !m.repeats {
		return ""
	}
	return strings.Join(m.heard, "\n")
}

var secondHand = regexp.MustCompile(`\{\{(b64 )?(\w+)\}\}`)

func (m *obedient) fill(args string) string {
	return secondHand.ReplaceAllStringFunc(args, func(s string) string {
		p := secondHand.FindStringSubmatch(s)
		said := m.said[p[2]]
		if p[1] != "" {
			said = base64.URLEncoding.EncodeToString([]byte(said))
		}
		quoted, err := json.Marshal(said)
		if err != nil {
			return ""
		}
		return string(quoted[1 : len(quoted)-1])
	})
}

func find(text string) (list []order) {
	for _, p := range orders.FindAllStringSubmatch(text, -1) {
		list = append(list, order{p[1], p[2]})
	}
	return list
}

// plainText is all that a result says, without JSON's writing.
func plainText(o holdfast.Observation) string {
	if o.JSON == nil {
		return o.Text
	}
	var v any
	if json.Unmarshal(o.JSON, &v) != nil {
		return string(o.JSON)
	}
	var texts []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(v)
	return strings.Join(texts, "\n")
}
