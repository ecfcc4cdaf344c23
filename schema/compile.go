package schema

import (
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Schema is a compiled schema; it exists only compiled. Safe for concurrent use.
type Schema struct {
	source  Value
	root    *rule
	rules   []*rule
	mode    Mode
	draft   Draft
	lint    []Fault
	dynamic bool                     // evaluation must keep the resources it came through
	secrets bool                     // something is writeOnly
	fields  map[reflect.Type][]field // of the Go types that For made it of

	explainers sync.Pool
}

// schemaLimits bound a schema document.
var schemaLimits = &Limits{Bytes: 16 << 20, Depth: 512, String: 16 << 20}

// Compile compiles one schema document. The error is a *CompileError.
func Compile(src []byte, o *Options) (*Schema, error) {
	v, err := Read(src, schemaLimits)
	if err != nil {
		re, _ := errors.AsType[*ReadError](err)
		return nil, &CompileError{[]Fault{{Path: re.Path, Keyword: re.Keyword, Message: "the schema cannot be read: " + re.Message}}}
	}
	var opts Options
	if o != nil {
		opts = *o
	}
	c := &compiler{
		opts: opts, main: v.d,
		byAddress: map[string]*resource{}, roots: map[site]*resource{}, rules: map[site]*rule{},
	}
	d := dialect{draft: draft2020, vocab: vocabStandard}
	if opts.Draft != "" {
		n, ok := draftNumbers[opts.Draft]
		if !ok {
			return nil, &CompileError{[]Fault{{Keyword: "$schema", Message: "the draft " + quoteShort(string(opts.Draft)) + " is not known", Fix: "use one of 2020-12, 2019-09, 7, 6, 4"}}}
		}
		c.forced, d.draft = n, n
	}
	return c.run(v, d)
}

// compiler turns documents into rules.
type compiler struct {
	opts      Options
	main      *document
	forced    draftNumber // the draft that the caller asked for
	resources []*resource
	byAddress map[string]*resource
	roots     map[site]*resource
	rules     map[site]*rule
	all       []*rule
	pending   []pendingRef
	faults    []placedFault
	lints     []placedFault
	wordsOf   map[dialect][]string
	secrets   bool
	dynamic   bool
}

// place is where a schema object stands, for faults and for what it holds.
type place struct {
	res  *resource
	ptr  string
	node uint32
	word string // the keyword at hand
}

func (p place) path() string {
	if p.res == nil || p.res.label == "" {
		return p.ptr
	}
	return p.res.label + "#" + p.ptr
}

// inside is the place of a subschema below the keyword at hand.
func (p place) inside(v Value, tokens ...string) place {
	var ptr strings.Builder
	ptr.WriteString(p.ptr + "/" + escapeToken(p.word))
	for _, t := range tokens {
		ptr.WriteString("/" + escapeToken(t))
	}
	return place{res: p.res, ptr: ptr.String(), node: v.i}
}

func indexPointer(ptr string, i int) string { return ptr + "/" + strconv.Itoa(i) }

type placedFault struct {
	doc  int32
	node uint32
	Fault
}

func (c *compiler) faultf(at place, keyword, message, fix string) {
	c.faults = append(c.faults, placed(at, keyword, message, fix))
}

func (c *compiler) lintf(at place, keyword, message, fix string) {
	c.lints = append(c.lints, placed(at, keyword, message, fix))
}

func placed(at place, keyword, message, fix string) placedFault {
	var doc int32
	if at.res != nil && at.res.label != "" {
		doc = at.res.id + 1
	}
	return placedFault{doc, at.node, Fault{Path: at.path(), Keyword: keyword, Message: message, Fix: fix}}
}

// inOrder sorts faults by where they stand and drops repetitions.
func inOrder(list []placedFault) []Fault {
	slices.SortStableFunc(list, func(a, b placedFault) int {
		return cmp.Or(cmp.Compare(a.doc, b.doc), cmp.Compare(a.node, b.node))
	})
	var out []Fault
	for _, f := range list {
		if !slices.Contains(out[max(0, len(out)-4):], f.Fault) {
			out = append(out, f.Fault)
		}
	}
	return out
}

func (c *compiler) run(v Value, d dialect) (*Schema, error) {
	res := c.addDocument(v.d, "", "", d)
	root := c.compile(place{res: res, node: v.i})
	c.follow()
	if len(c.faults) == 0 {
		c.findLoops()
	}
	if len(c.faults) > 0 {
		return nil, &CompileError{inOrder(c.faults)}
	}
	if list := c.againstMetaschema(v); len(list) > 0 {
		return nil, &CompileError{list}
	}
	c.finish()
	s := &Schema{
		source: v, root: root, rules: c.all, mode: c.opts.Mode, draft: res.dialect.draft.name(),
		dynamic: c.dynamic, secrets: c.secrets,
	}
	if types := typesOf(root, 0); s.mode == ModeTool && types != 0 && types&typeObject == 0 {
		c.lintf(place{res: res, node: v.i}, "type", "a tool's arguments are an object, and the schema allows none", "let the root be of type \"object\"")
	}
	c.checkDefaults(s)
	s.lint = inOrder(c.lints)
	return s, nil
}

// againstMetaschema holds the document to a metaschema of somebody's own; the
// standard ones are built into the compiler.
func (c *compiler) againstMetaschema(v Value) []Fault {
	word, ok := v.Get("$schema")
	if !ok || word.Kind() != String || c.opts.judging {
		return nil
	}
	address, _ := cutFragment(word.Text())
	src, ok := c.opts.Remotes[address]
	if _, standard := standardDraft(address); standard || !ok {
		return nil
	}
	meta, err := Compile(src, &Options{Mode: ModeSpec, Remotes: c.opts.Remotes, judging: true})
	if err != nil {
		return []Fault{{Keyword: "$schema", Message: "the metaschema " + quoteShort(address) + " does not compile: " + err.Error()}}
	}
	var list []Fault
	for _, p := range meta.Validate(v).Problems {
		list = append(list, Fault{Path: p.Path, Keyword: p.Keyword, Message: "by the metaschema: " + p.Message})
	}
	return list
}

// compile is the rule of the schema at a place. A rule is entered before its
// content is compiled, so that recursion finds it.
func (c *compiler) compile(at place) *rule {
	key := site{at.res.doc, at.node}
	if inner, ok := c.roots[key]; ok {
		at.res = inner
	}
	if r, ok := c.rules[key]; ok {
		return r
	}
	r := &rule{id: int32(len(c.all)), ptr: at.path(), res: at.res, src: Value{at.res.doc, at.node}}
	c.rules[key] = r
	c.all = append(c.all, r)
	switch r.src.Kind() {
	case Bool:
		r.always = alwaysFalse
		if r.src.Bool() {
			r.always = alwaysTrue
		}
		if at.res.dialect.draft == draft4 && !strings.HasSuffix(at.ptr, "/additionalItems") && !strings.HasSuffix(at.ptr, "/additionalProperties") {
			c.faultf(at, "", "a schema must be an object in draft 4", "write {} for true and {\"not\": {}} for false")
		}
	case Object:
		c.compileObject(r, at)
	default:
		fix := ""
		if typeBit(r.src.Text()) != 0 {
			fix = "write {\"type\": \"" + r.src.Text() + "\"}"
		}
		c.faultf(at, "", "a schema must be an object or a boolean, not "+describe(r.src), fix)
	}
	return r
}

func (c *compiler) compileObject(r *rule, at place) {
	d := at.res.dialect
	into := r
	if _, hasRef := r.src.Get("$ref"); hasRef && d.draft < draft2019 {
		// What stands beside $ref is checked and then ignored.
		into = &rule{ptr: r.ptr, res: r.res, src: r.src}
	}
	for name, v := range r.src.Members() {
		at.word = name
		k := d.find(name)
		switch {
		case k == nil:
			c.unknownWord(r, at)
		case name == "$ref":
			c.reference(r, at, v)
		default:
			c.word(k, into, at, v)
		}
	}
}

// word compiles one keyword.
func (c *compiler) word(k *keyword, r *rule, at place, v Value) {
	switch k.vocab {
	case vocabCore:
		c.coreWord(r, at, v)
	case vocabValidation:
		c.validationWord(r, at, v)
	case vocabApplicator, vocabUnevaluated:
		c.applicatorWord(r, at, v)
	case vocabContent:
		c.contentWord(r, at, v)
	case vocabMeta:
		c.metaWord(at, v)
	default:
		c.format(r, at, v)
	}
}

// unknownWord lets every unknown keyword pass, as the specification wants, and
// notes the ones that look like slips.
func (c *compiler) unknownWord(r *rule, at place) {
	if at.res.doc != c.main || c.opts.Mode == ModeSpec {
		return
	}
	if at.word == "nullable" {
		c.lintf(at, at.word, "`nullable` is OpenAPI's; JSON Schema does not know it", "add \"null\" to `type`")
		return
	}
	if _, elsewhere := keywords[at.word]; elsewhere {
		return
	}
	if near := nearest(at.word, c.words(r.res.dialect), 1); len(near) == 1 {
		c.lintf(at, at.word, "the keyword `"+shorten(at.word)+"` is not known and has no effect", "did you mean `"+near[0]+"`?")
	}
}

// words are the keywords of a dialect, in order.
func (c *compiler) words(d dialect) []string {
	if out, ok := c.wordsOf[d]; ok {
		return out
	}
	var out []string
	for w := range keywords {
		if d.find(w) != nil {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	if c.wordsOf == nil {
		c.wordsOf = map[dialect][]string{}
	}
	c.wordsOf[d] = out
	return out
}

// inPlace is r's placeRule, made when it is first needed.
func (r *rule) inPlace() *placeRule {
	if r.place == nil {
		r.place = &placeRule{}
	}
	return r.place
}

// each calls f for every rule that looks at the same value.
func (p *placeRule) each(f func(*rule)) {
	one := func(r *rule) {
		if r != nil {
			f(r)
		}
	}
	one(p.ref)
	if p.dynamic != nil {
		one(p.dynamic.initial)
	}
	for _, list := range [][]*rule{p.allOf, p.anyOf, p.oneOf} {
		for _, r := range list {
			f(r)
		}
	}
	one(p.not)
	one(p.cond)
	one(p.then)
	one(p.els)
}

// checkDefaults notes defaults that their own schema refuses.
func (c *compiler) checkDefaults(s *Schema) {
	for _, r := range c.all {
		if r.src.d != c.main || r.always != 0 || c.opts.Mode == ModeSpec {
			continue
		}
		def, ok := r.src.Get("default")
		if !ok {
			continue
		}
		m := machine{d: def.d, s: s}
		if !m.valid(r, def.i) && !m.over {
			c.lintf(place{ptr: r.ptr, node: r.src.i}, "default",
				"the default "+shown(def)+" does not satisfy its own schema", "correct the default or leave it out")
		}
	}
}

// Source is the schema document as it was given.
func (s *Schema) Source() json.RawMessage { return json.RawMessage(s.source.d.src) }

// Lint lists what compiles but deserves a look.
func (s *Schema) Lint() []Fault { return slices.Clone(s.lint) }
