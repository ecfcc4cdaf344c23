package holdfast

import "strings"

// Label marks a run with what entered it, and is written name or name:tool, where
// the tool is the qualified one whose results brought it. Labels only grow.
type Label string

// Untrusted is the name of the label that a tool's results bring where its
// options say so.
const Untrusted Label = "untrusted"

// Of is the label with the tool that brings it.
func (l Label) Of(tool string) Label { return l.Name() + Label(":"+tool) }

// Name is the label without the tool that brought it.
func (l Label) Name() Label {
	name, _, _ := strings.Cut(string(l), ":")
	return Label(name)
}

// From is the tool that brought the label, or "".
func (l Label) From() string {
	_, tool, _ := strings.Cut(string(l), ":")
	return tool
}
