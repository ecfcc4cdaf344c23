package grammar

import (
	"github.com/holdfast-go/holdfast/internal/numlang"
	"github.com/holdfast-go/holdfast/internal/rules"
	"github.com/holdfast-go/holdfast/internal/textlang"
	"github.com/holdfast-go/holdfast/schema"
)

// Options of Compile; nil means defaults.
type Options struct {
	// SchemaOrder wants the declared properties in the order of the schema, and
	// undeclared ones behind them. False: any order.
	SchemaOrder bool
}

// Grammar is a schema compiled for decoding. It is safe for concurrent use.
type Grammar struct{ machine *machine }

// Compile compiles a schema that validates in the same sense: the grammar admits
// the texts that read strictly and that the schema accepts, in bounded white space.
// The error is a *RefusedError.
func Compile(s *schema.Schema, o *Options) (*Grammar, error) {
	if o == nil {
		o = &Options{}
	}
	b := newBuilder(s.Rules())
	root := b.goalOf([]literal{b.literal(b.schema.Root, false)})
	if b.schema.Object {
		root = b.with(root, b.literal(b.add(&rules.Rule{Types: rules.Obj}), false))
	}
	list := b.all(root)
	if b.err != nil {
		return nil, b.err
	}
	b.seal(list)
	if b.err == nil && root.height >= maxDepth {
		b.refuse(b.schema.Root, "", "no value satisfies the schema")
	}
	if b.err != nil {
		return nil, b.err
	}
	return &Grammar{newMachine(b, root, o)}, nil
}

func newBuilder(s *rules.Schema) *builder {
	b := &builder{
		schema: s, vals: map[*rules.Rule]*value{}, made: map[*rules.Rule]*value{}, byJSON: map[string]*rules.Rule{},
		sets: map[*rules.Rule][]*rules.Rule{}, goals: map[string]*goal{}, empties: map[emptyKey]bool{},
		spreads: map[spreadKey][]*clause{}, textOf: map[*rules.Rule]*textlang.Formula{}, numberOf: map[*rules.Rule]*numlang.Formula{},
		patterns: map[*rules.Pattern]*textlang.Formula{}, formats: map[string]*textlang.Formula{},
		texts: map[string][]*textlang.Lang{}, numbers: map[string]*numlang.Lang{}, shapes: map[string]*object{}, lists: map[string]*array{},
	}
	b.collect(s.Root)
	b.own = len(b.rules)
	b.never = b.add(&rules.Rule{Always: -1})
	b.always = b.add(&rules.Rule{Always: 1})
	return b
}
