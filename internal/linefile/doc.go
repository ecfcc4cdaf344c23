// Package linefile reads YAML and JSON files that people write, strictly, into
// nodes that know their line: one document, no anchors, aliases, merge keys or
// tags, no name twice, and nothing that two readers of YAML understand in two ways.
// Numbers keep their digits.
package linefile
