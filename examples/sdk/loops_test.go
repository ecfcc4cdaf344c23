package sdk

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/model/scripted"
	chat "github.com/holdfast-go/holdfast/wire/openai"
)

// diary is a book that remembers what was done to it.
type diary struct {
	mu   sync.Mutex
	done []string
}

func (d *diary) Write(_ context.Context, key string, r Reading) error {
	return d.note("write %s %v", r.Date, r.Weight, key)
}

func (d *diary) Erase(_ context.Context, key, date string) error {
	return d.note("erase %s", date, key)
}

// note records an effect; the last of args is its key, which must be there.
func (d *diary) note(format string, args ...any) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	last := len(args) - 1
	if args[last] == "" {
		return holdfast.WithoutEffect(fmt.Errorf("no key"))
	}
	d.done = append(d.done, fmt.Sprintf(format, args[:last]...))
	return nil
}

// loop is one of the examples, asking a provider that plays a scenario.
type loop struct {
	name string
	ask  func(ctx context.Context, provider *http.Client, g *gate.Gate, turn gate.Round, message string) (string, error)
}

func loops() []loop {
	openaiClient := func(c *http.Client) openai.Client {
		return openai.NewClient(openaioption.WithBaseURL("http://scripted/v1/"), openaioption.WithAPIKey("none"), openaioption.WithHTTPClient(c), openaioption.WithMaxRetries(0))
	}
	anthropicClient := func(c *http.Client) anthropic.Client {
		return anthropic.NewClient(anthropicoption.WithBaseURL("http://scripted/"), anthropicoption.WithAPIKey("none"), anthropicoption.WithHTTPClient(c), anthropicoption.WithMaxRetries(0))
	}
	quiet := func(string) {}
	return []loop{
		{"openai whole", func(ctx context.Context, c *http.Client, g *gate.Gate, turn gate.Round, message string) (string, error) {
			return AskOpenAI(ctx, openaiClient(c), g, turn, message)
		}},
		{"openai stream", func(ctx context.Context, c *http.Client, g *gate.Gate, turn gate.Round, message string) (string, error) {
			return StreamOpenAI(ctx, openaiClient(c), g, turn, message, quiet)
		}},
		{"responses whole", func(ctx context.Context, c *http.Client, g *gate.Gate, turn gate.Round, message string) (string, error) {
			return AskResponses(ctx, openaiClient(c), g, turn, message)
		}},
		{"anthropic whole", func(ctx context.Context, c *http.Client, g *gate.Gate, turn gate.Round, message string) (string, error) {
			return AskAnthropic(ctx, anthropicClient(c), g, turn, message)
		}},
		{"anthropic stream", func(ctx context.Context, c *http.Client, g *gate.Gate, turn gate.Round, message string) (string, error) {
			return StreamAnthropic(ctx, anthropicClient(c), g, turn, message, quiet)
		}},
	}
}

// played is what became of a turn of a loop.
type played struct {
	answer   string
	err      error
	done     []string
	requests []string
}

func play(t *testing.T, l loop, scenario, message string) played {
	t.Helper()
	script, err := scripted.Parse([]byte("scenario: diary\n" + scenario))
	if err != nil {
		t.Fatal(err)
	}
	var p played
	server := scripted.New(script, &scripted.Options{Seen: func(_ string, body []byte) { p.requests = append(p.requests, string(body)) }})
	book := &diary{}
	g, record, err := NewGate(t.Context(), book)
	if err != nil {
		t.Fatal(err)
	}
	turn := gate.Round{Run: "r", Turn: 1, Principal: holdfast.Principal{ID: "ana"}}
	p.answer, p.err = l.ask(t.Context(), &http.Client{Transport: server}, g, turn, message)
	if err := g.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := record.Close(); err != nil {
		t.Error(err)
	}
	p.done = book.done
	return p
}

