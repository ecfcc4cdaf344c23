package wiretest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/internal/shared"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
)

// testRealTools encodes every real tool that compiles: the schema that is sent
// compiles too, and what was left out of it names its tool.
func testRealTools(t *testing.T, o Options) {
	b, err := os.ReadFile(filepath.Join(shared.Dir(t, "tools"), "real-tools.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	tools, strict, adapted := 0, 0, 0
	for line := range bytes.Lines(b) {
		var x struct {
			Name        string
			InputSchema json.RawMessage
		}
		if err := json.Unmarshal(line, &x); err != nil {
			t.Fatal(err)
		}
		s, err := schema.Compile(x.InputSchema, nil)
		if err != nil {
			continue
		}
		tools++
		handler := func(context.Context, schema.Value) (holdfast.Result, error) { return holdfast.Result{}, nil }
		tool, err := holdfast.NewTool(fmt.Sprintf("tool_%d", tools), "Does something.", s, holdfast.Read, time.Second, handler, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := holdfast.NewCatalog("real", tool)
		if err != nil {
			t.Fatal(err)
		}
		set, err := o.Codec.Tools(c, &wire.ToolOptions{Strict: true})
		if err != nil {
			t.Errorf("Tools(%s) = %v", x.Name, err)
			continue
		}
		if sent := sentSchema(set.Tools[0]); sent == nil {
			t.Errorf("Tools(%s) sends no schema: %s", x.Name, set.Tools[0])
		} else if _, err := schema.Compile(sent, nil); err != nil {
			t.Errorf("Tools(%s) sends a schema that does not compile: %v", x.Name, err)
		}
		for _, a := range set.Adapted {
			if a.Tool != "real."+tool.Name() || a.Keyword == "" || a.Why == "" {
				t.Errorf("Tools(%s) adapted %+v", x.Name, a)
			}
		}
		adapted += min(1, len(set.Adapted))
		if bytes.Contains(set.Tools[0], []byte(`"strict":true`)) {
			strict++
		}
	}
	t.Logf("%s: %d real tools encode, %d of them adapted, %d strict as they stand", o.Codec.API(), tools, adapted, strict)
}

// sentSchema finds the schema within one element of the list.
func sentSchema(raw []byte) []byte {
	for name, v := range rawjson.Members(raw) {
		switch string(name) {
		case "parameters", "parametersJsonSchema", "input_schema":
			return v
		case "json":
			return v
		}
		if found := sentSchema(v); found != nil {
			return found
		}
	}
	for _, v := range rawjson.Elements(raw) {
		if found := sentSchema(v); found != nil {
			return found
		}
	}
	return nil
}
