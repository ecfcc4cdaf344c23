// Package changes reads what a precondition found, where it tells it as a list of
// values that would be replaced.
package changes

import "encoding/json"

// Change is a value that would be replaced.
type Change struct {
	What     json.RawMessage // whatever else is said of it: it names the value
	Names    []string        // the texts of that
	Old, New json.RawMessage
}

// Of lists the changes of a finding: objects with "old" and "new". Of any other
// it knows nothing.
func Of(found json.RawMessage) (list []Change, ok bool) {
	var objects []map[string]json.RawMessage
	if json.Unmarshal(found, &objects) != nil {
		return nil, false
	}
	for _, o := range objects {
		change := Change{Old: o["old"], New: o["new"]}
		if change.Old == nil || change.New == nil {
			return nil, false
		}
		delete(o, "old")
		delete(o, "new")
		for _, v := range o {
			if s := ""; json.Unmarshal(v, &s) == nil {
				change.Names = append(change.Names, s)
			}
		}
		what, err := json.Marshal(o)
		if err != nil {
			return nil, false
		}
		change.What = what
		list = append(list, change)
	}
	return list, true
}
