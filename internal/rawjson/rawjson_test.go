package rawjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/internal/rawjson"
)

func TestWalkersSeeMembersInOrderAndLastOfTwoWins(t *testing.T) {
	raw := []byte(` { "a" : 1 , "b\u0063":[ "x" , {"y":"]}\"" } ], "a":"two", "e":{} } `)
	if !rawjson.Valid(raw) {
		t.Fatalf("Valid(%s) = false, want true", raw)
	}
	var names strings.Builder
	for n, v := range rawjson.Members(raw) {
		names.WriteString(string(n) + "=" + string(v) + ";")
	}
	if want := `a=1;bc=[ "x" , {"y":"]}\"" } ];a="two";e={};`; names.String() != want {
		t.Errorf("Members = %s, want %s", names.String(), want)
	}
	if got := rawjson.String(rawjson.Member(raw, "a")); got != "two" {
		t.Errorf("Member(a) = %q, want two", got)
	}
	n := 0
	for range rawjson.Elements(rawjson.Member(raw, "bc")) {
		n++
	}
	if n != 2 {
		t.Errorf("Elements = %d, want 2", n)
	}
}

func TestSurrogateHalvesOfTwoStringsJoin(t *testing.T) {
	text := rawjson.AppendString(nil, []byte(`"a\ud83d"`))
	text = rawjson.AppendString(text, []byte(`"\ude00b"`))
	if string(text) != "a😀b" {
		t.Errorf("joined = %q, want a😀b", text)
	}
	if alone := rawjson.AppendString(nil, []byte(`"\ude00"`)); json.Valid(append(append([]byte(`"`), alone...), '"')) && string(alone) == "😀" {
		t.Errorf("lone half = %q, want invalid UTF-8", alone)
	}
}

func FuzzValid(f *testing.F) {
	for _, s := range []string{`{}`, `[1,2,{"a":null}]`, `"\ud83d\ude00"`, `-0.5e+10`, ` true `, `{"a":1,"a":2}`, `01`, `[1,]`, "\"\x01\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		valid := rawjson.Valid(raw)
		if std := json.Valid(raw); std != valid {
			t.Fatalf("Valid(%q) = %v, want %v", raw, valid, std)
		}
		for _, v := range rawjson.Members(raw) {
			_ = rawjson.String(v)
			_, _ = rawjson.Int(v)
		}
		for range rawjson.Elements(raw) {
			continue
		}
		if valid && rawjson.Kind(raw) == '"' {
			var want string
			if err := json.Unmarshal(raw, &want); err == nil {
				got := rawjson.String(raw)
				if again, err := json.Marshal(got); err == nil {
					var back string
					if err := json.Unmarshal(again, &back); err != nil {
						t.Fatalf("String(%q) = %q", raw, got)
					}
				}
			}
		}
	})
}

func TestCleanReplacesOnlyLoneHalves(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"nothing to do", `{"d":"a\ud83d\ude00"}`, `{"d":"a\ud83d\ude00"}`},
		{"lone high half", `{"d":"a\ud99cb"}`, `{"d":"a�b"}`},
		{"lone low half", `{"d":"\udc00"}`, `{"d":"�"}`},
		{"two high halves", `["\ud83d\ud83d\ude00"]`, `["�\ud83d\ude00"]`},
		{"escaped backslash", `["\\ud800"]`, `["\\ud800"]`},
		{"bytes that are not UTF-8", "[\"\xff\"]", "[\"\uFFFD\"]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := rawjson.Clean([]byte(c.raw))
			if string(got) != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.raw, got, c.want)
			}
			if !rawjson.Sendable(got) {
				t.Errorf("Sendable(%q) = false, want true", got)
			}
		})
	}
}

func TestSetKeepsPlaceAndOtherMembers(t *testing.T) {
	raw := []byte(`{"type":"text", "text":"", "x":[1, 2]}`)
	if got, want := string(rawjson.Set(raw, "text", []byte(`"hi"`))), `{"type":"text","text":"hi","x":[1, 2]}`; got != want {
		t.Errorf("Set = %s, want %s", got, want)
	}
	if got, want := string(rawjson.Drop(raw, "text")), `{"type":"text","x":[1, 2]}`; got != want {
		t.Errorf("Drop = %s, want %s", got, want)
	}
	if got, want := string(rawjson.AppendQuoted(nil, []byte("\xed\xa0\x80\"\x01é"))), "\"\uFFFD\\\"\\u0001é\""; got != want {
		t.Errorf("AppendQuoted = %s, want %s", got, want)
	}
}
