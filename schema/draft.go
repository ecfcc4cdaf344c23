package schema

// Draft is a JSON Schema draft.
type Draft string

// The drafts that compile. The zero value means: what "$schema" says, else 2020-12.
const (
	Draft202012 Draft = "2020-12"
	Draft201909 Draft = "2019-09"
	Draft7      Draft = "7"
	Draft6      Draft = "6"
	Draft4      Draft = "4"
)

// Mode says what a schema asserts.
type Mode int

const (
	// ModeTool asserts formats and content, and needs an object at the root.
	ModeTool Mode = iota
	// ModeSpec is the specification's own meaning.
	ModeSpec
)

// Options of Compile; nil means defaults.
type Options struct {
	Draft Draft
	Mode  Mode
	// Remotes are the documents that references may lead to, by absolute
	// address. The network is never asked.
	Remotes map[string][]byte
	// Formats asserts the formats in ModeSpec too.
	Formats bool

	judging bool // compiling a metaschema, which is not judged by its own
}

// Limits of Read; a zero field means its default.
type Limits struct {
	Bytes    int // of the whole text; 1 MiB
	Depth    int // of nesting; 64
	String   int // bytes of one string; 256 KiB
	Digits   int // of one number; 400
	Exponent int // absolute; 400
}

// resolved fills the defaults in.
func (l *Limits) resolved() Limits {
	var r Limits
	if l != nil {
		r = *l
	}
	set := func(field *int, def int) {
		if *field <= 0 {
			*field = def
		}
	}
	set(&r.Bytes, 1<<20)
	set(&r.Depth, 64)
	set(&r.String, 256<<10)
	set(&r.Digits, 400)
	set(&r.Exponent, 400)
	// Offsets on the tape are 32 bits wide.
	r.Bytes = min(r.Bytes, 1<<31)
	return r
}
