package policy_test

import (
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/policy"
	"github.com/holdfast-go/holdfast/schema"
)

// FuzzParse: no text breaks the reader, and a policy that was read decides any
// call without an error, never permitting one that it has no rule for.
func FuzzParse(f *testing.F) {
	f.Add(bank, `{"to":"bob","amount":5}`)
	f.Add(`{"rules":[{"name":"a","decision":"deny","tools":"*","when":[{"path":"/*/x","op":"like","value":"*"}]}]}`, `{"a":[{"x":"y"}]}`)
	f.Add("rules:\n  - {name: a, decision: allow, tools: '*', when: [{path: '', op: in, value: [1e400]}]}\n", `{}`)
	f.Fuzz(func(t *testing.T, text, args string) {
		p, err := policy.Parse("p.yaml", []byte(text))
		if err != nil {
			return
		}
		v, err := schema.Read([]byte(args), nil)
		if err != nil {
			return
		}
		r, err := p.Authorize(t.Context(), gate.Proposal{Tool: tool(t, "pay", holdfast.Write, nil), Name: "bank.pay", Arguments: v, Principal: ana})
		if err != nil || r.Rule == "" || r.Allow && r.Rule == policy.Default {
			t.Errorf("ruling = %+v, %v", r, err)
		}
		if len(p.Words()) == 0 {
			t.Error("a policy has no words")
		}
	})
}
