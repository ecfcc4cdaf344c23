package grammar

import (
	"fmt"

	"github.com/holdfast-go/holdfast/internal/numlang"
	"github.com/holdfast-go/holdfast/internal/rules"
	"github.com/holdfast-go/holdfast/internal/textlang"
	"github.com/holdfast-go/holdfast/schema"
)

// builder turns rules into goals and shapes.
type builder struct {
	*goals
	schema *rules.Schema // the last that was added
	judges map[*rules.Rule]*rules.Schema
	vals   map[*rules.Rule]*value // the rules of values
	made   map[*rules.Rule]*value // and what these say in other keywords
	byJSON map[string]*rules.Rule
	sets   map[*rules.Rule][]*rules.Rule
	judged map[judgement]bool

	textOf       map[*rules.Rule]*textlang.Formula
	numberOf     map[*rules.Rule]*numlang.Formula
	patterns     map[*rules.Pattern]*textlang.Formula
	nameMachines map[namePart]textlang.Machine
	formats      map[string]*textlang.Formula
	texts        map[string][]*textlang.Lang
	numbers      map[string]*numlang.Lang
	shapes       map[string]*object
	lists        map[string]*array

	empties   map[emptyKey]bool
	searching int
	spreads   map[spreadKey][]*clause
	marking   int // how many rules ask what is evaluated, from the root of the value on

	keyRoom  []byte // for clauseKey
	nameRoom []string

	never, always, anObject *rules.Rule
	err                     *RefusedError
}

// value is a JSON value that a schema names.
type value struct {
	typ   rules.Types
	json  string
	text  string
	canon string
}

// RefusedError says which keyword of a schema no grammar can hold exactly.
type RefusedError struct {
	Path    string // JSON Pointer to the schema that holds the keyword
	Keyword string
	Message string
}

// Error is the message and where it applies.
func (e *RefusedError) Error() string {
	at := e.Path
	if at == "" {
		at = "the root"
	}
	if e.Keyword == "" {
		return fmt.Sprintf("grammar: %s: %s", at, e.Message)
	}
	return fmt.Sprintf("grammar: %s: `%s`: %s", at, e.Keyword, e.Message)
}

// refuse notes the first reason; what is built afterwards is void.
func (b *builder) refuse(r *rules.Rule, keyword, message string) {
	if b.err == nil {
		b.err = &RefusedError{Path: r.Path, Keyword: keyword, Message: message}
	}
}

// refuseLits names the rule that is likeliest to be the reason: one with what the
// message is about, else the first.
func (b *builder) refuseLits(lits []literal, message string) {
	if len(lits) == 0 {
		b.refuse(b.schema.Root, "", message)
		return
	}
	for _, l := range lits {
		if r := b.rules[l>>1]; r.String != nil && r.String.Pattern != nil {
			b.refuse(r, "pattern", message)
			return
		}
	}
	b.refuse(b.rules[lits[0]>>1], "", message)
}

func (b *builder) add(r *rules.Rule) *rules.Rule {
	r.ID = len(b.rules)
	b.rules = append(b.rules, r)
	return r
}

// collect numbers all rules of a schema that are reached.
func (b *builder) collect(r *rules.Rule) {
	if r == nil || b.judges[r] != nil {
		return
	}
	b.judges[b.add(r)] = b.schema
	lists := [][]*rules.Rule{{r.Ref, r.Not, r.If, r.Then, r.Else}, r.AllOf, r.AnyOf, r.OneOf}
	if a := r.Array; a != nil {
		lists = append(lists, a.Prefix, []*rules.Rule{a.Rest, a.Contains, a.Unevaluated})
	}
	if o := r.Object; o != nil {
		lists = append(lists, []*rules.Rule{o.Rest, o.Names, o.Unevaluated})
		for _, p := range o.Properties {
			b.collect(p.Rule)
		}
		for _, p := range o.Patterns {
			b.collect(p.Rule)
		}
		for _, d := range o.Depends {
			b.collect(d.Rule)
		}
	}
	for _, list := range lists {
		for _, s := range list {
			b.collect(s)
		}
	}
}

