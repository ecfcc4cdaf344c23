package ledger

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// TestEncoding fills rows at random and compares what is encoded by hand with
// encoding/json: a field that encode.go does not know is found here.
func TestEncoding(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		entry, event := new(storedEntry), new(storedEvent)
		fill(rng, reflect.ValueOf(entry).Elem())
		fill(rng, reflect.ValueOf(event).Elem())
		for _, row := range []interface {
			append(b []byte) ([]byte, error)
		}{entry, event} {
			want, err := appendJSON(nil, row)
			if err != nil {
				t.Fatalf("encoding/json of %+v: %v", row, err)
			}
			got, err := row.append(nil)
			if err != nil || string(got) != string(want) {
				t.Fatalf("row = %s, %v, want it as encoding/json has it:\n%s", got, err, want)
			}
		}
	}
}

var texts = []string{"", "plain", `q"uo\te`, "\n\t\x00\x1f\x7f", "año 日本 \U0001F600", "\u2028\u2029", "<&>", "\xff"}

// fill sets each field of v, or leaves it as it is.
func fill(rng *rand.Rand, v reflect.Value) {
	if rng.IntN(4) == 0 {
		return
	}
	switch at := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*at = json.RawMessage(pick(rng, `null`, `{ "a" : [1.0, "<\u2028>"] }`, `"año"`))
		return
	case *time.Time:
		*at = time.Unix(rng.Int64N(2e9), rng.Int64N(1e9)*int64(rng.IntN(2))).UTC()
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(pick(rng, texts...))
	case reflect.Int, reflect.Int64:
		v.SetInt(rng.Int64() - rng.Int64())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(rng.Uint64N(256))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), rng.IntN(3), 3))
		for i := range v.Len() {
			fill(rng, v.Index(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(rng, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(rng, v.Field(i))
		}
	default:
		panic("no filling for " + v.Type().String())
	}
}

func pick(rng *rand.Rand, list ...string) string { return list[rng.IntN(len(list))] }

func BenchmarkEncoding(b *testing.B) {
	e := &storedEntry{
		ID: newID(), Run: "run-1", Turn: 1, Round: 1, CallID: "call_1", Tool: "bank.pay", ToolDigest: "tool", Effect: "write", Tenant: "acme",
		Principal: "ana", Arguments: []byte(`{"to":"bob","cents":1250}`), ArgumentsDigest: digest(nil), Key: digest(nil), HasKey: true,
		State: "ok", Fence: 1, Owner: newID(), Outcome: &storedOutcome{Status: "ok"}, Proposed: time.Now(), Started: time.Now(), End: time.Now(),
	}
	for name, encode := range map[string]func() ([]byte, error){
		"by hand":       func() ([]byte, error) { return e.append(make([]byte, 0, rowRoom)) },
		"encoding/json": func() ([]byte, error) { return appendJSON(nil, e) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := encode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
