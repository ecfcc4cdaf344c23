package rawjson

import "testing"

func TestFinishClosesWhatIsOpen(t *testing.T) {
	for cut, want := range map[string]struct{ whole, path string }{
		``:                           {``, ""},
		`{`:                          {`{}`, ""},
		`{"a`:                        {`{"a":null}`, ""},
		`{"a"`:                       {`{"a":null}`, ""},
		`{"a":`:                      {`{"a":null}`, "/a"},
		`{"a":"x`:                    {`{"a":"x"}`, "/a"},
		`{"a":"x\`:                   {`{"a":"x"}`, "/a"},
		`{"a":"x\u00`:                {`{"a":"x"}`, "/a"},
		`{"a":"x\\`:                  {`{"a":"x\\"}`, "/a"},
		"{\"a\":\"x\xc3":             {`{"a":"x"}`, "/a"},
		`{"a":tr`:                    {`{"a":true}`, "/a"},
		`{"a":-`:                     {`{"a":-0}`, "/a"},
		`{"a":1.`:                    {`{"a":1.0}`, "/a"},
		`{"a":12`:                    {`{"a":12}`, "/a"},
		`{"a":12}`:                   {`{"a":12}`, ""},
		`{"a":12 `:                   {`{"a":12 }`, ""},
		`{"a":1,`:                    {`{"a":1}`, ""},
		`{"a":1, "b`:                 {`{"a":1, "b":null}`, ""},
		`{"a":[1, 2`:                 {`{"a":[1, 2]}`, "/a/1"},
		`{"a":[1,`:                   {`{"a":[1,null]}`, "/a/1"},
		`{"a":[[],{"b/~":{"c":"x`:    {`{"a":[[],{"b/~":{"c":"x"}}]}`, "/a/1/b~1~0/c"},
		`{"a":[{"b":1},`:             {`{"a":[{"b":1},null]}`, "/a/1"},
		`{"a":{"b":1}`:               {`{"a":{"b":1}}`, "/a"},
		`{"a":"x"`:                   {`{"a":"x"}`, "/a"},
		`{"a":[]`:                    {`{"a":[]}`, "/a"},
		`{"a":[] `:                   {`{"a":[] }`, ""},
		`{"a":",`:                    {`{"a":","}`, "/a"},
		`{"a":no`:                    {`{"a":no}`, "/a"},
		`[{"\u0061":"b","\u0062":"c`: {`[{"\u0061":"b","\u0062":"c"}]`, "/0/b"},
	} {
		whole, path := Finish([]byte(cut))
		if string(whole) != want.whole || path != want.path {
			t.Errorf("Finish(%q) = %q at %q, want %q at %q", cut, whole, path, want.whole, want.path)
		}
	}
}

func FuzzFinish(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"x\n\u00e9"}, true, -1.5e3, null]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<10 {
			t.Skip()
		}
		whole := Valid(text)
		for i := range text {
			finished, _ := Finish(text[:i])
			if whole && i > 0 && !Valid(finished) && len(text[:i]) > 0 && Kind(text[:i]) != 0 {
				t.Fatalf("Finish(%q), of valid JSON, = %q, which is none", text[:i], finished)
			}
		}
	})
}
