package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/grammar"
	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/visible"
)

// grammarFlags are what grammar check was asked.
type grammarFlags struct {
	schema, catalog, format, tokenizer, order, draft, mode, batch string
}

func (a *app) grammarCheckCommand() *cobra.Command {
	var f grammarFlags
	cmd := &cobra.Command{
		Use:   "check --schema S FILE | --catalog C FILE | --batch FILE",
		Short: "Say whether the grammar of a schema or a catalog accepts a text",
		Long: `Check compiles the schema S to a grammar and takes FILE byte by byte, or token by
token of the vocabulary T (a tokenizer.json or a GGUF file): is it accepted, which
is the first byte that is not, and may the text end there? A line's end at the end
of FILE does not count.

With --catalog the text is a whole reply of a model that may call the tools of the
catalog C, a file or coach: text and calls in a call format. Where it cannot be held,
the path of the refusal begins with the tool's name.

With --batch, each line of FILE is one JSON object {"id","schema","draft","mode",
"instances":[…]} (or "instances_text":["…"] for raw text), and each line of the
output holds the results in order.`,
		Example: `  echo '{"weight_kg": "75' | holdfast grammar check --schema measurement.json -
  holdfast grammar check --tokenizer tokenizer.json --order schema --schema s.json call.json
  holdfast grammar check --catalog kitchen.yaml --format llama3 reply.txt`,
		Args: words(0, 1),
		RunE: a.do(func(cmd *cobra.Command, args []string) error { return a.grammarCheck(cmd.Context(), f, args) }),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.schema, "schema", "", "file with the schema")
	flags.StringVar(&f.catalog, "catalog", "", "catalog whose calls a reply may hold: a file, or coach")
	flags.StringVar(&f.format, "format", "hermes", "how the reply writes calls: "+strings.Join(callFormatNames(), ", "))
	flags.StringVar(&f.tokenizer, "tokenizer", "", "vocabulary to go by: a tokenizer.json or a GGUF file (default: bytes)")
	flags.StringVar(&f.order, "order", "any", "order of properties: any, or schema for the schema's own")
	flags.StringVar(&f.draft, "draft", "", "2020-12, 2019-09, 7, 6 or 4 (default: what $schema says, else 2020-12)")
	flags.StringVar(&f.mode, "mode", "tool", "tool or spec")
	flags.StringVar(&f.batch, "batch", "", "file with one JSON object a line")
	fixedCompletion(cmd, "format", callFormatNames()...)
	fixedCompletion(cmd, "order", "any", "schema")
	fixedCompletion(cmd, "mode", "tool", "spec")
	fixedCompletion(cmd, "draft", "2020-12", "2019-09", "7", "6", "4")
	return cmd
}

// misuse is why the flags do not go together, or nil.
func (f grammarFlags) misuse(args []string) error {
	what := f.schema + f.catalog
	switch {
	case f.batch != "" && (len(args) > 0 || what != ""):
		return errors.New("grammar check --batch takes its schemas and texts from the batch: give no FILE, no --schema and no --catalog")
	case f.batch != "":
		return nil
	case (f.schema == "") == (f.catalog == "") || len(args) != 1:
		return errors.New("grammar check needs --schema S or --catalog C, and one FILE, or --batch FILE")
	case what == "-" && args[0] == "-":
		return errors.New("standard input cannot be both the schema or catalog and FILE")
	}
	return nil
}

func (a *app) grammarCheck(ctx context.Context, f grammarFlags, args []string) error {
	o, err := orderOption(f.order)
	if err != nil {
		return err
	}
	if err := f.misuse(args); err != nil {
		return misused(err)
	}
	v, err := a.readVocabulary(f.tokenizer)
	if err != nil {
		return err
	}
	if f.batch != "" {
		return a.grammarBatch(f, v, o)
	}
	g, refused, err := a.checkedGrammar(ctx, f, o)
	if err != nil {
		return err
	}
	text, err := a.readFile(args[0])
	if err != nil {
		return err
	}
	result := admitted{Refused: refused}
	if refused == nil {
		if result, err = admit(g, v, bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))); err != nil {
			return err
		}
	}
	if err := a.showAdmitted(result); err != nil {
		return err
	}
	if !result.Accepted || !result.CanEnd {
		return errFindings
	}
	return nil
}

// checkedGrammar is the grammar of the schema, or of the catalog's calls.
func (a *app) checkedGrammar(ctx context.Context, f grammarFlags, o *grammar.Options) (*grammar.Grammar, *refusal, error) {
	if f.catalog != "" {
		return a.catalogGrammar(ctx, f.catalog, f.format, o)
	}
	so, err := schemaOptions(f.draft, f.mode)
	if err != nil {
		return nil, nil, misused(err)
	}
	source, err := a.readFile(f.schema)
	if err != nil {
		return nil, nil, err
	}
	_, g, refused, err := compileGrammar(source, so, o)
	return g, refused, err
}

