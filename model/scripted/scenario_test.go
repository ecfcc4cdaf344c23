package scripted

import (
	"strings"
	"testing"
)

const kitchen = `
scenario: kitchen
hints: ['What is in the fridge?']
pace: 0s
rules:
  - name: look
    when: {message: '(?i)in the (?P<place>fridge|pantry)'}
    calls:
      - {name: list_food, arguments: {place: "{{.Group.place}}", limit: 9007199254740993, note: 'a "quoted" {{json .Message}}'}}
      - {name: list_food, id: '', arguments: '{"place": {{json .Message}}'}
      - {name: list_food, id: same}
  - when: {after: [list_food], outcome: ok}
    say: "I see {{range $i, $f := .Result.foods}}{{if $i}}, {{end}}{{$f.name}}{{end}}."
  - when: {message: story}
    replies:
      - {calls: [{name: tell}], stop: stop}
      - {say: done, usage: {input: 3, output: 4}}
  - when: {message: busy, times: 1}
    error: {status: 429, code: rate_limit, message: slow down, retry_after: "1"}
`

func TestParse_reads_every_field(t *testing.T) {
	s, err := Parse([]byte(kitchen))
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	if len(s.rules) != 4 || s.Name() != "kitchen" || len(s.Hints()) != 1 {
		t.Fatalf("Parse = %d rules, name %q, hints %v", len(s.rules), s.Name(), s.Hints())
	}
	calls := s.rules[0].replies[0].calls
	sc := &scene{Message: `in the "fridge"`, Group: map[string]string{"place": "fridge"}}
	got, err := calls[0].arguments.expand(sc)
	want := `{"place": "fridge", "limit": 9007199254740993, "note": "a \"quoted\" \"in the \\\"fridge\\\"\""}`
	if err != nil || got != want {
		t.Errorf("arguments = %s, %v, want %s", got, err, want)
	}
	if got, _ := calls[1].arguments.expand(sc); got != `{"place": "in the \"fridge\""` {
		t.Errorf("raw arguments = %s", got)
	}
	if calls[0].id != nil || calls[1].id == nil || *calls[1].id != "" || *calls[2].id != "same" {
		t.Errorf("ids = %v %v %v", calls[0].id, calls[1].id, calls[2].id)
	}
}

func TestParse_refuses_what_it_does_not_know(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown field":      {"scenario: x\nrulez: []", "rulez"},
		"no name":            {"rules: []", "no name"},
		"unknown stop":       {"scenario: x\nrules: [{stop: halt}]", "halt"},
		"bad pattern":        {"scenario: x\nrules: [{when: {message: '('}}]", "message"},
		"bad template":       {"scenario: x\nrules: [{say: '{{'}]", "say"},
		"outcome alone":      {"scenario: x\nrules: [{when: {outcome: ok}}]", "after"},
		"replies and a text": {"scenario: x\nrules: [{say: a, replies: [{say: b}]}]", "not both"},
		"list arguments":     {"scenario: x\nrules: [{calls: [{name: a, arguments: [1]}]}]", "mapping"},
	} {
		if _, err := Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Parse = %v, want an error about %q", name, err, c.want)
		}
	}
}
