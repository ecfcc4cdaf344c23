// Package rules is how a compiled schema looks from inside this module: what
// schema made of a document, with its references followed and its patterns
// translated, for packages that turn it into something else. It holds no logic.
package rules

// Schema is a compiled schema.
type Schema struct {
	Root *Rule
	// Object says that the root must be an object, whatever the rule says.
	Object bool
	// Accepts decides whether a JSON text satisfies a rule; decided is false where
	// the validator gave up.
	Accepts func(r *Rule, json string) (ok, decided bool)
}

// Rule is one schema or subschema. What it does not assert is nil or zero.
type Rule struct {
	ID     int    // a number that whoever reads the rules may change
	Path   string // JSON Pointer
	Always int8   // 1: true, -1: false
	Types  Types  // 0: every type
	Enum   []Value
	HasSet bool // Enum is asserted, even if it is empty; const counts as an enum of one
	Const  []Value

	Number *Number
	String *String
	Array  *Array
	Object *Object

	Ref     *Rule
	Dynamic bool // a dynamic reference whose target depends on the way
	AllOf   []*Rule
	AnyOf   []*Rule
	OneOf   []*Rule
	Not     *Rule
	If      *Rule
	Then    *Rule
	Else    *Rule
}

// Types is a set of JSON types.
type Types uint8

// The types; Number holds Integer.
const (
	Null Types = 1 << iota
	Bool
	Integer
	Num
	Str
	Arr
	Obj
)

// Value is a JSON value that a schema names.
type Value struct {
	JSON string
	Type Types  // Num for every number
	Text string // of a string
}

// Number holds bounds as the literals of the schema, "" where there is none.
type Number struct {
	Min, Max, Above, Below, Step string
}

// String is what a rule asserts of strings; MaxLen is negative where there is none.
type String struct {
	MinLen, MaxLen int
	Pattern        *Pattern
	Format         string // only where formats are asserted
	IsFormat       func(string) bool
	Base64         bool // the content is base64
	JSON           bool // the content is JSON
}

// Pattern is a pattern in RE2's syntax.
type Pattern struct {
	Source string
	RE2    string
	// Looks says that RE2 holds what RE2 itself cannot take: look-around groups.
	Looks bool
	// Match decides a text; decided is false where the validator gave up.
	Match func(text string) (ok, decided bool)
}

// Array is what a rule asserts of arrays; maxima are negative where there are none.
type Array struct {
	Prefix                   []*Rule
	Rest                     *Rule
	MinLen, MaxLen           int
	Unique                   bool
	Contains                 *Rule
	MinContains, MaxContains int
	// Marks says that elements which match Contains count as evaluated.
	Marks       bool
	Unevaluated *Rule
}

// Object is what a rule asserts of objects; MaxLen is negative where there is none.
type Object struct {
	Properties     []Property
	Patterns       []PatternProperty
	Rest           *Rule
	Names          *Rule
	MinLen, MaxLen int
	Depends        []Dependency
	Unevaluated    *Rule
}

// Property is a name that is declared, required or both.
type Property struct {
	Name     string
	Rule     *Rule // nil where the name is only required
	Required bool
}

// PatternProperty holds for the names that the pattern matches.
type PatternProperty struct {
	Pattern *Pattern
	Rule    *Rule
}

// Dependency holds where the object has the name.
type Dependency struct {
	Name  string
	Needs []string
	Rule  *Rule
	Word  string // the keyword
}
