package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/grammar"
	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/schema"
)

func (a *app) grammarCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "grammar",
		Short: "Constrained decoding: what a schema lets a model write",
		Long: `A schema becomes a grammar that says, token by token, what may come next, so that
a model on this machine can write nothing that the schema refuses.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.grammarCheckCommand(), a.grammarBenchCommand())
	return cmd
}

// orderOption is --order.
func orderOption(order string) (*grammar.Options, error) {
	switch order {
	case "any":
		return &grammar.Options{}, nil
	case "schema":
		return &grammar.Options{SchemaOrder: true}, nil
	}
	return nil, misused(fmt.Errorf("order %q is none of any, schema", order))
}

// readVocabulary reads a tokenizer.json, a GGUF file, or "" for none: bytes.
func (a *app) readVocabulary(name string) (*tokenizer.Vocabulary, error) {
	if name == "" {
		return nil, nil
	}
	if strings.HasSuffix(name, ".gguf") { // too large to be read whole
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return tokenizer.ReadGGUF(file, nil)
	}
	file, err := a.readFile(name)
	if err != nil {
		return nil, err
	}
	return tokenizer.ReadJSON(file, nil)
}

// refusal is why a schema has no grammar; the names are fixed.
type refusal struct {
	Path    string `json:"path"`
	Keyword string `json:"keyword"`
	Message string `json:"message"`
}

// compileGrammar gives a refusal where the schema does not compile, or cannot be
// held exactly.
func compileGrammar(source []byte, so *schema.Options, o *grammar.Options) (*schema.Schema, *grammar.Grammar, *refusal, error) {
	s, err := schema.Compile(source, so)
	if c, ok := errors.AsType[*schema.CompileError](err); ok && len(c.Faults) > 0 {
		return nil, nil, &refusal{c.Faults[0].Path, c.Faults[0].Keyword, c.Faults[0].Message}, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	g, err := grammar.Compile(s, o)
	if r, ok := errors.AsType[*grammar.RefusedError](err); ok {
		return s, nil, &refusal{r.Path, r.Keyword, r.Message}, nil
	}
	return s, g, nil, err
}

// catalogGrammar is the grammar of the replies that may call a catalog's tools.
func (a *app) catalogGrammar(ctx context.Context, name, format string, o *grammar.Options) (*grammar.Grammar, *refusal, error) {
	f, ok := grammar.CallFormats()[format]
	if !ok {
		return nil, nil, misused(fmt.Errorf("format %q is none of %s", format, strings.Join(callFormatNames(), ", ")))
	}
	c, err := a.openCatalog(ctx, name, "")
	if err != nil {
		return nil, nil, err
	}
	defer c.close()
	var tools []grammar.CallTool
	for _, t := range c.catalog.Tools() {
		tools = append(tools, grammar.CallTool{Name: t.Name(), Arguments: t.Input()})
	}
	g, err := grammar.CompileCalls(tools, f, &grammar.CallOptions{Options: *o})
	if r, ok := errors.AsType[*grammar.RefusedError](err); ok {
		return nil, &refusal{r.Path, r.Keyword, r.Message}, nil
	}
	return g, nil, err
}

func callFormatNames() []string { return slices.Sorted(maps.Keys(grammar.CallFormats())) }
