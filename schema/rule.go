package schema

import (
	"slices"
	"sync"
	"sync/atomic"
)

// rule is one compiled schema or subschema. Parts that a schema does not use
// are nil, so that a value passes by what says nothing about it.
type rule struct {
	id     int32
	always int8     // boolean schemas
	types  typeSet  // none: every type
	plain  bool     // nothing but types is asserted
	enum   *members // enum
	konst  *members // const
	num    *numberRule
	str    *stringRule
	arr    *arrayRule
	obj    *objectRule
	place  *placeRule

	ptr string // JSON Pointer in its document, with the address if that is not the root document
	res *resource
	src Value

	told atomic.Pointer[string] // what brief said
}

const (
	alwaysTrue  = 1
	alwaysFalse = 2
)

// typeSet is a set of JSON types.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBool
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject
)

// typeNames are in the order of their bits.
var typeNames = []struct {
	name    string
	bit     typeSet
	article string // with the name
}{
	{"null", typeNull, "null"},
	{"boolean", typeBool, "a boolean"},
	{"integer", typeInteger, "an integer"},
	{"number", typeNumber, "a number"},
	{"string", typeString, "a string"},
	{"array", typeArray, "an array"},
	{"object", typeObject, "an object"},
}

// kindTypes are the types that every value of a kind has.
var kindTypes = [8]typeSet{
	Null: typeNull, Bool: typeBool, Number: typeNumber, String: typeString, Array: typeArray, Object: typeObject,
}

type numberRule struct {
	min, max, above, below *decimal // above and below are exclusive
	step                   *decimal
}

type stringRule struct {
	minLen, maxLen int // maxLen is negative where there is none
	pattern        *pattern
	format         *format // only where formats are asserted
	content        *contentRule
}

// contentRule is what a string that holds another document must satisfy.
type contentRule struct {
	base64 bool
	json   bool
	schema *rule
}

type arrayRule struct {
	prefix       []*rule
	rest         *rule // elements after the prefix
	restWord     string
	minLen       int
	maxLen       int
	unique       bool
	contains     *rule
	minContains  int
	maxContains  int
	containsMark bool  // elements that match contains count as evaluated
	uneval       *rule // unevaluatedItems
}

type objectRule struct {
	props    []property
	byName   map[string]int // where there are many props
	table    []uint16       // by hash: 1 + index into props; a power of two long
	patterns []patternProperty
	rest     *rule // additionalProperties
	names    *rule // propertyNames
	required int   // how many of props are required
	minLen   int
	maxLen   int
	depends  []dependency
	uneval   *rule // unevaluatedProperties

	suggested *candidates
}

// property is a name that the schema declares, requires, or both.
type property struct {
	name     string
	rule     *rule // nil where the name is only required
	required bool
	hash     uint32
}

type patternProperty struct {
	pattern *pattern
	rule    *rule
}

// dependency holds where the object has the name.
type dependency struct {
	name    string
	needs   []string
	rule    *rule
	keyword string
}

// placeRule holds the applicators that look at the same value again.
type placeRule struct {
	ref     *rule
	dynamic *dynamicRef
	allOf   []*rule
	anyOf   []*rule
	oneOf   []*rule
	not     *rule
	cond    *rule
	then    *rule
	els     *rule

	any, one union // of anyOf and oneOf
}

// dynamicRef is a $dynamicRef or $recursiveRef whose target depends on how
// evaluation came here.
type dynamicRef struct {
	anchor  string // empty for $recursiveRef
	initial *rule
	targets map[*resource]*rule
}

// lookup finds a declared property.
func (o *objectRule) lookup(d *document, k uint32) int {
	if len(o.table) == 0 {
		return -1
	}
	n := &d.nodes[k]
	mask := uint32(len(o.table) - 1)
	for slot := n.aux & mask; ; slot = (slot + 1) & mask {
		at := int(o.table[slot]) - 1
		if at < 0 {
			return -1
		}
		if p := &o.props[at]; p.hash == n.aux && p.name == d.text(k) {
			return at
		}
	}
}

// find is the index of a declared property by its name.
func (o *objectRule) find(name string) int {
	if o.byName != nil {
		if i, ok := o.byName[name]; ok {
			return i
		}
		return -1
	}
	for i := range o.props {
		if o.props[i].name == name {
			return i
		}
	}
	return -1
}

// index builds the table once all properties are known.
func (o *objectRule) index() {
	o.required = 0
	o.suggested = &candidates{}
	size := 4
	for size < 2*len(o.props) {
		size *= 2
	}
	if len(o.props) == 0 || len(o.props) > 1<<15 {
		size = 0
	}
	o.table = make([]uint16, size)
	for i := range o.props {
		p := &o.props[i]
		p.hash = hashText(p.name)
		if p.required {
			o.required++
		}
		if size == 0 {
			continue
		}
		slot := p.hash & uint32(size-1)
		for o.table[slot] != 0 {
			slot = (slot + 1) & uint32(size-1)
		}
		o.table[slot] = uint16(i + 1)
	}
}

// members is the set of values that enum or const allows.
type members struct {
	values  []Value
	strings map[string]struct{} // where there are many
	short   []string            // where there are few
	others  []Value             // what is not a string
	written map[string]struct{} // others in canonical form, where there are many

	once   sync.Once
	roster roster // of the strings
	listed string // all or, of many, the first
	many   string // how many there are, if they are many
}

// fewMembers is how many are compared one by one.
const fewMembers = 8

func newMembers(values []Value) *members {
	m := &members{values: values}
	for _, v := range values {
		if v.Kind() == String {
			m.short = append(m.short, v.Text())
		} else {
			m.others = append(m.others, v)
		}
	}
	if len(m.others) > fewMembers {
		m.written = make(map[string]struct{}, len(m.others))
		for _, v := range m.others {
			m.written[string(v.Canonical())] = struct{}{}
		}
	}
	if len(m.short) > fewMembers {
		m.strings = make(map[string]struct{}, len(m.short))
		for _, s := range m.short {
			m.strings[s] = struct{}{}
		}
	}
	return m
}

func (m *members) has(d *document, i uint32) bool {
	if d.nodes[i].kind == uint8(String) {
		s := d.text(i)
		if m.strings != nil {
			_, ok := m.strings[s]
			return ok
		}
		return slices.Contains(m.short, s)
	}
	if m.written != nil {
		_, ok := m.written[string(d.canonical(nil, i))]
		return ok
	}
	for _, v := range m.others {
		if equal(v.d, v.i, d, i) {
			return true
		}
	}
	return false
}
