package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/schema"
)

// checkFlags are what check was asked.
type checkFlags struct {
	schema, draft, mode, remotes, batch string
	coerce                              bool
}

// checked is the result of one instance. The names are fixed.
type checked struct {
	Valid    bool              `json:"valid"`
	Problems []schema.Problem  `json:"problems"`
	Warnings []schema.Problem  `json:"warnings"`
	Coerced  []schema.Coercion `json:"coerced"`
	Value    json.RawMessage   `json:"value"` // after coercion; null where the text is unreadable
}

// uncompiled is the result where the schema does not compile.
type uncompiled struct {
	Valid  *bool          `json:"valid"` // null: not known
	Error  schema.Fault   `json:"error"`
	Faults []schema.Fault `json:"faults"`
}

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check --schema S FILE | --batch FILE",
		Short: "Check a JSON document against a schema as the gate would",
		Long: `Check reads FILE strictly and lists everything in it that the schema S refuses.

In mode tool (the default) formats and content are asserted and the schema must
describe an object, as for a tool's arguments; mode spec is the JSON Schema
specification's own meaning. With --coerce, "5" is read as 5 where the schema
says integer, and the like, and every change is listed.

With --batch, each line of FILE is one JSON object {"id","schema","draft","mode",
"instances":[…]} (or "instances_text":["…"] for raw text) and each line of the
output holds the results in order.`,
		Example: `  holdfast check --schema measurement.json args.json
  echo '{"weight_kg":"75,5"}' | holdfast check --schema measurement.json --json -
  holdfast check --batch cases.jsonl`,
		Args: words(0, 1),
		RunE: a.do(func(_ *cobra.Command, args []string) error { return a.check(f, args) }),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.schema, "schema", "", "file with the schema")
	flags.StringVar(&f.draft, "draft", "", "2020-12, 2019-09, 7, 6 or 4 (default: what $schema says, else 2020-12)")
	flags.StringVar(&f.mode, "mode", "tool", "tool or spec")
	flags.BoolVar(&f.coerce, "coerce", false, "read what can be read in one way only, and list the changes")
	flags.StringVar(&f.remotes, "remotes", "", "folder that stands for http://localhost:1234/")
	flags.StringVar(&f.batch, "batch", "", "file with one JSON object a line")
	fixedCompletion(cmd, "mode", "tool", "spec")
	fixedCompletion(cmd, "draft", "2020-12", "2019-09", "7", "6", "4")
	return cmd
}

func (a *app) check(f checkFlags, args []string) error {
	opts, err := schemaOptions(f.draft, f.mode)
	if err != nil {
		return misused(err)
	}
	if opts.Remotes, err = readRemotes(f.remotes); err != nil {
		return err
	}
	if f.batch != "" {
		if len(args) > 0 || f.schema != "" {
			return misused(errors.New("check --batch takes its schemas and instances from the batch: give no FILE and no --schema"))
		}
		return a.checkBatch(f, opts.Remotes)
	}
	if f.schema == "" || len(args) != 1 {
		return misused(errors.New("check needs --schema S and one FILE, or --batch FILE"))
	}
	return a.checkOne(f, args[0], opts)
}

func (a *app) checkOne(f checkFlags, file string, opts *schema.Options) error {
	if f.schema == "-" && file == "-" {
		return misused(errors.New("only one of --schema and FILE can be standard input"))
	}
	src, err := a.readFile(f.schema)
	if err != nil {
		return err
	}
	s, err := schema.Compile(src, opts)
	if c := (*schema.CompileError)(nil); errors.As(err, &c) && len(c.Faults) > 0 {
		return a.showUncompiled(f.schema, c)
	}
	if err != nil {
		return err
	}
	text, err := a.readFile(file)
	if err != nil {
		return err
	}
	result := checkText(s, text, f.coerce)
	if err := a.showChecked(result); err != nil {
		return err
	}
	if !result.Valid {
		return errFindings
	}
	return nil
}

