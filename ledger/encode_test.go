package ledger

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestEachFieldIsEncoded fails where a field was added to a row and not to its
// encoding.
func TestEachFieldIsEncoded(t *testing.T) {
	first := filler(func(int) int { return 0 })
	var whole storedEntry
	first.fill(reflect.ValueOf(&whole).Elem(), 2)
	sameAsEncodingJSON(t, &whole)
	sameAsEncodingJSON(t, &storedEntry{})

	eachField(first, func(field string, e *storedEntry) {
		t.Run("entry "+field, func(t *testing.T) { sameAsEncodingJSON(t, e) })
	})
	eachField(first, func(field string, o *storedOutcome) {
		t.Run("outcome "+field, func(t *testing.T) { sameAsEncodingJSON(t, &storedEntry{Outcome: o}) })
	})
	eachField(first, func(field string, r *storedResult) {
		t.Run("result "+field, func(t *testing.T) {
			sameAsEncodingJSON(t, &storedEntry{Outcome: &storedOutcome{Result: r}})
		})
	})
	eachField(first, func(field string, e *storedEvent) {
		e.Prev, e.Hash = "", "" // are not known yet
		t.Run("event "+field, func(t *testing.T) { sameEventAsEncodingJSON(t, e) })
	})
}

// TestRowsAreEncodedAsEncodingJSONDoes also where it refuses to.
func TestRowsAreEncodedAsEncodingJSONDoes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := filler(func(n int) int { // half of it the first, or hardly a row were without something that is refused
			return max(0, rapid.IntRange(-n, n-1).Draw(rt, "choice"))
		})
		var entry storedEntry
		f.fill(reflect.ValueOf(&entry).Elem(), 3)
		sameAsEncodingJSON(rt, &entry)

		var event storedEvent
		f.fill(reflect.ValueOf(&event).Elem(), 3)
		event.Prev, event.Hash = "", ""
		sameEventAsEncodingJSON(rt, &event)
	})
}

func FuzzAppendText(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := appendJSON(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendText([]byte("before"), s); string(got) != "before"+string(want) {
			t.Errorf("appendText(%q) = %s, want %s", s, got, want)
		}
	})
}

func FuzzEncodeArguments(f *testing.F) {
	for _, s := range values {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		sameAsEncodingJSON(t, &storedEntry{Arguments: b, Text: "text", Sealed: b, Outcome: &storedOutcome{Result: &storedResult{JSON: b}}})
	})
}

func sameAsEncodingJSON(t rapid.TB, e *storedEntry) {
	t.Helper()
	want, wantErr := appendJSON(nil, encodable(e))
	got, err := e.appendTo(nil)
	if wantErr != nil {
		if err == nil || err.Error() != wantErr.Error() {
			t.Fatalf("appendTo of %+v: error %v, want %v", e, err, wantErr)
		}
		return
	}
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("appendTo = %s, %v, want %s", got, err, want)
	}
}

func sameEventAsEncodingJSON(t rapid.TB, e *storedEvent) {
	t.Helper()
	want, wantErr := appendJSON(nil, e)
	got, err := e.appendTo(nil)
	if wantErr != nil {
		if err == nil || err.Error() != wantErr.Error() {
			t.Fatalf("appendTo of %+v: error %v, want %v", e, err, wantErr)
		}
		return
	}
	if whole := string(got) + `"prev":"","hash":""}`; err != nil || whole != string(want) {
		t.Fatalf("appendTo = %s, %v, want the beginning of %s", got, err, want)
	}
}

// encodable is e with what is not JSON kept as text.
func encodable(e *storedEntry) *storedEntry {
	fixed := *e
	if e.Arguments != nil && !json.Valid(e.Arguments) {
		fixed.Text, fixed.Arguments = valid(string(e.Arguments)), nil
	}
	if o := e.Outcome; o != nil && o.Result != nil && o.Result.JSON != nil && !json.Valid(o.Result.JSON) {
		outcome, result := *o, *o.Result
		result.Text, result.JSON = valid(string(result.JSON)), nil
		outcome.Result, fixed.Outcome = &result, &outcome
	}
	return &fixed
}

