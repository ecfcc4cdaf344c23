package schema

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/holdfast-go/holdfast/internal/shared"
)

type realTool struct {
	Name        string
	InputSchema json.RawMessage
	Kind        string
}

func realTools(t testing.TB) []realTool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(shared.Dir(t, "tools"), "real-tools.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var tools []realTool
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var x realTool
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		tools = append(tools, x)
	}
	return tools
}

func TestRealToolsCompileOrAreRefusedWithAFix(t *testing.T) {
	compiled, refused := 0, 0
	for _, tool := range realTools(t) {
		_, err := Compile(tool.InputSchema, nil)
		if err == nil {
			compiled++
			continue
		}
		refused++
		ce, ok := err.(*CompileError)
		if !ok {
			t.Fatalf("Compile(%s) = %T, want *CompileError", tool.Name, err)
		}
		for _, f := range ce.Faults {
			if f.Fix == "" || f.Keyword == "" {
				t.Errorf("Compile(%s): fault %+v, want a keyword and a fix", tool.Name, f)
			}
		}
		t.Logf("%s (%s): %v", tool.Name, tool.Kind, err)
	}
	if compiled != 263 || refused != 37 {
		t.Errorf("compiled %d and refused %d, want 263 and 37", compiled, refused)
	}
}
