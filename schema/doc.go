// Package schema compiles a JSON Schema once and uses that one compiled
// definition for everything a tool's arguments need: reading them strictly,
// validating them with every problem listed, explaining, coercing, masking,
// generating and rewriting.
//
//	s, err := schema.Compile(definition, nil)       // a *CompileError names each fault and its fix
//	args, err := schema.Read(text, nil)             // strict JSON; limits before arithmetic
//	for _, p := range s.Validate(args).Problems {   // in document order
//		fmt.Println(p.Path, p.Message)
//	}
//
// A schema may also come from a Go type, by [For]. The tags of a field are desc,
// enum ("a|b"), min and max (of a number's value, a text's characters, a list's
// elements), pattern, format, example, secret ("true": writeOnly) and nullable
// ("true"). A field is required unless its json tag says omitempty or omitzero.
// A type may state its schema itself with a method JSONSchema() []byte.
//
// A value is read into one tape over its text; a schema becomes one program of
// rules. Validating decides first, without allocating, and explains only what
// was refused. Both are bounded by steps, not by time; patterns that RE2 cannot
// run are bounded by time as well.
//
// Where the package departs from the specification:
//
//   - In ModeTool, the default, formats and content are asserted and the root
//     must be an object. ModeSpec is the specification's own meaning.
//   - Numbers compare by value at every size, also in draft 4, which calls 1.0 no
//     integer.
//   - A schema that leads back to itself without descending into the value is
//     refused, since no evaluation of it would end.
//   - Values that stand twice in an enum, and names twice in required, are lint.
//   - References lead only to documents that were given; the network is never
//     asked.
//
// It refuses to repair: JSON that was cut off, text that is nearly a number, and
// names in other letters stay as they came.
package schema
