package rawjson

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestObjectReadsMembersAndSkipsTheRest(t *testing.T) {
	c := NewCursor([]byte(` {"a":1,"skipped":[{"x":[null,true,-1.5e3]}],"b":"\u00e9\n","n":null,"o":{"k":"v"},"l":[1,"2",3]} `))
	var a int64
	var b, k string
	var n []byte
	var l []int64
	ok := c.Object(func(key []byte) {
		switch string(key) {
		case "a":
			a, _ = c.Int()
		case "b":
			b = c.Text()
		case "n":
			n = c.Bytes()
		case "o":
			c.Object(func([]byte) { k = c.Text() })
		case "l":
			c.Array(func(int) {
				if i, ok := c.Int(); ok {
					l = append(l, i)
				}
			})
		}
	})
	if !ok || !c.Done() || a != 1 || b != "é\n" || k != "v" || n != nil || len(l) != 2 {
		t.Errorf("Object read ok=%v a=%d b=%q k=%q n=%q l=%v", ok, a, b, k, n, l)
	}
}

func TestASurrogatePairSplitOverFragmentsIsOneCharacter(t *testing.T) {
	for _, halves := range [][2]string{{`"a\ud83d"`, `"\ude00b"`}, {`"a\uD83D\uDE00"`, `"b"`}, {`"a"`, `"😀b"`}} {
		var joined []byte
		for _, h := range halves {
			joined = join(joined, NewCursor([]byte(h)).Bytes())
		}
		if got := string(joined); got != "a😀b" {
			t.Errorf("join(%s, %s) = %q, want %q", halves[0], halves[1], got, "a😀b")
		}
	}
}

func TestALoneSurrogateIsKeptApartAndMadeValidOnce(t *testing.T) {
	b := NewCursor([]byte(`"x\ud83dy"`)).Bytes()
	if utf8.Valid(b) || Text(b) != "x\uFFFDy" {
		t.Errorf("lone surrogate read as %q, made valid %q", b, Text(b))
	}
}

func FuzzAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e-3,true,false,null,"x\u00e9\ud83d\ude00"]}`, `[`, `"\x"`, `01`, `{"a":}`, `-`, `[1,]`, " 1 "} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := NewCursor(b)
		c.Skip()
		if got, want := c.Done(), json.Valid(b); got != want {
			t.Errorf("%q read as one value: %v, want %v", b, got, want)
		}
		var want string
		if utf8.Valid(b) && json.Unmarshal(b, &want) == nil && c.Kind() != 'n' {
			if got := NewCursor(b).Text(); got != want && string(b) != "null" {
				t.Errorf("text of %q = %q, want %q", b, got, want)
			}
		}
	})
}
