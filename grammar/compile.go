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
	// CacheBytes bounds what positions and masks that were worked out may take
	// together, about; 0: 16 MiB. Beyond it they are dropped and worked out again.
	CacheBytes int
}

// Grammar is a schema compiled for decoding. It is safe for concurrent use.
type Grammar struct{ machine *machine }

// Bytes is about how much memory the positions and masks take that were worked out
// so far. It does not count masks that belong to the vocabulary.
func (g *Grammar) Bytes() int { return int(g.machine.held.Load()) }

// Compile compiles a schema that validates in the same sense: the grammar admits
// the texts that read strictly and that the schema accepts, in bounded white space.
// The error is a *RefusedError.
func Compile(s *schema.Schema, o *Options) (*Grammar, error) {
	if o == nil {
		o = &Options{}
	}
	b := newBuilder()
	root := b.root(s)
	if err := b.build(root); err != nil {
		return nil, err
	}
	return &Grammar{newMachine(b, root, o)}, nil
}

// root is the goal of a schema's values.
func (b *builder) root(s *schema.Schema) *goal {
	b.schema = s.Rules()
	b.collect(b.schema.Root)
	root := b.goalOf([]literal{literalOf(b.schema.Root, false)})
	if b.schema.Object {
		root = b.with(root, literalOf(b.anObject, false))
	}
	return root
}

// build works out all that the roots lead to.
func (b *builder) build(roots ...*goal) error {
	list := b.all(roots...)
	if b.err == nil {
		b.seal(list)
	}
	for _, root := range roots {
		if b.err == nil && root.height >= maxDepth {
			b.refuseLits(root.lits, b.nothing())
		}
	}
	if b.err != nil {
		return b.err
	}
	return nil
}

// nothing says that a schema has no values, and why that may be.
func (b *builder) nothing() string {
	if b.schema.Object {
		return "no object satisfies the schema, and in mode tool it is for a tool's arguments, which are one"
	}
	return "no value satisfies the schema"
}

func newBuilder() *builder {
	b := &builder{
		goals:  &goals{byLits: map[string]*goal{}},
		judges: map[*rules.Rule]*rules.Schema{},
		vals:   map[*rules.Rule]*value{}, made: map[*rules.Rule]*value{}, byJSON: map[string]*rules.Rule{},
		sets: map[*rules.Rule][]*rules.Rule{}, judged: map[judgement]bool{}, empties: map[emptyKey]bool{},
		spreads: map[spreadKey][]*clause{}, textOf: map[*rules.Rule]*textlang.Formula{}, numberOf: map[*rules.Rule]*numlang.Formula{},
		patterns: map[*rules.Pattern]*textlang.Formula{}, formats: map[string]*textlang.Formula{}, nameMachines: map[namePart]textlang.Machine{},
		texts: map[string][]*textlang.Lang{}, numbers: map[string]*numlang.Lang{}, shapes: map[string]*object{}, lists: map[string]*array{},
	}
	b.never = b.add(&rules.Rule{Always: -1})
	b.always = b.add(&rules.Rule{Always: 1})
	b.anObject = b.add(&rules.Rule{Types: rules.Obj})
	return b
}
