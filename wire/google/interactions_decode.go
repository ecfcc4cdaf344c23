package google

import (
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/decode"
)

// interaction makes a reply of the events of the Interactions API, or of one
// whole interaction.
type interaction struct {
	decode.Draft
	steps   []interactionStep
	text    rawjson.Builder
	thought rawjson.Builder
	usage   []byte
	done    bool
}

// interactionStep is one step while it grows.
type interactionStep struct {
	index     int64
	kind      string
	start     []byte
	args      rawjson.Builder // of a function call
	grew      bool
	contents  []content // of model output
	summary   []content // of a thought
	signature []byte
	closed    bool
	late      bool // a delta came after its stop: what it holds is not what was meant
	call      int  // -1 for none
}

// content is one item of a step's content; text items grow.
type content struct {
	raw  []byte
	text []byte
	grew bool
}

// Done reports that the interaction's last event came, or a whole one.
func (s *interaction) Done() bool { return s.done }

// Frame takes an event, or a whole interaction.
func (s *interaction) Frame(f frames.Frame) {
	switch {
	case string(f.Data) == "[DONE]":
		// The end of the connection, not of the reply.
	case f.Tail && !rawjson.Valid(f.Data):
		// The bytes ended within it: what it held never came.
	default:
		s.event(f.Data)
	}
}

// interactionEvent is what any event may hold, as slices of it.
type interactionEvent struct {
	kind, interaction, step, delta, failure, at []byte
	index                                       int64
	indexed, whole                              bool
}

func readInteractionEvent(raw []byte) interactionEvent {
	var e interactionEvent
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "event_type":
			e.kind = v
		case "interaction":
			e.interaction = v
		case "step":
			e.step = v
		case "delta":
			e.delta = v
		case "error":
			if rawjson.Kind(v) == '{' {
				e.failure = v
			}
		case "index":
			e.at = v
		case "status", "steps":
			e.whole = true
		}
	}
	return e
}

// event takes the next event. What follows the last one is not this reply's, but
// a relay may begin anew.
func (s *interaction) event(raw []byte) {
	s.Seen = true
	if !rawjson.Valid(raw) {
		if !s.done {
			s.Unreadable(raw)
		}
		return
	}
	e := readInteractionEvent(raw)
	kind := rawjson.String(e.kind)
	if s.done && kind != "interaction.created" {
		return
	}
	e.index, e.indexed = s.Index(e.at)
	switch kind {
	case "interaction.created":
		s.created(e.interaction)
	case "interaction.completed":
		s.header(e.interaction, len(s.steps) == 0)
		s.done = true
	case "interaction.status_update":
	case "step.start":
		index := e.index
		if !e.indexed {
			index = int64(len(s.steps))
		}
		s.open(index, e.step)
	case "step.delta":
		s.delta(e)
	case "step.stop":
		if st := s.at(e); st != nil {
			s.close(st)
		}
	case "error":
		s.failed(raw, e.failure)
	case "":
		s.untyped(raw, e)
	default:
		s.Reply.Unknown++
	}
}

// untyped takes a body that is no event: a whole interaction, or an error.
func (s *interaction) untyped(raw []byte, e interactionEvent) {
	switch {
	case e.failure != nil && !e.whole:
		s.failed(raw, e.failure)
	case e.whole:
		s.header(raw, true)
		s.done = true
	default:
		s.Reply.Unknown++
	}
}

func (s *interaction) failed(raw, failure []byte) {
	if failure == nil {
		failure = raw
	}
	s.Reply.Err = googleError(raw, failure)
}

// created begins a reply; a second one voids everything before it.
func (s *interaction) created(raw []byte) {
	if len(s.steps) > 0 || s.done {
		s.Restart()
		*s = interaction{Draft: s.Draft}
	}
	s.header(raw, false)
}

func (s *interaction) header(raw []byte, steps bool) {
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "id":
			s.Reply.ID = rawjson.String(v)
		case "model", "agent":
			s.Reply.Model = rawjson.String(v)
		case "status":
			s.Reply.Stop = rawjson.String(v)
		case "usage":
			s.usage = append(s.usage[:0], v...)
		case "error":
			if rawjson.Kind(v) == '{' {
				s.failed(v, v)
			}
		case "steps":
			if !steps {
				continue
			}
			for _, step := range rawjson.Elements(v) {
				s.open(int64(len(s.steps)), step)
			}
			for i := range s.steps {
				s.close(&s.steps[i])
			}
		}
	}
}

