package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/catalogfile"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
)

// staff are the agents of a catalog file. Each is made when it is first asked: only
// then is there a ledger, and a model for those that name none.
type staff struct {
	app    *app
	folder string // of the catalog file
	ledger *ledger.Ledger
	gates  *gate.Options // as the conversation's own

	model  modelFlag    // the command's
	preset *chosenModel // that it chose, nil: none yet
	watch  innerWatch   // of runs within calls, nil: nobody
	file   *catalogfile.File

	mu   sync.Mutex
	made map[*catalogfile.Agent]*agent.Agent
	open map[*catalogfile.Agent]*gate.Gate
}

// innerWatch makes the watcher of an agent's runs; m masks its tools' secrets.
type innerWatch func(m *masker) func(agent.Event)

// Ask is the handler of a tool that asks a.
func (s *staff) Ask(a *catalogfile.Agent) holdfast.Handler {
	return func(ctx context.Context, args schema.Value) (holdfast.Result, error) {
		asked, err := s.hire(a)
		if err != nil {
			return holdfast.Result{}, &gate.NoAnswer{Code: holdfast.ToolError, Message: "agent " + a.Name + ": " + err.Error()}
		}
		return asked.Handler(taskOf)(ctx, args)
	}
}

// HandOver is the handler of a tool that hands the conversation over.
func (s *staff) HandOver(to string) holdfast.Handler { return agent.HandoffHandler(to) }

// taskOf is an agent's message: a single text as it stands, and anything else as the
// JSON that it is.
func taskOf(args schema.Value) (string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(args.Raw(), &fields); err != nil {
		return "", err
	}
	if len(fields) == 1 {
		for _, only := range fields {
			var text string
			if json.Unmarshal(only, &text) == nil {
				return text, nil
			}
		}
	}
	return string(args.Raw()), nil
}

// hire makes an agent, once.
func (s *staff) hire(a *catalogfile.Agent) (*agent.Agent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if made := s.made[a]; made != nil {
		return made, nil
	}
	model, err := s.modelOf(a)
	if err != nil {
		return nil, err
	}
	g, err := s.gateOf(a)
	if err != nil {
		return nil, err
	}
	o := &agent.Options{
		Name: a.Name, MaxRounds: a.MaxRounds, Tools: wire.ToolOptions{Quirks: s.model.quirks},
		System: func() string { return a.Prompt + "\n\nToday is " + time.Now().Format(time.DateOnly) + "." },
	}
	if s.watch != nil {
		mask, err := s.maskerOf(a)
		if err != nil {
			return nil, err
		}
		o.Watch = s.watch(mask)
	}
	made, err := agent.New(model.client, g, s.ledger, o)
	if err != nil {
		return nil, err
	}
	s.made[a] = made
	return made, nil
}

// gateOf is the gate of a's own tools, one for all that ask. s is locked.
func (s *staff) gateOf(a *catalogfile.Agent) (*gate.Gate, error) {
	if g := s.open[a]; g != nil {
		return g, nil
	}
	g, err := gate.New(a.File.Catalog, s.ledger, s.gates)
	if err == nil {
		s.open[a] = g
	}
	return g, err
}

// allGates are the gates of all agents of the file.
func (s *staff) allGates() ([]*gate.Gate, error) {
	if s == nil || s.file == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*gate.Gate
	for _, a := range s.file.Agents {
		g, err := s.gateOf(a)
		if err != nil {
			return nil, err
		}
		list = append(list, g)
	}
	return list, nil
}

// modelOf is whom a asks: whom its file names, or whom the conversation asks.
func (s *staff) modelOf(a *catalogfile.Agent) (*chosenModel, error) {
	switch {
	case a.Model != "":
		f := modelFlag{which: a.Model, quirks: s.model.quirks}
		if file, ok := strings.CutPrefix(a.Model, scriptPrefix); ok && !filepath.IsAbs(file) {
			f.which = scriptPrefix + filepath.Join(s.folder, filepath.FromSlash(a.Folder), filepath.FromSlash(file))
		}
		return f.choose(s.app, nil)
	case s.preset != nil:
		return s.preset, nil
	case s.model.which != "":
		return s.model.choose(s.app, nil)
	}
	return nil, errors.New("it names no model to ask, and neither does this command: --model names one")
}

// team are the agents that the file's conversations may be handed over to.
func (s *staff) team() ([]*agent.Agent, error) {
	named := slices.Clone(s.file.HandsTo)
	for _, a := range s.file.Agents {
		named = append(named, a.File.HandsTo...)
	}
	var team []*agent.Agent
	for _, a := range s.file.Agents {
		if !slices.Contains(named, a.Name) {
			continue
		}
		made, err := s.hire(a)
		if err != nil {
			return nil, fmt.Errorf("agent %s: %w", a.Name, err)
		}
		team = append(team, made)
	}
	return team, nil
}

// staffed completes the options of a conversation's agent with those it may hand
// over to, and tells the staff whom to ask where the file does not say. It gives what
// masks the secrets of each of the team.
func (h *house) staffed(o *agent.Options, f modelFlag, chosen *chosenModel, watch innerWatch) (map[string]*masker, error) {
	s := h.staff
	if s == nil || s.file == nil {
		return nil, nil
	}
	s.model, s.preset, s.watch = f, chosen, watch
	team, err := s.team()
	if err != nil || len(team) == 0 {
		return nil, err
	}
	o.Name, o.Team = h.label, team
	masks := map[string]*masker{}
	for _, a := range s.file.Agents {
		if s.made[a] == nil {
			continue
		}
		if masks[a.Name], err = s.maskerOf(a); err != nil {
			return nil, err
		}
	}
	return masks, nil
}

// useModel is for a command that has no conversation: f is whom agents ask whose
// file names no model.
func (s *staff) useModel(f modelFlag) {
	if s != nil {
		s.model = f
	}
}

// maskerOf masks what is shown of an agent's calls.
func (s *staff) maskerOf(a *catalogfile.Agent) (*masker, error) {
	model, err := s.modelOf(a)
	if err != nil {
		return nil, err
	}
	set, err := model.client.Codec().Tools(a.File.Catalog, nil)
	return &masker{catalog: a.File.Catalog, names: set.Names}, err
}

// close waits for what the agents' gates owe to the ledger.
func (s *staff) close(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, g := range s.open {
		errs = append(errs, g.Close(ctx))
	}
	return errors.Join(errs...)
}

// newStaff is the staff of the catalog file of that name.
func (a *app) newStaff(catalog string) *staff {
	return &staff{app: a, folder: cmp.Or(filepath.Dir(catalog), "."), made: map[*catalogfile.Agent]*agent.Agent{}, open: map[*catalogfile.Agent]*gate.Gate{}}
}

// outermost is the call of a conversation, or the single call, that e was made for;
// e itself where it was not made within another.
func (h *house) outermost(ctx context.Context, e ledger.Entry) (ledger.Entry, error) {
	top, err := h.ledger.Outermost(ctx, e)
	if err != nil {
		return e, about("call", e.ID, err)
	}
	return top, nil
}

// withinCall says why a run within a call is not gone on with by itself.
func (h *house) withinCall(ctx context.Context, r ledger.Run) error {
	around, err := h.ledger.Entry(ctx, r.Parent)
	if err != nil {
		return about("call", r.Parent, err)
	}
	top, err := h.outermost(ctx, around)
	if err != nil {
		return err
	}
	return misused(fmt.Errorf("run %q is within a call of %s: it goes on with run %q", r.ID, top.Tool, top.Run))
}
