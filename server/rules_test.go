package server

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/server/token"
)

// question opens an approval of a call of ana's, as the gate would.
func (v *served) question(args string) string {
	v.t.Helper()
	value, err := schema.Read([]byte(args), nil)
	if err != nil {
		v.t.Fatal(err)
	}
	canonical := value.Canonical()
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, uint64(len(canonical))), canonical...))
	e := ledger.Entry{
		Run: "asks", Turn: 1, Round: 1, Tool: "bank.pay", ToolDigest: "d1", Effect: holdfast.Write, Principal: ana,
		Arguments: json.RawMessage(args), ArgumentsDigest: hex.EncodeToString(sum[:]), Key: args,
	}
	_, a, err := v.ledger.OpenApproval(v.t.Context(), e, ledger.Approval{Digest: "bound", Why: "this tool always needs it"})
	if err != nil {
		v.t.Fatal(err)
	}
	return a.ID
}

func TestAlwaysSavesTheRuleThatWasShownAndNoOther(t *testing.T) {
	v := serve(t, "", nil)
	id := v.question(`{"to":"bob","cents":100}`)
	var shown struct {
		Words       []string
		Fingerprint string
	}
	v.want(http.StatusOK, "POST", "/v1/approvals/"+id+"/rule", `{"free":["cents"]}`).into(t, &shown)
	said := strings.Join(shown.Words, "\n")
	for _, want := range []string{"bank.pay runs for", `to == "bob"`, "cents is anything", "no other argument", "30 days"} {
		if !strings.Contains(said, want) {
			t.Errorf("the rule that is shown says\n%s\nwant %q in it", said, want)
		}
	}
	// Wider than shown: both free, for longer.
	for _, wider := range []string{`"free":["cents","to"]`, `"free":["cents"],"days":300`, `"free":["cents"],"everybody":true`} {
		a := v.want(http.StatusConflict, "POST", "/v1/approvals/"+id+"/always", `{"fingerprint":"`+shown.Fingerprint+`",`+wider+`}`)
		if a.field(t, "code") != "rule_not_shown" {
			t.Errorf("%s = %s, want it refused", wider, a.body)
		}
	}
	if got := v.list("/v1/rules", "rules", "rule_id"); len(got) != 0 {
		t.Errorf("rules = %v, want none: nothing that was shown was agreed to", got)
	}
	always := `{"fingerprint":"` + shown.Fingerprint + `","free":["cents"],"reason":"family"}`
	a := v.want(http.StatusOK, "POST", "/v1/approvals/"+id+"/always", always)
	if !strings.Contains(string(a.body), `"state":"approved"`) || !strings.Contains(string(a.body), `"saved_by":"ana"`) {
		t.Errorf("always = %s, want it approved, by who asked", a.body)
	}
	v.want(http.StatusOK, "POST", "/v1/approvals/"+id+"/always", always)
	v.want(http.StatusConflict, "POST", "/v1/approvals/"+id+"/rule", `{}`)
	rules := v.list("/v1/rules", "rules", "rule_id")
	if len(rules) != 1 {
		t.Fatalf("rules = %v, want one for one answer", rules)
	}
	a = v.want(http.StatusOK, "POST", "/v1/rules/"+rules[0]+"/revoke", `{}`)
	if a.field(t, "revoked_by") != "ana" {
		t.Errorf("revoked = %s, want by ana", a.body)
	}
}

func TestNoRuleCanBeMadeWhereItWouldNotHelp(t *testing.T) {
	v, _, id := parked(t) // the coach's own check asks
	a := v.want(http.StatusUnprocessableEntity, "POST", "/v1/approvals/"+id+"/rule", `{}`)
	if a.field(t, "code") != "no_rule" || !strings.Contains(string(a.body), "asks each time") {
		t.Errorf("a rule for what the tool's check asks = %s, want it refused with the reason", a.body)
	}
	id = v.question(`{"to":"bob"}`)
	for body, status := range map[string]int{
		`{"when":[{"path":"/to","op":"==","value":"eve"}]}`: http.StatusUnprocessableEntity,
		`{"when":[{"path":"/to","op":"~"}]}`:                http.StatusUnprocessableEntity,
		`{"days":1000}`:                                     http.StatusBadRequest,
		`{"days":-1}`:                                       http.StatusBadRequest,
		`{"forever":true}`:                                  http.StatusBadRequest,
	} {
		v.want(status, "POST", "/v1/approvals/"+id+"/rule", body)
	}
}

func TestRulesAreTheirPrincipalsAndWhoDecidesIsTheToken(t *testing.T) {
	v, ring := withTokens(t)
	id := v.question(`{"to":"bob"}`)
	mine := v.as(ring, ana, token.Approve, token.Read)
	boss := v.as(ring, leo, token.Approve, token.Read, token.Admin)
	other := v.as(ring, leo, token.Approve, token.Read)
	stranger := v.as(ring, bob, token.Approve, token.Read, token.Admin)

	other.want(http.StatusNotFound, "POST", "/v1/approvals/"+id+"/rule", `{}`)
	stranger.want(http.StatusNotFound, "POST", "/v1/approvals/"+id+"/rule", `{}`)
	mine.want(http.StatusForbidden, "POST", "/v1/approvals/"+id+"/rule", `{"everybody":true}`)
	shown := boss.want(http.StatusOK, "POST", "/v1/approvals/"+id+"/rule", `{"everybody":true}`).field(t, "fingerprint")
	a := boss.want(http.StatusOK, "POST", "/v1/approvals/"+id+"/always", `{"everybody":true,"fingerprint":"`+shown+`"}`)
	if !strings.Contains(string(a.body), `"saved_by":"leo"`) {
		t.Errorf("always = %s, want who decided to be the token's principal", a.body)
	}
	if got := mine.list("/v1/rules", "rules", "saved_by"); len(got) != 1 {
		t.Errorf("ana sees %v, want the rule for everybody of her tenant", got)
	}
	rule := boss.list("/v1/rules", "rules", "rule_id")[0]
	if got := stranger.list("/v1/rules", "rules", "rule_id"); len(got) != 0 {
		t.Errorf("another tenant sees %v", got)
	}
	stranger.want(http.StatusNotFound, "POST", "/v1/rules/"+rule+"/revoke", `{}`)
	mine.want(http.StatusNotFound, "POST", "/v1/rules/"+rule+"/revoke", `{}`)
	boss.want(http.StatusOK, "POST", "/v1/rules/"+rule+"/revoke", `{}`)
}
