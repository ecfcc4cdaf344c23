package wiretest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
)

// testRecordings compares every recording with its expectation and prints how
// many there are.
func testRecordings(t *testing.T, o Options) {
	all := recordings(t, o.Recorded)
	agree := 0
	for _, r := range all {
		for form, b := range r.forms() {
			reply, _ := decode(o.Codec, b)
			problems := r.compare(reply, o)
			for _, p := range problems {
				t.Errorf("%s as %s: %s", r.name, form, p)
			}
			if api := wire.Detect(b); api != o.Codec.API() {
				t.Errorf("%s as %s: Detect = %q, want %q", r.name, form, api, o.Codec.API())
			}
			if form == r.format && len(problems) == 0 {
				agree++
			}
			testSplits(t, o.Codec, r.name+" as "+form, b, reply)
		}
	}
	t.Logf("%s: %d of %d recordings agree with what is expected of them", o.Codec.API(), agree, len(all))
}

// testSplits checks that a reply does not depend on how its bytes are split, and
// that the preview told the same.
func testSplits(t *testing.T, c wire.Codec, name string, b []byte, want *wire.Reply) {
	t.Helper()
	if len(b) > 64<<10 && testing.Short() {
		return
	}
	for _, size := range []int{1, 7, 4096} {
		got, p := decode(c, slices.Collect(slices.Chunk(bytes.Clone(b), size))...)
		if !reflect.DeepEqual(want, got) { // cmp alone takes seconds over large messages
			t.Errorf("%s in pieces of %d (-whole +split):\n%s", name, size, cmp.Diff(want, got))
			return
		}
		for _, problem := range p.compare(got) {
			t.Errorf("%s in pieces of %d: %s", name, size, problem)
		}
	}
}

// compare lists where the preview of a reply that ended well differs from it.
func (p *preview) compare(r *wire.Reply) (problems []string) {
	if p.problem != "" {
		problems = append(problems, p.problem)
	}
	if !r.Complete {
		return problems
	}
	if p.text != r.Text {
		problems = append(problems, "previewed text "+quote(p.text)+", reply has "+quote(r.Text))
	}
	if p.reasoning != r.Reasoning {
		problems = append(problems, "previewed reasoning "+quote(p.reasoning)+", reply has "+quote(r.Reasoning))
	}
	if len(p.calls) != len(r.Calls) {
		return append(problems, "preview has "+quote(p.calls)+", reply "+quote(r.Calls))
	}
	for i, c := range r.Calls {
		if pc := p.calls[i]; pc.name != c.Name || pc.arguments != "" && pc.arguments != c.Arguments || pc.ended != c.Complete {
			problems = append(problems, "previewed call "+quote(pc)+", reply has "+quote(c))
		}
	}
	return problems
}

// compare lists where reply differs from what is expected.
func (r *recording) compare(reply *wire.Reply, o Options) (problems []string) {
	check := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			problems = append(problems, what+" = "+quote(got)+", want "+quote(want))
		}
	}
	w := &r.want
	check("api", reply.API, o.Codec.API())
	stop := ""
	if w.Stop != nil {
		stop = *w.Stop
	}
	check("stop", reply.Stop, stop)
	if n := len([]rune(w.Text)); n < w.TextChars {
		check("length of text", len([]rune(reply.Text)), w.TextChars)
	} else {
		check("text", reply.Text, w.Text)
	}
	hasError := len(w.Error) > 0 && string(w.Error) != "null"
	check("is an error", reply.Err != nil, hasError)
	if hasError && reply.Err != nil {
		var sent struct{ Message string }
		if json.Unmarshal(w.Error, &sent) == nil {
			check("error's message", reply.Err.Message, sent.Message)
		}
	}
	check("complete", reply.Complete, w.Terminal && !hasError && !slices.Contains(o.Vetoes, stop))
	check("complete by its ending", reply.Complete, reply.Ending == wire.Ended || reply.Ending == wire.Paused)
	check("usage", reply.Usage, o.Usage(w.Usage))
	check("number of calls", len(reply.Calls), len(w.Calls))
	for i, c := range w.Calls[:min(len(w.Calls), len(reply.Calls))] {
		problems = append(problems, r.compareCall(reply.Calls[i], c)...)
	}
	if !json.Valid(wire.ParseJSON(reply)) {
		problems = append(problems, "ParseJSON is no JSON")
	}
	if reply.Message != nil && !json.Valid(reply.Message) {
		problems = append(problems, "message to send back is no JSON")
	}
	return problems
}

func (r *recording) compareCall(got holdfast.Call, want expectedCall) (problems []string) {
	check := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			problems = append(problems, "call's "+what+" = "+quote(got)+", want "+quote(want))
		}
	}
	id := ""
	if want.ID != nil {
		id = *want.ID
	}
	check("id", got.ID, id)
	check("name", got.Name, want.Name)
	kind := holdfast.FunctionCall
	switch want.Kind {
	case "", "function":
	case "custom":
		kind = holdfast.CustomCall
	default:
		kind = holdfast.BuiltinCall
	}
	check("kind", got.Kind, kind)
	check("complete", got.Complete, want.Complete)
	check("namespace", got.Namespace, want.Namespace)
	if want.ProviderExecuted {
		check("provider executed", got.ProviderExecuted, true)
	}
	if want.ArgsRaw != nil {
		check("argument text", got.Arguments, *want.ArgsRaw)
	}
	if kind != holdfast.CustomCall && len(want.Args) > 0 {
		check("arguments", value(got.Arguments), value(string(want.Args)))
	}
	return problems
}

// value is JSON with its numbers' digits kept; nothing reads as an empty object.
func value(text string) any {
	if len(bytes.TrimSpace([]byte(text))) == 0 {
		return map[string]any{}
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "not JSON: " + text
	}
	return v
}

func quote(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(b) > 300 {
		b = append(b[:300:300], "…"...)
	}
	return string(b)
}
