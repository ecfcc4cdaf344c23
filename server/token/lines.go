package token

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"time"

	"github.com/holdfast-go/holdfast"
)

// line is one line of the file: a token that was made, or the id of one that was
// revoked. Fields are only ever added.
type line struct {
	ID        string    `json:"id,omitempty"`
	Digest    string    `json:"digest,omitempty"` // SHA-256 of the browser's proof
	Tenant    string    `json:"tenant,omitempty"`
	Principal string    `json:"principal,omitempty"`
	Scopes    []Scope   `json:"scopes,omitempty"`
	Note      string    `json:"note,omitempty"`
	Expires   time.Time `json:"expires,omitzero"`
	Revoke    string    `json:"revoke,omitempty"`
	At        time.Time `json:"at"`
	By        string    `json:"by,omitempty"`
}

func madeLine(t Token, digest string) line {
	return line{
		ID: t.ID, Digest: digest, Tenant: t.Principal.Tenant, Principal: t.Principal.ID, Scopes: t.Scopes, Note: t.Note,
		Expires: t.Expires, At: t.Created, By: t.CreatedBy,
	}
}

func (l line) text() ([]byte, error) {
	text, err := json.Marshal(l)
	return append(text, '\n'), err
}

// maxFile bounds the file: some ten thousand tokens.
const maxFile = 4 << 20

// parse reads a file whole. A line that is not understood may be the end of
// somebody's access, so that nobody is let in over it. What stands behind the
// last line's end is still being written, or was when a machine stopped: nobody
// was told of it, and it does not count.
func parse(text []byte) (file map[string]*kept, order []string, err error) {
	file = map[string]*kept{}
	for number := 1; ; number++ {
		row, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return file, order, nil
		}
		l, err := parseLine(row)
		if err == nil {
			order, err = l.into(file, order)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", number, err)
		}
		text = rest
	}
}

func parseLine(row []byte) (l line, err error) {
	dec := json.NewDecoder(bytes.NewReader(row))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return l, errors.New("it is not a line of this program's") // its text may hold a digest
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return l, errors.New("something stands behind the object")
	}
	return l, nil
}

func (l line) into(file map[string]*kept, order []string) ([]string, error) {
	if l.Revoke != "" {
		k := file[l.Revoke]
		if k == nil || l.ID != "" {
			return order, fmt.Errorf("it revokes %q, which was not made before it", l.Revoke)
		}
		if k.Revoked.IsZero() {
			k.Revoked, k.RevokedBy = l.At, l.By
		}
		return order, nil
	}
	t := Token{
		ID: l.ID, Principal: holdfast.Principal{Tenant: l.Tenant, ID: l.Principal}, Scopes: l.Scopes, Note: l.Note,
		Created: l.At, CreatedBy: l.By, Expires: l.Expires,
	}
	if err := t.check(time.Time{}); err != nil {
		return order, err
	}
	if l.ID == "" || len(l.Digest) != 64 || file[l.ID] != nil {
		return order, fmt.Errorf("token %q has no digest, or came before", l.ID)
	}
	file[l.ID] = &kept{t, l.Digest}
	return append(order, l.ID), nil
}

// privately refuses a file that others may change.
func privately(info fs.FileInfo) error {
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("the file of tokens may be written by others (mode %v); make it its owner's alone", info.Mode().Perm())
	}
	return nil
}
