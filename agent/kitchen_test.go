package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/model/scripted"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
	"github.com/holdfast-go/holdfast/wire/google"
	"github.com/holdfast-go/holdfast/wire/openai"
)

// kitchen is the catalog of these tests, and what its tools did.
type kitchen struct {
	mu     sync.Mutex
	log    []string         // each handler that was entered, with its arguments
	stored map[string]int64 // by store
	lost   error            // what store fails with, after its effect
	shut   error            // what find fails with
	hold   chan struct{}    // slow waits for it, or for its context
	held   chan struct{}    // slow was entered
	// effects is a file to which each store adds its key, where it is set.
	effects string
}

func (k *kitchen) entered(name string, args schema.Value) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.log = append(k.log, name+" "+string(args.Raw()))
}

func (k *kitchen) ran() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.log)
}

func (k *kitchen) find(_ context.Context, args schema.Value) (holdfast.Result, error) {
	k.entered("find", args)
	if k.shut != nil {
		return holdfast.Result{}, k.shut
	}
	var in struct{ Q string }
	if err := json.Unmarshal(args.Raw(), &in); err != nil {
		return holdfast.Result{}, err
	}
	if in.Q == "nothing" {
		return holdfast.Result{JSON: json.RawMessage(`{"foods":[]}`)}, nil
	}
	return holdfast.Result{JSON: json.RawMessage(`{"foods":[{"id":9007199254740993,"name":"arroz"},{"id":2,"name":"pan <&>"}]}`)}, nil
}