// eachField shows do a T for every field of it, with that field alone filled.
func eachField[T any](f filler, do func(field string, v *T)) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if field.IsExported() {
			v := new(T)
			f.fill(reflect.ValueOf(v).Elem().FieldByIndex(field.Index), 1)
			do(field.Name, v)
		}
	}
}

// What fields are filled with; the first of each is neither empty nor refused.
var (
	texts = []string{
		"started", "", "a\"b\\c", "línea 日本 😀", "tab\tline\n\r\b\f\x00\x1f\x7f", "<a&b>", "\u2028", "é\u2029é", "\xff", "é\xe2\x80", "\xed\xa0\x80",
		"\uFFFD", strings.Repeat("ab", 40),
	}
	values = []string{
		`{"a":1}`, "", " { \"a\" : [ 1 , 2.50 ] ,\n\t\"b c\" : \" <&> \" }\r\n", "\"\u2028\xff\"", "null", "-0.0e1", "{", `{"a":1}}`, "\xff", `"\u12"`,
	}
	times = []time.Time{
		time.Date(2024, 4, 11, 10, 0, 0, 120, time.UTC),
		{},
		time.Date(2024, 4, 11, 10, 0, 0, 0, time.FixedZone("", -5400)),
		time.Date(2024, 4, 11, 10, 0, 0, 0, time.FixedZone("", 25*3600)), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(-1, 1, 1, 0, 0, 0, 999_999_999, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	numbers = []int64{1, 0, -1, 1<<63 - 1, -1 << 63}
)

// filler fills fields with one of so many things that it chooses among.
type filler func(n int) int

// fill goes so many pointers and slices deep.
func (f filler) fill(v reflect.Value, deep int) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(times[f(len(times))]))
		return
	case json.RawMessage:
		if i := f(len(values) + 1); i < len(values) {
			v.SetBytes([]byte(values[i]))
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[f(len(texts))])
	case reflect.Int, reflect.Int64:
		v.SetInt(numbers[f(len(numbers))])
	case reflect.Bool:
		v.SetBool(f(2) == 0)
	case reflect.Uint8:
		v.SetUint(uint64(255 - f(256)))
	case reflect.Pointer:
		if deep > 0 && f(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), deep-1)
		}
	case reflect.Slice:
		n := []int{1, 0, 2, -1}[f(4)]
		if deep == 0 || n < 0 {
			return // nil
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.fill(v.Index(i), deep-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i), deep)
			}
		}
	default:
		panic("a row holds a " + v.Type().String())
	}
}

// BenchmarkEncodeEntry is what the body of a settled write's row costs.
func BenchmarkEncodeEntry(b *testing.B) {
	at := time.Date(2024, 4, 11, 10, 0, 0, 123456789, time.UTC)
	e := storedEntry{
		ID: "01hv5kz8p0abcdefghjkmnpqr", Run: "run-00000001-001", Turn: 1, Round: 1, CallID: "call_1", Tool: "bank.pay", ToolDigest: "tool",
		Effect: "write", Tenant: "acme", Principal: "ana", Arguments: json.RawMessage(`{"to":"bob","cents":1250}`),
		ArgumentsDigest: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", Key: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", HasKey: true, State: "ok", Stage: "record", Fence: 1,
		Owner: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", Outcome: &storedOutcome{Status: "ok", Result: &storedResult{JSON: json.RawMessage(`{"id":"tx_1"}`)}},
		Proposed: at, Started: at, End: at, Event: 12,
	}
	b.ReportAllocs()
	for b.Loop() {
		body := entryBody{storedEntry: e}
		if _, err := body.bytes(); err != nil {
			b.Fatal(err)
		}
	}
}