func TestLoopsAreGated(t *testing.T) {
	for _, row := range []struct {
		name, scenario string
		answer         string   // a part of it
		fails          string   // a part of the error
		done           []string // effects, in order
		asked          int
	}{
		{
			name: "a wrong call is told and the corrected one runs",
			scenario: `
rules:
  - when: {message: weigh}
    calls: [{name: write_weight, arguments: {date: "2026-02-30", weight_kg: "75,5"}}]
  - when: {after: write_weight, outcome: rejected}
    calls: [{name: write_weight, arguments: {date: "2026-02-28", weight_kg: 75.5}}]
  - when: {after: write_weight, outcome: ok}
    say: "Written: {{.Result}}."
`,
			answer: "Written: stored.", done: []string{"write 2026-02-28 75.5"}, asked: 3,
		},
		{
			name: "calls side by side are two writes",
			scenario: `
rules:
  - when: {message: weigh}
    say: I write both down.
    calls:
      - {name: write_weight, arguments: {date: "2026-02-27", weight_kg: 75}}
      - {name: write_weight, arguments: {date: "2026-02-28", weight_kg: 76}}
  - when: {after: write_weight, outcome: ok}
    say: Both.
`,
			answer: "Both.", done: []string{"write 2026-02-27 75", "write 2026-02-28 76"}, asked: 2,
		},
		{
			name: "the same write proposed again is not done again",
			scenario: `
rules:
  - when: {message: weigh}
    calls: [{name: write_weight, arguments: {date: "2026-02-28", weight_kg: 75}}]
  - when: {after: write_weight, step: 1}
    calls: [{name: write_weight, arguments: {weight_kg: 75.0, date: "2026-02-28"}}]
  - when: {after: write_weight, step: 2}
    say: "{{if .Result.replayed}}It was there already.{{end}}"
`,
			answer: "It was there already.", done: []string{"write 2026-02-28 75"}, asked: 3,
		},
		{
			name: "an unknown tool is a result, not an end",
			scenario: `
rules:
  - when: {message: weigh}
    calls: [{name: write_wait, arguments: {}}]
  - when: {after: "*", code: unknown_tool}
    say: Sorry.
`,
			answer: "Sorry.", asked: 2,
		},
		{
			name: "nothing of a cut reply runs",
			scenario: `
rules:
  - when: {message: weigh}
    calls: [{name: write_weight, arguments: {date: "2026-02-28", weight_kg: 75}}]
    stop: length
  - when: {after: write_weight, code: incomplete_response}
    say: It was cut.
`,
			answer: "It was cut.", asked: 2,
		},
		{
			name: "a call that needs a person waits and nothing is sent",
			scenario: `
rules:
  - when: {message: weigh}
    calls: [{name: erase_weight, arguments: {date: "2026-02-28"}}]
`,
			answer: "A call of diary.erase_weight waits for a person: approval ", asked: 1,
		},
		{
			name:     "an error of the provider is the loop's",
			scenario: "rules:\n  - when: {always: true}\n    error: {status: 400, message: not like this}\n",
			fails:    "400", asked: 1,
		},
	} {
		for _, l := range loops() {
			t.Run(row.name+"/"+l.name, func(t *testing.T) {
				t.Parallel()
				p := play(t, l, row.scenario, "weigh")
				if row.fails == "" && p.err != nil || row.fails != "" && (p.err == nil || !strings.Contains(p.err.Error(), row.fails)) {
					t.Fatalf("loop = %v, want an error with %q", p.err, row.fails)
				}
				if !strings.HasPrefix(p.answer, row.answer) {
					t.Errorf("answer = %q, want %q", p.answer, row.answer)
				}
				if !slices.Equal(p.done, row.done) {
					t.Errorf("done = %q, want %q", p.done, row.done)
				}
				if len(p.requests) != row.asked {
					t.Errorf("asked %d times, want %d", len(p.requests), row.asked)
				}
			})
		}
	}
}

// The clients hand over a stream that ended too soon as if it were whole; the
// guard does not.
func TestStreamThatBreaksOffRunsNothing(t *testing.T) {
	for _, cut := range []string{"call", "end"} {
		scenario := `
rules:
  - when: {always: true}
    calls: [{name: write_weight, arguments: {date: "2026-02-28", weight_kg: 75}}]
    cut: ` + cut + "\n"
		for _, l := range loops() {
			if !strings.HasSuffix(l.name, "stream") {
				continue
			}
			t.Run(cut+"/"+l.name, func(t *testing.T) {
				if p := play(t, l, scenario, "weigh"); p.err == nil || len(p.done) != 0 || len(p.requests) != 1 {
					t.Errorf("loop = %q, %v after %d requests, did %q, want an error after one and nothing done", p.answer, p.err, len(p.requests), p.done)
				}
			})
		}
	}
}

func TestPersonDecides(t *testing.T) {
	const reply = `{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":null,"tool_calls":[
		{"id":"a","type":"function","function":{"name":"erase_weight","arguments":"{\"date\":\"2026-02-27\"}"}},
		{"id":"b","type":"function","function":{"name":"erase_weight","arguments":"{\"date\":\"2026-02-28\"}"}}]},"finish_reason":"tool_calls"}]}`
	book := &diary{}
	g, record, err := NewGate(t.Context(), book)
	if err != nil {
		t.Fatal(err)
	}
	guard, err := agent.NewGuard(g, chat.Chat{}, gate.Round{Run: "r", Principal: holdfast.Principal{ID: "ana"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, parked, err := guard.Answer(t.Context(), []byte(reply))
	if err != nil || parked == nil {
		t.Fatalf("Answer = %v, %v, want a call that waits", parked, err)
	}
	asked := 0
	messages, err := AskPerson(t.Context(), guard, []byte(reply), parked, func(id string) error {
		asked++
		if asked == 1 {
			_, err := record.Deny(t.Context(), id, "ben", "not that one")
			return err
		}
		_, err := record.Approve(t.Context(), id, "ben", "")
		return err
	})
	if err != nil || asked != 2 || len(messages) != 3 || !strings.Contains(string(messages[1]), "not that one") {
		t.Errorf("AskPerson = %s, %v after %d questions, want the reply and 2 results after 2", messages, err, asked)
	}
	if want := []string{"erase 2026-02-28"}; !slices.Equal(book.done, want) {
		t.Errorf("done = %q, want %q", book.done, want)
	}
}