// valuesOf are the values of a rule's enum or const, through references and
// allOf, as rules of their own.
func (b *builder) valuesOf(r *rules.Rule) ([]*rules.Rule, bool) {
	if v := b.vals[r]; v != nil {
		return []*rules.Rule{r}, true
	}
	if set, ok := b.sets[r]; ok {
		return set, set != nil
	}
	b.sets[r] = nil
	var set []*rules.Rule
	switch {
	case r.Const != nil:
		set = b.valueRules(r.Const)
	case r.HasSet:
		set = b.valueRules(r.Enum)
	default:
		for _, s := range append([]*rules.Rule{r.Ref}, r.AllOf...) {
			if s == nil {
				continue
			}
			if inner, ok := b.valuesOf(s); ok {
				set = inner
				break
			}
		}
		if set == nil {
			return nil, false
		}
	}
	if set == nil {
		set = []*rules.Rule{}
	}
	b.sets[r] = set
	return set, true
}

func (b *builder) valueRules(list []rules.Value) []*rules.Rule {
	out := make([]*rules.Rule, 0, len(list))
	for _, v := range list {
		out = append(out, b.valueRule(v))
	}
	return out
}

// valueRule is a rule that admits one value alone. Of an array or an object its
// only allOf says so in other keywords.
func (b *builder) valueRule(v rules.Value) *rules.Rule {
	if r, ok := b.byJSON[v.JSON]; ok {
		return r
	}
	r := b.add(&rules.Rule{Types: v.Type})
	b.byJSON[v.JSON] = r
	b.vals[r] = &value{typ: v.Type, json: v.JSON, text: v.Text}
	if v.Type == rules.Arr || v.Type == rules.Obj {
		doc, err := schema.Read([]byte(v.JSON), wide)
		if err != nil {
			b.refuse(b.schema.Root, "enum", "a value cannot be read again: "+err.Error())
			return r
		}
		in := b.structure(doc)
		r.AllOf = []*rules.Rule{in}
		b.made[in] = b.vals[r]
	}
	return r
}

// wide are the limits of values that a schema names, which was read already.
var wide = &schema.Limits{Bytes: 16 << 20, Depth: 512, String: 16 << 20}

func (b *builder) structure(v schema.Value) *rules.Rule {
	if v.Kind() == schema.Array {
		a := &rules.Array{MinLen: v.Len(), MaxLen: v.Len(), MinContains: 1, MaxContains: -1}
		for _, e := range v.Elements() {
			a.Prefix = append(a.Prefix, b.valueRule(named(e)))
		}
		return b.add(&rules.Rule{Types: rules.Arr, Array: a})
	}
	o := &rules.Object{Rest: b.never, MaxLen: -1}
	for name, e := range v.Members() {
		o.Properties = append(o.Properties, rules.Property{Name: name, Rule: b.valueRule(named(e)), Required: true})
	}
	return b.add(&rules.Rule{Types: rules.Obj, Object: o})
}

func named(v schema.Value) rules.Value {
	types := map[schema.Kind]rules.Types{
		schema.Null: rules.Null, schema.Bool: rules.Bool, schema.Number: rules.Num,
		schema.String: rules.Str, schema.Array: rules.Arr, schema.Object: rules.Obj,
	}
	out := rules.Value{JSON: string(v.Raw()), Type: types[v.Kind()]}
	if v.Kind() == schema.String {
		out.Text = v.Text()
	}
	return out
}

func (b *builder) value(r *rules.Rule) *value { return b.vals[r] }

func (v *value) canonical() string {
	if v.canon == "" {
		doc, err := schema.Read([]byte(v.json), wide)
		if err != nil {
			return v.json
		}
		v.canon = string(doc.Canonical())
	}
	return v.canon
}

// accepts decides a value by a rule: by equality for those made of values, by the
// validator for the others.
func (b *builder) accepts(r *rules.Rule, json string) (ok, decided bool) {
	switch {
	case r.Always != 0:
		return r.Always > 0, true
	case r.AnyOf != nil && b.judges[r] == nil:
		decided = true
		for _, s := range r.AnyOf {
			yes, sure := b.accepts(s, json)
			ok, decided = ok || yes, decided && sure
		}
		return ok, decided
	case b.judges[r] == nil: // it was made here
		v := b.vals[r]
		if v == nil {
			v = b.made[r]
		}
		if v == nil {
			return admits(r, typeOfJSON(json)), true // it says no more than types
		}
		if typeOfJSON(json) != v.typ {
			return false, true
		}
		return v.canonical() == (&value{json: json}).canonical(), true
	}
	return b.judges[r].Accepts(r, json)
}

func typeOfJSON(json string) rules.Types {
	switch json[0] {
	case 'n':
		return rules.Null
	case 't', 'f':
		return rules.Bool
	case '"':
		return rules.Str
	case '[':
		return rules.Arr
	case '{':
		return rules.Obj
	}
	return rules.Num
}
