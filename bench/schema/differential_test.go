package schemabench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/internal/shared"
	"github.com/holdfast-go/holdfast/schema"
)

// subject is one schema with the instances to judge by it.
type subject struct {
	name      string
	schema    string
	draft     schema.Draft
	mode      schema.Mode
	remotes   map[string][]byte
	instances []string
}

func realTools(t *testing.T) []subject {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(shared.Dir(t, "tools"), "real-tools.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []subject
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var tool struct {
			Name        string
			InputSchema json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &tool); err != nil {
			t.Fatal(err)
		}
		s := subject{name: tool.Name, schema: string(tool.InputSchema), draft: schema.Draft202012, mode: schema.ModeTool}
		if strings.Contains(s.schema, "draft-07/schema") {
			s.draft = schema.Draft7
		}
		out = append(out, s)
	}
	return out
}

func suite(t *testing.T) []subject {
	t.Helper()
	root := shared.Dir(t, "json-schema-test-suite")
	remotes := map[string][]byte{}
	err := filepath.WalkDir(filepath.Join(root, "remotes"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(filepath.Join(root, "remotes"), path)
		remotes["http://localhost:1234/"+filepath.ToSlash(rel)] = b
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []subject
	for folder, draft := range map[string]schema.Draft{"draft2020-12": schema.Draft202012, "draft7": schema.Draft7} {
		files, _ := filepath.Glob(filepath.Join(root, "tests", folder, "*.json"))
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var groups []struct {
				Description string
				Schema      json.RawMessage
				Tests       []struct{ Data json.RawMessage }
			}
			if err := json.Unmarshal(b, &groups); err != nil {
				t.Fatal(err)
			}
			for _, g := range groups {
				s := subject{
					name: folder + "/" + filepath.Base(file) + ": " + g.Description, schema: string(g.Schema),
					draft: draft, mode: schema.ModeSpec, remotes: remotes,
				}
				for _, c := range g.Tests {
					s.instances = append(s.instances, string(c.Data))
				}
				out = append(out, s)
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out
}

// strange are values that replace a part of an instance.
var strange = []string{
	`null`, `true`, `0`, `-1`, `1.0`, `1.5`, `1e2`, `100000`, `9007199254740993`, `""`, `"x"`, `"5"`, `"\u00e9\ud83d\ude00"`, `[]`, `{}`,
	`[1,1]`, `["a","b"]`, `{"a":1}`, `"2026-02-30"`, `"2026-02-28T10:00:00Z"`, `"a b"`, `false`, `[null]`, `{"type":"x"}`,
}

// mutate changes one place of an instance: a value, a name left out or added.
func mutate(r *rand.Rand, text string) string {
	v, err := schema.Read([]byte(text), nil)
	if err != nil {
		return text
	}
	return string(change(r, v))
}

func change(r *rand.Rand, v schema.Value) []byte {
	if v.Len() == 0 || r.IntN(4) == 0 {
		if v.Kind() == schema.Object && r.IntN(2) == 0 {
			raw := bytes.TrimSpace(v.Raw())
			sep := ","
			if v.Len() == 0 {
				sep = ""
			}
			return fmt.Appendf(nil, "%s%s%q:%s}", raw[:len(raw)-1], sep, fmt.Sprintf("extra%d", r.IntN(3)), strange[r.IntN(len(strange))])
		}
		return []byte(strange[r.IntN(len(strange))])
	}
	at := r.IntN(v.Len())
	drop := r.IntN(4) == 0
	var out [][]byte
	if v.Kind() == schema.Array {
		for i, e := range v.Elements() {
			switch {
			case i != at:
				out = append(out, e.Raw())
			case !drop:
				out = append(out, change(r, e))
			}
		}
		return append(append([]byte("["), bytes.Join(out, []byte(","))...), ']')
	}
	i := 0
	for name, e := range v.Members() {
		key, _ := json.Marshal(name)
		switch {
		case i != at:
			out = append(out, append(append(key, ':'), e.Raw()...))
		case !drop:
			out = append(out, append(append(key, ':'), change(r, e)...))
		}
		i++
	}
	return append(append([]byte("{"), bytes.Join(out, []byte(","))...), '}')
}

// fill adds generated instances: valid ones, ones with a fault, and changed ones.
func (s *subject) fill(compiled *schema.Schema, want int) {
	r := rand.New(rand.NewPCG(1, uint64(len(s.schema))))
	for seed := uint64(0); len(s.instances) < want && seed < uint64(want); seed++ {
		if in, err := compiled.Generate(seed); err == nil {
			s.instances = append(s.instances, string(in.JSON))
		}
		if in, err := compiled.GenerateFaulty(seed); err == nil {
			s.instances = append(s.instances, string(in.JSON))
		}
		if n := len(s.instances); n > 0 {
			s.instances = append(s.instances, mutate(r, s.instances[r.IntN(n)]))
		}
	}
	if s.mode == schema.ModeTool {
		// The root of a tool's arguments is an object, whatever the schema says.
		keep := s.instances[:0]
		for _, text := range s.instances {
			if strings.HasPrefix(strings.TrimSpace(text), "{") {
				keep = append(keep, text)
			}
		}
		s.instances = keep
	}
}

// TestDifferential judges 20,000 pairs of schema and instance by three engines.
// Where they disagree, the reason must be one of the list in explained.go.
func TestDifferential(t *testing.T) {
	node := startAjv(t)
	subjects := append(realTools(t), suite(t)...)
	node.ask(t, map[string]any{"op": "remotes", "remotes": textRemotes(subjects[len(subjects)-1].remotes)}, nil)
	pairs, agreed := 0, 0
	reasons := map[string]int{}
	for _, s := range subjects {
		ours, err := schema.Compile([]byte(s.schema), &schema.Options{Draft: s.draft, Mode: s.mode, Remotes: s.remotes})
		theirs, terr := compileSanthosh(s.schema, string(s.draft), s.mode == schema.ModeTool, s.remotes)
		if err != nil {
			if terr == nil && node.verdicts(t, s.schema, string(s.draft), s.mode == schema.ModeTool, s.remotes != nil, []string{}) != nil {
				t.Errorf("%s: both others compile it: %v", s.name, err)
			}
			continue
		}
		want := 15
		if s.mode == schema.ModeTool {
			want = 55
		}
		s.fill(ours, want)
		ajv := node.verdicts(t, s.schema, string(s.draft), s.mode == schema.ModeTool, s.remotes != nil, s.instances)
		for i, text := range s.instances {
			v, err := schema.Read([]byte(text), nil)
			if err != nil {
				continue
			}
			pairs++
			d := disagreement{subject: s, instance: text, report: ours.Validate(v)}
			d.ours = d.report.Valid()
			if terr == nil {
				d.santhosh = verdictSanthosh(theirs, text)
			}
			if ajv != nil {
				d.ajv = &ajv[i]
			}
			if d.none() {
				agreed++
				continue
			}
			why := d.explain()
			reasons[why]++
			switch {
			case d.bothAgainst():
				t.Errorf("both others are against us: %s", d.text())
			case why == "":
				t.Errorf("unexplained: %s", d.text())
			}
		}
	}
	t.Logf("%d pairs, %d agreed by all, explained: %v", pairs, agreed, reasons)
	if pairs < 20_000 {
		t.Errorf("%d pairs, want at least 20,000", pairs)
	}
}

func textRemotes(m map[string][]byte) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = string(v)
	}
	return out
}

func (d *disagreement) text() string {
	var src bytes.Buffer
	_ = json.Compact(&src, []byte(d.schema))
	return fmt.Sprintf("ours %v, santhosh %s, Ajv %s: %s\n  schema %.400s\n  instance %.300s\n  %v",
		d.ours, show(d.santhosh), show(d.ajv), d.name, src.Bytes(), d.instance, d.report.Problems)
}

func show(b *bool) string {
	if b == nil {
		return "no verdict"
	}
	return fmt.Sprint(*b)
}
