package holdfast

import "fmt"

// Effect is what a tool does to the world.
type Effect string

// The effects. A tool states exactly one.
const (
	Read  Effect = "read"  // looks
	Write Effect = "write" // changes
	Agent Effect = "agent" // calls another model with its own prompt, tools and loop
)

func (e Effect) check() error {
	switch e {
	case Read, Write, Agent:
		return nil
	}
	return fmt.Errorf("effect %q is none of read, write, agent", string(e))
}

// Grade says what can be known of a write whose outcome was lost. It informs
// people; it never permits a second start by itself.
type Grade string

// The grades of a write tool.
const (
	Deduplicates Grade = "deduplicates" // its API deduplicates on our key
	Confirms     Grade = "confirm"      // a confirm function can tell
	Person       Grade = "person"       // only a person can tell
)
