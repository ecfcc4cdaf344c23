package schemabench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ajv is a running node process.
type ajv struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// startAjv skips the test where node or its packages are absent, unless
// HOLDFAST_REQUIRE_SHARED=1 makes that a failure.
func startAjv(t testing.TB) *ajv {
	t.Helper()
	missing := func(what string) {
		if os.Getenv("HOLDFAST_REQUIRE_SHARED") == "1" {
			t.Fatalf("%s and HOLDFAST_REQUIRE_SHARED=1", what)
		}
		t.Skipf("skipped: %s", what)
	}
	if _, err := exec.LookPath("node"); err != nil {
		missing("node is not installed")
	}
	if _, err := os.Stat("node/node_modules/ajv"); err != nil {
		missing("Ajv is not installed (npm ci in bench/schema/node)")
	}
	cmd := exec.Command("node", "node/oracle.mjs")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	return &ajv{in, bufio.NewReaderSize(out, 1<<20)}
}

func (a *ajv) ask(t testing.TB, question map[string]any, answer any) {
	t.Helper()
	b, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.in.Write(append(b, '\n')); err != nil {
		t.Fatal(err)
	}
	line, err := a.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("node ended: %v", err)
	}
	if answer != nil {
		if err := json.Unmarshal(line, answer); err != nil {
			t.Fatal(err)
		}
	}
}

// verdicts of Ajv, or nil where it does not compile the schema.
func (a *ajv) verdicts(t testing.TB, schema, draft string, formats, remotes bool, instances []string) []bool {
	var answer struct{ Valid []bool }
	a.ask(t, map[string]any{
		"op": "verdicts", "schema": schema, "draft": draft, "formats": formats, "fresh": remotes, "instances": instances,
	}, &answer)
	return answer.Valid
}

// loader gives the suite's remote documents to santhosh.
type loader map[string][]byte

func (l loader) Load(url string) (any, error) {
	b, ok := l[url]
	if !ok {
		return nil, fmt.Errorf("no document %s", url)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(b))
}

// compileSanthosh compiles a schema with the other Go engine.
func compileSanthosh(schema, draft string, formats bool, remotes map[string][]byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(loader(remotes))
	c.DefaultDraft(map[string]*jsonschema.Draft{
		"2020-12": jsonschema.Draft2020, "2019-09": jsonschema.Draft2019, "7": jsonschema.Draft7, "6": jsonschema.Draft6, "4": jsonschema.Draft4,
	}[draft])
	if formats {
		c.AssertFormat()
	}
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("mem:///schema.json")
}

// verdictSanthosh is nil where it panics.
func verdictSanthosh(s *jsonschema.Schema, instance string) (valid *bool) {
	defer func() { _ = recover() }()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(instance))
	if err != nil {
		return nil
	}
	ok := s.Validate(v) == nil
	return &ok
}
