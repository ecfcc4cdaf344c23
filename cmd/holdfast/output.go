package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"

	"golang.org/x/term"

	"github.com/holdfast-go/holdfast/internal/visible"
)

// wantsJSON tells whether a command whose result is data writes it as JSON: as
// --json says, and without it when nobody reads along at a terminal.
func (a *app) wantsJSON() bool {
	if a.jsonSet {
		return a.json
	}
	return !isTerminal(a.stdout)
}

// colours tells whether stderr or stdout may be coloured.
func (a *app) colours(w io.Writer) bool {
	if v, ok := a.env("NO_COLOR"); ok && v != "" {
		return false
	}
	return isTerminal(w) && a.understandsSequences(runtime.GOOS)
}

// understandsSequences tells whether the terminal acts on ANSI sequences: on
// Windows the old console does not.
func (a *app) understandsSequences(goos string) bool {
	name, named := a.env("TERM")
	_, modern := a.env("WT_SESSION")
	return name != "dumb" && (goos != "windows" || named || modern)
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// writeJSON writes v on one line. Characters that would act on a terminal stand
// as escapes, which leaves the value as it is.
func writeJSON(w io.Writer, v any) error {
	text, err := encode(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, visible.JSON(text))
	return err
}

// encode is JSON without HTML escapes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding the result: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// list is s, or an empty list where there is none: JSON's [] and not null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
