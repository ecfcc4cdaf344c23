package catalogfile

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// FuzzParse: no text makes the reader panic; one that it takes gives a catalog
// with tools, and whatever is read as a value is JSON again.
func FuzzParse(f *testing.F) {
	travel, err := os.ReadFile(filepath.Join("..", "examples", "travel.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(travel, false)
	f.Add([]byte(yamlRun("[1, 2.50, null, ~, 'a', \"b\\n\"]")), false)
	f.Add([]byte(`{"tools":[{"name":"t","description":"d","effect":"read","timeout":"1s","input":{},"run":{"static":1e400}}]}`), true)
	f.Add([]byte("a: &x [*x]\n? {b: c}\n: |\n  d\n"), false)
	f.Add([]byte("tools: 1\ncatalog: [\n"), false)
	f.Fuzz(func(t *testing.T, src []byte, isJSON bool) {
		if len(src) > 16<<10 {
			return
		}
		name := "a.yaml"
		if isJSON {
			name = "a.json"
		}
		c, err := Parse(name, src, nil)
		if (err == nil) != (c != nil && len(c.Tools()) > 0) {
			t.Errorf("Parse = %v, %v", c, err)
		}
		b := &builder{file: name}
		n := b.read(name, src)
		if n == nil {
			return
		}
		if text := n.JSON(); !json.Valid(text) {
			t.Errorf("node of %q is written as %q, which is not JSON", src, text)
		} else if again := b.read("a.json", text); len(b.faults) == 0 && !bytes.Equal(again.JSON(), text) {
			t.Errorf("%q read again is %q", text, again.JSON())
		}
	})
}