// checkText reads and validates one document.
func checkText(s *schema.Schema, text []byte, coerce bool) checked {
	v, err := schema.Read(text, nil)
	if err != nil {
		return checked{Problems: []schema.Problem{unreadable(err)}, Warnings: list[schema.Problem](nil), Coerced: list[schema.Coercion](nil)}
	}
	var coerced []schema.Coercion
	if coerce {
		v, coerced = s.Coerce(v)
	}
	r := s.Validate(v)
	return checked{Valid: r.Valid(), Problems: list(r.Problems), Warnings: list(r.Warnings), Coerced: list(coerced), Value: v.Raw()}
}

// unreadable is a read error as a problem of the document.
func unreadable(err error) schema.Problem {
	p := schema.Problem{Keyword: "json", Expected: "one JSON value", Got: "text that is none", Message: err.Error()}
	if r := (*schema.ReadError)(nil); errors.As(err, &r) {
		p.Path, p.Keyword = r.Path, r.Keyword
		p.Got = fmt.Sprintf("something else at byte %d", r.Offset)
		if r.Keyword == "limit" {
			p.Expected = "a value within the limits"
		}
	}
	return p
}

func schemaOptions(draft, mode string) (*schema.Options, error) {
	o := &schema.Options{Draft: schema.Draft(draft)}
	switch o.Draft {
	case "", schema.Draft202012, schema.Draft201909, schema.Draft7, schema.Draft6, schema.Draft4:
	default:
		return nil, fmt.Errorf("draft %q is none of 2020-12, 2019-09, 7, 6, 4", draft)
	}
	switch mode {
	case "tool", "":
		o.Mode = schema.ModeTool
	case "spec":
		o.Mode = schema.ModeSpec
	default:
		return nil, fmt.Errorf("mode %q is none of tool, spec", mode)
	}
	return o, nil
}

// remotesBase is the address that the folder of --remotes stands for.
const remotesBase = "http://localhost:1234/"

func readRemotes(dir string) (map[string][]byte, error) {
	if dir == "" {
		return nil, nil
	}
	remotes := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		doc, err := os.ReadFile(path)
		remotes[remotesBase+filepath.ToSlash(rel)] = doc
		return err
	})
	return remotes, err
}

func (a *app) showUncompiled(file string, c *schema.CompileError) error {
	if a.wantsJSON() {
		if err := writeJSON(a.stdout, uncompiled{Error: c.Faults[0], Faults: c.Faults}); err != nil {
			return err
		}
		return errFindings
	}
	fmt.Fprintf(a.stdout, "The schema %s does not compile:\n", shownName(file))
	for _, fault := range c.Faults {
		fmt.Fprintf(a.stdout, "  %s: %s\n", shownPath(fault.Path), visible.Line(fault.Message))
		if fault.Fix != "" {
			fmt.Fprintf(a.stdout, "      %s\n", visible.Line(fault.Fix))
		}
	}
	return errFindings
}

func (a *app) showChecked(c checked) error {
	if a.wantsJSON() {
		return writeJSON(a.stdout, c)
	}
	var b strings.Builder
	if c.Valid {
		b.WriteString("valid\n")
	} else {
		fmt.Fprintf(&b, "invalid: %s\n", count(len(c.Problems), "problem"))
	}
	writeProblems(&b, c.Problems, "")
	writeProblems(&b, c.Warnings, "warning: ")
	for _, change := range c.Coerced {
		fmt.Fprintf(&b, "  %s: read %s as %s (%s)\n", shownPath(change.Path), visible.JSON(change.From), visible.JSON(change.To), change.Rule)
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

func writeProblems(w io.Writer, problems []schema.Problem, mark string) {
	for _, p := range problems {
		fmt.Fprintf(w, "  %s%s: %s\n", mark, shownPath(p.Path), visible.Line(p.Message))
	}
}

// shownPath is a JSON Pointer for people: the root has no name of its own.
func shownPath(path string) string {
	if path == "" {
		return "(root)"
	}
	return visible.Line(path)
}

// count is "1 problem", "2 problems".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
