package coach

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/model/scripted"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
	"github.com/holdfast-go/holdfast/wire/google"
	"github.com/holdfast-go/holdfast/wire/openai"
)

// talk is a conversation with the coach: a scripted provider that checks each
// request as strictly as the real one, and two files that outlive the process.
type talk struct {
	*gym
	codec  wire.Codec
	whole  bool
	server *scripted.Server
	store  *sqlite.Store
	agent  *agent.Agent
	events []agent.Event
	max    int // rounds
}

// today is the day of every conversation.
var today = time.Date(2024, 4, 11, 13, 0, 0, 0, time.UTC)

// provider is one that conversations are held with.
type provider struct {
	codec wire.Codec
	whole bool
}

// eachVendor are scripted providers, one of each vendor; under the race detector
// one stands for all.
func eachVendor() []provider {
	if raceDetector {
		return []provider{{codec: anthropic.Messages{}}}
	}
	return []provider{{codec: openai.Chat{}}, {codec: anthropic.Messages{}}, {codec: google.Gemini{}}}
}

// eachProvider holds a conversation with a scripted provider of each vendor; with
// HOLDFAST_EVERY_PROVIDER=1, as in make test, with each of their formats, and a
// whole body too. Scenario "" is the coach's own.
func eachProvider(t *testing.T, scenario string, hold func(*talk)) {
	t.Helper()
	all := eachVendor()
	if os.Getenv("HOLDFAST_EVERY_PROVIDER") == "1" && !raceDetector {
		all = append(all, provider{codec: openai.Responses{}}, provider{anthropic.Messages{}, true}, provider{codec: google.Interactions{}})
	}
	with(t, all, scenario, hold)
}

// with holds a conversation with each of some providers.
func with(t *testing.T, all []provider, scenario string, hold func(*talk)) {
	t.Helper()
	play := parse(t, scenario)
	for _, p := range all {
		name := p.codec.API()
		if p.whole {
			name += "/whole"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hold(newTalk(t, p.codec, p.whole, play))
		})
	}
}

// parse reads a scenario; "" is the coach's own, without its pace.
func parse(t *testing.T, scenario string) *scripted.Scenario {
	t.Helper()
	text := "scenario: test\n" + scenario
	if scenario == "" {
		text = strings.Replace(string(Scenario()), "pace: 12ms\n", "", 1)
	}
	play, err := scripted.Parse([]byte(text))
	if err != nil {
		t.Fatalf("scripted.Parse = %v", err)
	}
	return play
}

// newTalk begins run "r" in a folder of its own.
func newTalk(t *testing.T, codec wire.Codec, whole bool, play *scripted.Scenario) *talk {
	t.Helper()
	k := newTalkIn(t, t.TempDir(), codec, whole, play)
	if _, err := k.ledger.CreateRun(t.Context(), gate.Run{ID: "r", Catalog: "coach", Principal: ana}); err != nil {
		t.Fatalf("CreateRun = %v", err)
	}
	return k
}

// newTalkIn opens what is in a folder.
func newTalkIn(t *testing.T, dir string, codec wire.Codec, whole bool, play *scripted.Scenario) *talk {
	t.Helper()
	k := &talk{
		gym:   &gym{t: t, path: filepath.Join(dir, "coach.db"), failAt: map[Point]error{}},
		codec: codec, whole: whole, server: scripted.New(play, nil),
	}
	k.start()
	t.Cleanup(k.stop)
	return k
}

// start is a process that begins: everything is made of the two files.
func (k *talk) start() {
	k.t.Helper()
	ctx := k.t.Context()
	var err error
	if k.store, err = sqlite.Open(ctx, k.path+".ledger", nil); err != nil {
		k.t.Fatalf("sqlite.Open = %v", err)
	}
	if k.ledger, err = ledger.New(ctx, k.store, nil); err != nil {
		k.t.Fatalf("ledger.New = %v", err)
	}
	k.gym.open()
	if k.gate, err = gate.New(k.coach.Catalog(), k.ledger, nil); err != nil {
		k.t.Fatalf("gate.New = %v", err)
	}
	client, err := model.New(k.codec, "scripted", &model.Options{
		BaseURL: "http://scripted", Retries: -1, HTTPClient: &http.Client{Transport: k.server},
	})
	if err != nil {
		k.t.Fatalf("model.New = %v", err)
	}
	k.agent, err = agent.New(client, k.gate, k.ledger, &agent.Options{
		System: func() string { return k.coach.System(today) }, MaxRounds: k.max, Whole: k.whole,
		Watch: func(e agent.Event) { k.events = append(k.events, e) },
	})
	if err != nil {
		k.t.Fatalf("agent.New = %v", err)
	}
}

func (k *talk) stop() {
	if err := k.gate.Close(context.Background()); err != nil {
		k.t.Errorf("Gate.Close = %v", err)
	}
	if err := k.ledger.Close(); err != nil {
		k.t.Errorf("Ledger.Close = %v", err)
	}
	if err := k.store.Close(); err != nil {
		k.t.Errorf("Store.Close = %v", err)
	}
	if err := k.coach.Close(); err != nil {
		k.t.Errorf("Coach.Close = %v", err)
	}
}

// restart is the end of this process and the begin of another.
func (k *talk) restart() {
	k.t.Helper()
	k.stop()
	k.start()
}

// say is one turn; it must end in an answer.
func (k *talk) say(message string) string {
	k.t.Helper()
	r := k.turn(k.t.Context(), message)
	if r.End != agent.Answer {
		k.t.Fatalf("turn %q ended %s (%s %v), want an answer", message, r.End, r.Message, r.Err)
	}
	return r.Answer
}

func (k *talk) turn(ctx context.Context, message string) agent.Result {
	k.t.Helper()
	r, err := k.agent.Turn(ctx, "r", message)
	if err != nil {
		k.t.Fatalf("Turn(%q) = %v", message, err)
	}
	return r
}

// wantSaid fails unless the answer holds every part.
func (k *talk) wantSaid(answer string, parts ...string) {
	k.t.Helper()
	for _, p := range parts {
		if !strings.Contains(answer, p) {
			k.t.Errorf("answer %q, want %q in it", answer, p)
		}
	}
	if strings.Contains(answer, "<no value>") || strings.Contains(answer, "<nil>") {
		k.t.Errorf("answer %q has a hole", answer)
	}
}

// wantCalls fails unless the ledger, read anew, holds these calls of the turn in
// order, each as "tool state code".
func (k *talk) wantCalls(turn int, calls ...string) {
	k.t.Helper()
	entries, err := k.ledger.Entries(k.t.Context(), ledger.Filter{Run: "r", Turn: turn, InOrder: true})
	if err != nil {
		k.t.Fatalf("Entries = %v", err)
	}
	slices.SortStableFunc(entries, func(a, b ledger.Entry) int {
		if a.Round != b.Round {
			return a.Round - b.Round
		}
		return a.Position - b.Position
	})
	var got []string
	for _, e := range entries {
		line := e.Tool + " " + string(e.State)
		if e.Outcome != nil && e.Outcome.Code != "" {
			line += " " + string(e.Outcome.Code)
		}
		got = append(got, line)
	}
	if !slices.Equal(got, calls) {
		k.t.Errorf("calls of turn %d = %q, want %q", turn, got, calls)
	}
}
