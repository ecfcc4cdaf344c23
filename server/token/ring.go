package token

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// Ring is all tokens of a file, and those that the program was given. Safe for
// concurrent use, and for several processes over one file.
type Ring struct {
	path string
	now  func() time.Time

	mu    sync.Mutex
	seen  fs.FileInfo // as the file was read last; nil: it was not there
	cut   bool        // its last line did not come whole
	file  map[string]*kept
	order []string
	given []*kept
}

// Options of Open; nil means defaults, and so does each zero field.
type Options struct {
	Now func() time.Time // time.Now
}

// kept is a token with the digest of its secret.
type kept struct {
	Token
	digest string
}

// Open reads the tokens of a file, which need not be there yet. Without a path
// there are only those that the program is given.
func Open(path string, o *Options) (*Ring, error) {
	r := &Ring{path: path, now: time.Now, file: map[string]*kept{}}
	if o != nil && o.Now != nil {
		r.now = o.Now
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(); err != nil {
		return nil, err
	}
	return r, nil
}

// Give adds a secret that somebody else made, for as long as the program runs.
func (r *Ring) Give(secret string, t Token) error {
	if secret == "" {
		return errors.New("a token without a secret")
	}
	if err := t.check(r.now()); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t.ID = given
	r.given = append(r.given, &kept{t, digest(Proof(secret))})
	return nil
}

// Empty reports whether no token was ever made: then nobody can be asked for
// one. A token that expired or was revoked is one that was made. A file that
// cannot be read is not empty.
func (r *Ring) Empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refresh() == nil && len(r.file)+len(r.given) == 0
}

// Check is the token of a secret.
func (r *Ring) Check(secret string) (Token, error) { return r.CheckProof(Proof(secret)) }

// CheckProof is the token of a browser's proof.
func (r *Ring) CheckProof(proof string) (Token, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(); err != nil {
		return Token{}, err
	}
	found := r.find(proof)
	switch {
	case found == nil:
		return Token{}, ErrUnknown
	case !found.Revoked.IsZero():
		return Token{}, ErrRevoked
	case !found.Expires.IsZero() && !r.now().Before(found.Expires):
		return Token{}, ErrExpired
	}
	return found.Token, nil
}

func (r *Ring) find(proof string) *kept {
	sum := digest(proof)
	id, _ := idOf(proof)
	if k := r.file[id]; k != nil && same(k.digest, sum) {
		return k
	}
	for _, k := range r.given {
		if same(k.digest, sum) {
			return k
		}
	}
	return nil
}

// List is every token of the file, in the order in which they were made.
func (r *Ring) List() ([]Token, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(); err != nil {
		return nil, err
	}
	list := make([]Token, 0, len(r.order))
	for _, id := range r.order {
		t := r.file[id].Token
		t.Scopes = slices.Clone(t.Scopes)
		list = append(list, t)
	}
	return list, nil
}

// Create makes a token and is the only one to see its secret. by is who makes
// it.
func (r *Ring) Create(t Token, by string) (secret string, made Token, err error) {
	t.Created, t.CreatedBy = r.now().UTC().Truncate(time.Second), by
	if err := t.check(t.Created); err != nil {
		return "", t, err
	}
	t.Scopes = slices.Clone(t.Scopes)
	t.ID, secret = newSecret()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(); err != nil { // not onto a file that nobody can read
		return "", t, err
	}
	if err := r.append(madeLine(t, digest(Proof(secret)))); err != nil {
		return "", t, err
	}
	return secret, t, nil
}

// Revoke ends a token for good; by is who does it.
func (r *Ring) Revoke(id, by string) (Token, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(); err != nil {
		return Token{}, err
	}
	k := r.file[id]
	switch {
	case k == nil:
		return Token{}, fmt.Errorf("token %q: %w", id, ErrUnknown)
	case !k.Revoked.IsZero():
		return k.Token, fmt.Errorf("token %q: %w on %s", id, ErrRevoked, k.Revoked.Format(time.DateOnly))
	}
	err := r.append(line{Revoke: id, At: r.now().UTC().Truncate(time.Second), By: by})
	if err == nil {
		err = r.refresh()
	}
	if err != nil {
		return Token{}, err
	}
	return r.file[id].Token, nil
}

// refresh reads the file again where it changed.
func (r *Ring) refresh() error {
	if r.path == "" {
		return nil
	}
	info, err := os.Stat(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		if r.seen != nil {
			return fmt.Errorf("the file of tokens is gone: %w", err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the tokens: %w", err)
	}
	if r.seen != nil && os.SameFile(r.seen, info) && r.seen.Size() == info.Size() && r.seen.ModTime().Equal(info.ModTime()) {
		return nil
	}
	if err := privately(info); err != nil {
		return err
	}
	if info.Size() > maxFile {
		return fmt.Errorf("reading the tokens: the file is larger than %d bytes", maxFile)
	}
	text, err := os.ReadFile(r.path)
	if err != nil {
		return fmt.Errorf("reading the tokens: %w", err)
	}
	file, order, err := parse(text)
	if err != nil {
		return fmt.Errorf("reading the tokens: %w", err)
	}
	r.file, r.order, r.seen, r.cut = file, order, info, len(text) > 0 && text[len(text)-1] != '\n'
	return nil
}

// append adds a line, durable before it is told of.
func (r *Ring) append(l line) (err error) {
	switch {
	case r.path == "":
		return errors.New("there is no file of tokens")
	case r.cut:
		return errors.New("the last line of the tokens' file is cut, so nobody was told of it; remove it first")
	}
	f, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("writing the tokens: %w", err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = fmt.Errorf("writing the tokens: %w", err)
		}
	}()
	text, err := l.text()
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err != nil { // one write: lines of two processes do not mix
		return err
	}
	return f.Sync()
}