// admitted is what a grammar says of a text; the names are fixed.
type admitted struct {
	Accepted bool     `json:"accepted"`
	At       *int     `json:"at"`      // the first byte that is refused; null: none
	CanEnd   bool     `json:"can_end"` // what was accepted, as it stands
	Refused  *refusal `json:"refused"` // the schema or catalog itself; null: it was not
}

// admit takes a text byte by byte, or by tokens where there is a vocabulary. A
// token that is refused is then taken by bytes, to find the one that is.
func admit(g *grammar.Grammar, v *tokenizer.Vocabulary, text []byte) (admitted, error) {
	m, at := g.Matcher(v), 0
	if v != nil {
		ids := m.Encode(string(text))
		if !bytes.Equal(written(v, ids), text) {
			return admitted{}, errors.New("the vocabulary does not write the text as it stands")
		}
		for _, id := range ids {
			if !allowed(m.Mask(), id) || !m.Accept(id) {
				break
			}
			at += len(v.Token(id).Bytes)
		}
	}
	for at < len(text) {
		if _, ok := m.AcceptBytes(text[at : at+1]); !ok {
			return admitted{At: &at, CanEnd: m.CanEnd()}, nil
		}
		at++
	}
	return admitted{Accepted: true, CanEnd: m.CanEnd()}, nil
}

// written is the text of tokens, control tokens by their names.
func written(v *tokenizer.Vocabulary, ids []tokenizer.ID) []byte {
	var text []byte
	for _, id := range ids {
		text = append(text, v.Token(id).Bytes...)
	}
	return text
}

func allowed(mask []uint64, id tokenizer.ID) bool { return mask[id>>6]>>(id&63)&1 != 0 }

func (a *app) showAdmitted(r admitted) error {
	if a.wantsJSON() {
		return writeJSON(a.stdout, r)
	}
	text := "accepted, and may end here\n"
	switch {
	case r.Refused != nil:
		text = fmt.Sprintf("there is no grammar: %s: %s\n", shownPath(r.Refused.Path), visible.Line(r.Refused.Message))
	case !r.Accepted:
		text = fmt.Sprintf("refused at byte %d\n", *r.At)
	case !r.CanEnd:
		text = "accepted, but may not end here\n"
	}
	_, err := io.WriteString(a.stdout, text)
	return err
}

// grammarBatchResult is one line of the output, its lists in the order of the
// texts. The names are fixed.
type grammarBatchResult struct {
	ID       json.RawMessage `json:"id"`
	Accepted []bool          `json:"accepted"` // null where the schema was refused
	At       []*int          `json:"at"`
	CanEnd   []bool          `json:"can_end"`
	Refused  *refusal        `json:"refused"`
}

func (a *app) grammarBatch(f grammarFlags, v *tokenizer.Vocabulary, o *grammar.Options) error {
	in, err := a.open(f.batch)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriter(a.stdout)
	lines := bufio.NewReaderSize(in, 1<<20)
	findings := false
	for err == nil {
		var line []byte
		line, err = readLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return errors.Join(out.Flush(), fmt.Errorf("reading %s: %w", shownName(f.batch), err))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		result := f.grammarLine(line, v, o)
		findings = findings || result.Refused != nil || bytes.Contains(fmt.Append(nil, result.Accepted, result.CanEnd), []byte("false"))
		if err := writeJSON(out, result); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if findings {
		return errFindings
	}
	return nil
}

// grammarLine answers one line. One that cannot be used has its answer too, so
// that the output keeps its order.
func (f grammarFlags) grammarLine(text []byte, v *tokenizer.Vocabulary, o *grammar.Options) grammarBatchResult {
	var line batchLine
	if err := json.Unmarshal(text, &line); err != nil {
		return grammarBatchResult{Refused: &refusal{Keyword: "batch", Message: err.Error()}}
	}
	r := grammarBatchResult{ID: line.ID}
	so, err := line.options(checkFlags{draft: f.draft, mode: f.mode})
	if err != nil {
		r.Refused = &refusal{Keyword: "batch", Message: err.Error()}
		return r
	}
	var g *grammar.Grammar
	if _, g, r.Refused, err = compileGrammar(line.Schema, so, o); err != nil {
		r.Refused = &refusal{Keyword: "schema", Message: err.Error()}
	}
	if r.Refused != nil {
		return r
	}
	r.Accepted, r.At, r.CanEnd = []bool{}, []*int{}, []bool{}
	for _, text := range line.texts() {
		one, err := admit(g, v, text)
		if err != nil {
			return grammarBatchResult{ID: line.ID, Refused: &refusal{Keyword: "tokenizer", Message: err.Error()}}
		}
		r.Accepted, r.At, r.CanEnd = append(r.Accepted, one.Accepted), append(r.At, one.At), append(r.CanEnd, one.CanEnd)
	}
	return r
}