func (k *kitchen) store(ctx context.Context, args schema.Value) (holdfast.Result, error) {
	k.entered("store", args)
	if k.effects != "" {
		if err := addLine(k.effects, holdfast.CallInfoFrom(ctx).Key); err != nil {
			return holdfast.Result{}, err
		}
	}
	var in struct {
		Name  string
		Grams int64
	}
	if err := json.Unmarshal(args.Raw(), &in); err != nil {
		return holdfast.Result{}, holdfast.WithoutEffect(err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stored[in.Name] += in.Grams
	return holdfast.Result{JSON: fmt.Appendf(nil, `{"stored":%d}`, k.stored[in.Name])}, k.lost
}

func addLine(file, line string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line + "\n")
	return err
}

func (k *kitchen) slow(ctx context.Context, args schema.Value) (holdfast.Result, error) {
	k.entered("slow", args)
	k.held <- struct{}{}
	select {
	case <-k.hold:
		return holdfast.Result{Text: "done"}, nil
	case <-ctx.Done():
		return holdfast.Result{}, ctx.Err()
	}
}

func (k *kitchen) catalog(t *testing.T) *holdfast.Catalog {
	t.Helper()
	tool := func(name, input string, e holdfast.Effect, h holdfast.Handler, o *holdfast.ToolOptions) *holdfast.Tool {
		s, err := schema.Compile([]byte(input), nil)
		if err != nil {
			t.Fatal(err)
		}
		made, err := holdfast.NewTool(name, "The tool "+name+" of a kitchen.", s, e, time.Minute, h, o)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	food := `{"type":"object","properties":{"name":{"type":"string"},"grams":{"type":"integer","minimum":1}},"required":["name","grams"],"additionalProperties":false}`
	c, err := holdfast.NewCatalog("kitchen",
		tool("find", `{"type":"object","properties":{"q":{"type":"string"}}}`, holdfast.Read, k.find, nil),
		tool("store", food, holdfast.Write, k.store, nil),
		tool("buy", food, holdfast.Write, k.store, &holdfast.ToolOptions{Approval: &holdfast.ApprovalRule{}}),
		tool("mail", `{"type":"object"}`, holdfast.Read, k.find, &holdfast.ToolOptions{Untrusted: true}),
		tool("slow", `{"type":"object"}`, holdfast.Read, k.slow, nil),
		tool("slow_write", `{"type":"object"}`, holdfast.Write, k.slow, nil),
	)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// codecs are the formats in which every conversation is held.
func codecs() []wire.Codec {
	return []wire.Codec{openai.Chat{}, openai.Responses{}, anthropic.Messages{}, google.Gemini{}, google.Interactions{}}
}

// stage is everything of a conversation but the agent, which may be made anew.
type stage struct {
	*kitchen
	talk
	codec   wire.Codec
	store   *memory.Store
	ledger  *ledger.Ledger
	gate    *gate.Gate
	server  *scripted.Server
	options agent.Options
	events  []agent.Event

	seen     sync.Mutex
	requests []string // bodies that the provider got
}

// newStage begins run "r" with a scripted provider.
func newStage(t *testing.T, codec wire.Codec, scenario string, o agent.Options) *stage {
	t.Helper()
	s := &stage{
		kitchen: &kitchen{stored: map[string]int64{}, hold: make(chan struct{}), held: make(chan struct{}, 8)},
		talk:    talk{t: t}, codec: codec, store: memory.New(nil), options: o,
	}
	play, err := scripted.Parse([]byte("scenario: test\n" + scenario))
	if err != nil {
		t.Fatal(err)
	}
	s.server = scripted.New(play, &scripted.Options{Seen: func(_ string, body []byte) {
		s.seen.Lock()
		defer s.seen.Unlock()
		s.requests = append(s.requests, string(body))
	}})
	s.open()
	if _, err := s.ledger.CreateRun(t.Context(), gate.Run{ID: "r", Catalog: "kitchen", Principal: holdfast.Principal{ID: "ana"}}); err != nil {
		t.Fatal(err)
	}
	return s
}

// open makes ledger, gate and agent over the store, as a new process does.
func (s *stage) open() {
	s.t.Helper()
	s.openOver(s.store)
}

func (s *stage) openOver(store ledger.Store) {
	s.t.Helper()
	var err error
	if s.ledger, err = ledger.New(s.t.Context(), store, nil); err != nil {
		s.t.Fatal(err)
	}
	if s.gate, err = gate.New(s.catalog(s.t), s.ledger, nil); err != nil {
		s.t.Fatal(err)
	}
	s.agent = s.remade(func(e agent.Event) {
		s.seen.Lock()
		defer s.seen.Unlock()
		s.events = append(s.events, e)
	})
}

// remade is an agent of the stage with another watcher.
func (s *stage) remade(watch func(agent.Event)) *agent.Agent {
	s.t.Helper()
	client, err := model.New(s.codec, "scripted", &model.Options{
		BaseURL: "http://scripted", Retries: -1, HTTPClient: &http.Client{Transport: s.server},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	o := s.options
	if o.System == nil {
		o.System = func() string { return "Today is 2026-03-04." }
	}
	o.Watch = watch
	a, err := agent.New(client, s.gate, s.ledger, &o)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// restart is the end of this process and the start of another over its store.
func (s *stage) restart() {
	s.t.Helper()
	if err := s.ledger.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.open()
}

// wantRan checks which handlers were entered, with which arguments.
func (s *stage) wantRan(want ...string) {
	s.t.Helper()
	if got := s.ran(); !slices.Equal(got, want) {
		s.t.Errorf("ran %q, want %q", got, want)
	}
}

// outcomes of the calls of a turn's round, by position, as the ledger has them.
func (s *stage) outcomes(turn, round int) string {
	s.t.Helper()
	entries, err := s.ledger.Entries(s.t.Context(), ledger.Filter{Run: "r", Turn: turn, Round: round, InOrder: true})
	if err != nil {
		s.t.Fatal(err)
	}
	slices.SortFunc(entries, func(a, b ledger.Entry) int { return a.Position - b.Position })
	var out []string
	for _, e := range entries {
		text := fmt.Sprintf("%d:%s", e.Position, e.State)
		if e.Outcome != nil && e.Outcome.Code != "" {
			text += "/" + string(e.Outcome.Code)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func (s *stage) wantOutcomes(turn, round int, want string) {
	s.t.Helper()
	if got := s.outcomes(turn, round); got != want {
		s.t.Errorf("outcomes of turn %d, round %d = %q, want %q", turn, round, got, want)
	}
}

// everyCodec runs a conversation in each format, streamed and whole.
func everyCodec(t *testing.T, scenario string, o agent.Options, f func(s *stage)) {
	for _, codec := range codecs() {
		for _, whole := range []bool{false, true} {
			name := codec.API()
			if whole {
				name += "/whole"
			}
			t.Run(name, func(t *testing.T) {
				o := o
				o.Whole = whole
				s := newStage(t, codec, scenario, o)
				f(s)
				if err := s.gate.Close(t.Context()); err != nil {
					t.Error(err)
				}
				if err := s.ledger.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

var errKitchen = errors.New("the kitchen is closed")