// open starts a step. A whole one brings its content with it.
func (s *interaction) open(index int64, raw []byte) {
	if !s.Room(len(s.steps)) {
		return
	}
	st := interactionStep{index: index, start: append([]byte(nil), raw...), call: -1}
	var id, name, contents, summary []byte
	for n, v := range rawjson.Members(st.start) {
		switch string(n) {
		case "type":
			st.kind = rawjson.String(v)
		case "id":
			id = v
		case "name":
			name = v
		case "content":
			contents = v
		case "summary":
			summary = v
		}
	}
	switch st.kind {
	case "function_call":
		call := holdfast.Call{ID: rawjson.String(id), Name: rawjson.String(name), Kind: holdfast.FunctionCall}
		if call.ID != "" || call.Name != "" || decode.HoldsArguments(rawjson.Member(st.start, "arguments")) {
			st.call = s.Propose(call)
		} // else a phantom, and no call until it gets arguments
	case "model_output":
		for _, c := range rawjson.Elements(contents) {
			s.say(&st.contents, c, wire.TextDelta)
		}
	case "thought":
		for _, c := range rawjson.Elements(summary) {
			s.say(&st.summary, c, wire.ReasoningDelta)
		}
	case "user_input":
		return // what was asked, told back
	default:
		if !providersOwn(st.kind) {
			s.Reply.Unknown++
		}
	}
	s.steps = append(s.steps, st)
}

// providersOwn reports a step of a tool that the provider runs itself.
func providersOwn(kind string) bool {
	return strings.HasSuffix(kind, "_call") || strings.HasSuffix(kind, "_result")
}

// say adds one item of content: text joins the text item before it.
func (s *interaction) say(to *[]content, raw []byte, kind wire.EventKind) {
	var text []byte
	plain := true
	for n, v := range rawjson.Members(raw) {
		switch string(n) {
		case "text":
			text = v
		case "type":
		default:
			plain = false
		}
	}
	if text == nil {
		*to = append(*to, content{raw: append([]byte(nil), raw...)})
		return
	}
	all := &s.text
	if kind == wire.ReasoningDelta {
		all = &s.thought
	}
	s.Show(kind, 0, all.AddString(text))
	if last := len(*to) - 1; plain && last >= 0 && (*to)[last].text != nil {
		(*to)[last].text, (*to)[last].grew = rawjson.AppendString((*to)[last].text, text), true
		return
	}
	*to = append(*to, content{raw: append([]byte(nil), raw...), text: rawjson.AppendString([]byte{}, text)})
}

// at is the step that an event speaks of: the last that started at its index.
func (s *interaction) at(e interactionEvent) *interactionStep {
	for i := len(s.steps) - 1; i >= 0; i-- {
		if !e.indexed || s.steps[i].index == e.index {
			return &s.steps[i]
		}
	}
	return nil
}

func (s *interaction) delta(e interactionEvent) {
	st := s.at(e)
	kind := rawjson.MemberString(e.delta, "type")
	if st == nil || st.closed {
		s.Reply.Unknown++
		if st != nil {
			st.late = true
		} else if kind == "arguments_delta" {
			s.OutOfOrder()
		}
		return
	}
	st.grew = true
	switch {
	case kind == "arguments_delta" && st.kind == "function_call":
		s.arguments(st, rawjson.Member(e.delta, "arguments"))
	case kind == "thought_signature":
		if signature := rawjson.MemberString(e.delta, "signature"); signature != "" {
			st.signature = []byte(signature)
		}
	case kind == "thought_summary":
		s.say(&st.summary, rawjson.Member(e.delta, "content"), wire.ReasoningDelta)
	case st.kind == "model_output":
		s.say(&st.contents, e.delta, wire.TextDelta)
	case providersOwn(st.kind):
	default:
		s.Reply.Unknown++
	}
}

// arguments grows a call's text. An object in the place of the text is whole.
func (s *interaction) arguments(st *interactionStep, raw []byte) {
	text := st.args.AddString(decode.Fragment(raw))
	if st.call < 0 && st.args.Len() > 0 {
		st.call = s.Propose(holdfast.Call{Kind: holdfast.FunctionCall})
	}
	s.Show(wire.ArgumentsDelta, st.call, text)
}

func (s *interaction) close(st *interactionStep) {
	if st.closed {
		return
	}
	st.closed = true
	if st.call >= 0 {
		s.Tell(wire.Event{Kind: wire.CallEnd, Call: st.call})
	}
}
