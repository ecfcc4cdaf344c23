package catalogfile

import (
	"errors"
	"path"

	"github.com/holdfast-go/holdfast/policy"
)

// readPolicy reads the policy that the file names. It stands beside or below the
// file, and holds for the calls of its agents too: these name none of their own.
func (b *builder) readPolicy() {
	n := b.root.Get("policy")
	switch {
	case n == nil:
		return
	case len(b.chain) > 1:
		b.add(n.Place, "", "/policy", "the outermost catalog names the policy; it holds for its agents too")
		return
	case b.files == nil:
		b.add(n.Place, "", "/policy", "names a file, but the catalog has no folder to look in")
		return
	}
	text, err := readFile(b.files, path.Clean(n.Text))
	if err != nil {
		b.add(n.Place, "", "/policy", "reading the policy: "+err.Error())
		return
	}
	b.policy, err = policy.Parse(n.Text, text)
	if faults := (*policy.Error)(nil); errors.As(err, &faults) {
		for _, f := range faults.Faults {
			message := f.Message
			if f.Rule != "" {
				message = f.Rule + ": " + message
			}
			b.faults = append(b.faults, Fault{File: f.File, Line: f.Line, Column: f.Column, Path: f.Path, Message: message})
		}
	}
}

// unguarded refuses a file that names a policy where the caller gets none.
func unguarded(f *File, name string) error {
	if f.Policy == nil {
		return nil
	}
	return &Error{Faults: []Fault{{
		File: name, Path: "/policy", Message: "names a policy, which only Open loads with it: without it, what that denies would run",
	}}}
}
