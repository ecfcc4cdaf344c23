// Package catalogfile reads a catalog file, YAML or JSON, into a
// [holdfast.Catalog]: tools without a line of Go.
//
//	catalog, err := catalogfile.Load("travel.yaml")
//
// The file's form is one JSON Schema, [Schema], which ships with the package:
// the same definition checks a file here and completes it in an editor. All that
// is wrong with a file is listed at once, each fault with its line and its tool
// ([Error]); a faulty tool does not hide the faults of the others.
//
// Of YAML it takes what means the same to everybody: mappings, lists and
// scalars. Numbers keep their digits. It refuses anchors, aliases, merge keys,
// tags, several documents, names given twice, and numbers that JSON cannot write
// (0x1F, 1_000, .inf).
//
// What runs a tool is one of the kinds under run: static, a fixed result, for
// trying a catalog out, and http, one request (package sandbox/httpapi). The
// others are refused by name.
package catalogfile
