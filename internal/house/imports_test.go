package house

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// rule says what a package may import. Patterns are paths from the module's
// root; "x/*" is every package below x, "." the root package.
type rule struct {
	of      string
	module  []string // of this module; internal/* is open to all
	modules []string // other modules; nil: none, "any": an adapter's own
}

// rules is the table of docs/ARCHITECTURE.md. The first that matches holds.
var rules = []rule{
	{"internal/*", nil, []string{"any"}},
	{"schema", nil, []string{"github.com/go-json-experiment/json", "github.com/dlclark/regexp2/v2", "golang.org/x/net/idna"}},
	{"schema/*", []string{"schema"}, nil},
	{"grammar/tokenizer", nil, []string{"github.com/go-json-experiment/json", "golang.org/x/text/unicode/norm"}},
	{"grammar", []string{"schema", "grammar/tokenizer"}, nil},
	{".", []string{"schema"}, nil},
	{"wire/wiretest", []string{".", "schema", "wire"}, []string{"any"}},
	{"wire", []string{".", "schema"}, []string{"github.com/go-json-experiment/json"}},
	{"wire/*", []string{".", "schema", "wire", "wire/internal/*"}, []string{"github.com/go-json-experiment/json"}},
	{"ledger/ledgertest", []string{".", "schema", "rule", "ledger"}, []string{"any"}},
	{"ledger", []string{".", "schema", "rule"}, nil},
	{"ledger/*", []string{".", "ledger"}, []string{"any"}},
	{"gate", []string{".", "schema", "rule", "ledger"}, nil},
	{"gate/edit", []string{".", "schema", "gate", "ledger"}, nil},
	{"rule", []string{".", "schema"}, nil},
	{"policy", []string{".", "schema", "rule", "gate", "ledger"}, nil},
	{"model", []string{".", "wire"}, nil},
	{"model/llamacpp", []string{".", "schema", "wire", "wire/*", "grammar", "grammar/tokenizer"}, []string{"any"}},
	{"model/*", []string{".", "wire", "wire/*", "model"}, []string{"any"}},
	{"agent", []string{".", "schema", "wire", "gate"}, nil},
	{"sandbox/sandboxtest", []string{".", "schema", "sandbox"}, nil},
	{"sandbox", []string{".", "schema"}, nil},
	{"sandbox/*", []string{".", "schema", "sandbox"}, []string{"any"}},
	{"catalogfile", []string{".", "schema", "rule", "policy", "gate", "sandbox", "sandbox/*"}, []string{"any"}},
	{"telemetry/otlp", nil, []string{"any"}},
	{"telemetry", []string{".", "wire", "gate", "ledger", "agent"}, []string{"any"}},
	{"server/console", nil, nil},
	{"server/token", []string{"."}, nil},
	{"server", []string{".", "schema", "wire", "rule", "policy", "gate", "gate/edit", "ledger", "agent", "server/token"}, nil},
	{"cmd/*", []string{"any"}, []string{"any"}},
	{"examples/*", []string{"any"}, []string{"any"}},
}

func TestImportsFollowTheTable(t *testing.T) {
	for _, p := range packages(t) {
		r, ok := ruleOf(p.path)
		if !ok {
			t.Errorf("package %s has no rule: add its row to this table and to docs/ARCHITECTURE.md", p.path)
			continue
		}
		for imported, file := range p.imports {
			if err := r.check(imported); err != nil {
				t.Errorf("%s: package %s %v", file, p.path, err)
			}
		}
	}
}

// TestRulesWouldBreak shows that the check can fail.
func TestRulesWouldBreak(t *testing.T) {
	for _, row := range []struct{ of, imported string }{
		{"schema", module},
		{"wire/openai", module + "/wire/anthropic"},
		{"wire", "net/http/httptest"},
		{"gate", module + "/wire"},
		{"agent", module + "/ledger"},
		{"ledger/sqlite", module + "/gate"},
		{".", "github.com/spf13/cobra"},
	} {
		r, _ := ruleOf(row.of)
		if r.check(row.imported) == nil {
			t.Errorf("%s importing %s passed, want a broken rule", row.of, row.imported)
		}
	}
}

func ruleOf(p string) (rule, bool) {
	i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.of, p) })
	if i < 0 {
		return rule{}, false
	}
	return rules[i], true
}

func matches(pattern, p string) bool {
	if pattern == "any" || pattern == p {
		return true
	}
	below, ok := strings.CutSuffix(pattern, "/*")
	return ok && strings.HasPrefix(p, below+"/")
}

func (r rule) check(imported string) error {
	if imported == module || strings.HasPrefix(imported, module+"/") {
		p := strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
		if p == "" {
			p = "."
		}
		if matches("internal/*", p) || slices.ContainsFunc(r.module, func(pattern string) bool { return matches(pattern, p) }) {
			return nil
		}
		return fmt.Errorf("imports %s; %s may import of this module only %v and internal/*", p, r.of, r.module)
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return r.checkStandard(imported)
	}
	for _, m := range r.modules {
		if m == "any" || imported == m || strings.HasPrefix(imported, m+"/") {
			return nil
		}
	}
	return fmt.Errorf("imports %s; %s may import of other modules only %v", imported, r.of, r.modules)
}

// pure packages take bytes and give values: no network, no files.
var pure = []string{"schema", "grammar", "grammar/tokenizer", "wire", "wire/*", "."}

// checkStandard keeps the pure packages off the network and the disk. Of
// net/http a codec may use the names of headers.
func (r rule) checkStandard(imported string) error {
	if !slices.ContainsFunc(pure, func(p string) bool { return matches(p, r.of) }) || r.of == "wire/wiretest" {
		return nil
	}
	if slices.Contains([]string{"net", "os", "os/exec", "syscall", "net/http/httptest", "database/sql", "plugin", "unsafe", "C"}, imported) {
		return fmt.Errorf("imports %s; %s is pure: no network, no files", path.Base(imported), r.of)
	}
	return nil
}
