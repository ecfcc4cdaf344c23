package token

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
)

var (
	ana   = holdfast.Principal{Tenant: "gym", ID: "ana"}
	start = time.Date(2024, 4, 11, 13, 0, 0, 0, time.UTC)
)

// clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func open(t *testing.T, path string, c *clock) *Ring {
	t.Helper()
	r, err := Open(path, &Options{Now: c.now})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	return r
}

func create(t *testing.T, r *Ring, in Token) (string, Token) {
	t.Helper()
	secret, made, err := r.Create(in, "root")
	if err != nil {
		t.Fatalf("Create = %v", err)
	}
	return secret, made
}

func TestATokenIsGoodUntilItExpiresOrIsRevoked(t *testing.T) {
	c, path := &clock{start}, filepath.Join(t.TempDir(), "tokens.jsonl")
	r, other := open(t, path, c), open(t, path, c) // another process
	if !r.Empty() {
		t.Error("a ring without a file is not empty, so a server would ask for a token that nobody has")
	}
	secret, made := create(t, r, Token{Principal: ana, Scopes: []Scope{Read}, Expires: start.Add(time.Hour), Note: "her phone"})
	lasting, _ := create(t, r, Token{Principal: ana, Scopes: []Scope{Admin}})
	for _, ring := range []*Ring{r, other} {
		got, err := ring.Check(secret)
		if diff := cmp.Diff(made, got); err != nil || diff != "" {
			t.Errorf("Check = %v, a token that differs from the one made (-want +got):\n%s", err, diff)
		}
		if ring.Empty() {
			t.Error("a ring with a token is empty")
		}
	}
	if !made.May(Read) || made.May(Admin) || made.May(Propose) {
		t.Errorf("a token for %v may do other things", made.Scopes)
	}
	for _, wrong := range []string{"", "hf_", secret + "x", secret[:len(secret)-1], strings.ToUpper(secret), made.ID, Proof(secret)} {
		if _, err := r.Check(wrong); !errors.Is(err, ErrUnknown) {
			t.Errorf("Check(%q) = %v, want %v", wrong, err, ErrUnknown)
		}
	}
	if got, err := other.CheckProof(Proof(secret)); err != nil || got.ID != made.ID {
		t.Errorf("CheckProof = %v, %v, want token %s", got.ID, err, made.ID)
	}
	if strings.Contains(Proof(secret), secret[len(secret)-20:]) {
		t.Error("the proof holds the secret")
	}
	c.at = start.Add(time.Hour)
	if _, err := r.Check(secret); !errors.Is(err, ErrExpired) {
		t.Errorf("Check at its expiry = %v, want %v", err, ErrExpired)
	}
	list, err := other.List()
	if err != nil || len(list) != 2 {
		t.Fatalf("List = %v, %v, want both tokens", list, err)
	}
	if _, err := other.Revoke(list[1].ID, "eva"); err != nil {
		t.Fatalf("Revoke = %v", err)
	}
	if _, err := r.Check(lasting); !errors.Is(err, ErrRevoked) {
		t.Errorf("Check of what another process revoked = %v, want %v", err, ErrRevoked)
	}
	if again, err := r.Revoke(list[1].ID, "ana"); !errors.Is(err, ErrRevoked) || again.RevokedBy != "eva" {
		t.Errorf("revoking again = %+v, %v, want %v and who did it first", again, err, ErrRevoked)
	}
	if _, err := r.Revoke("none", "ana"); !errors.Is(err, ErrUnknown) {
		t.Errorf("Revoke(none) = %v, want %v", err, ErrUnknown)
	}
	if r.Empty() {
		t.Error("a ring whose tokens all ended is empty, so a server would let everybody in")
	}
}

func TestTheFileHoldsNoSecretAndIsItsOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.jsonl")
	r := open(t, path, &clock{start})
	secret, _ := create(t, r, Token{Principal: ana, Scopes: Scopes()})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if half := secret[len(secret)-26:]; strings.Contains(string(text), half) || strings.Contains(string(text), Proof(secret)) {
		t.Errorf("the file %s holds the secret or a browser's proof", text)
	}
	if len(secret) < 52 {
		t.Errorf("the secret %q has fewer than 256 bits", secret)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode = %v, %v, want 0600", info.Mode().Perm(), err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, nil); err == nil || !strings.Contains(err.Error(), "by others") {
		t.Errorf("Open of a file that anybody may change = %v, want an error", err)
	}
}

func TestAFileThatCannotBeReadLetsNobodyIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.jsonl")
	r := open(t, path, &clock{start})
	secret, made := create(t, r, Token{Principal: ana, Scopes: Scopes()})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a line of something else": string(whole) + "hello\n",
		"an unknown field":         string(whole) + `{"id":"x","admin":true}` + "\n",
		"a revocation of nothing":  string(whole) + `{"revoke":"x","at":"2024-04-11T13:00:00Z"}` + "\n",
		"the same token twice":     string(whole) + string(whole),
		"a scope of tomorrow":      strings.ReplaceAll(string(whole), "admin", "owner"),
		"nobody's token":           strings.ReplaceAll(string(whole), `"principal":"ana",`, ""),
		"an empty line":            string(whole) + "\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Check(secret); err == nil || errors.Is(err, ErrUnknown) {
			t.Errorf("%s: Check = %v, want an error that names the line", name, err)
		}
		if r.Empty() {
			t.Errorf("%s: the ring is empty, so a server would let everybody in", name)
		}
		if _, _, err := r.Create(Token{Principal: ana, Scopes: Scopes()}, "root"); err == nil {
			t.Errorf("%s: Create = nil, want an error", name)
		}
	}
	// A line that is being written, or was when the machine stopped.
	cut := string(whole) + `{"revoke":"` + made.ID
	if err := os.WriteFile(path, []byte(cut), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Check(secret); err != nil {
		t.Errorf("Check beside a cut line = %v, want what was whole to count", err)
	}
	if _, err := r.Revoke(made.ID, "root"); err == nil {
		t.Error("Revoke onto a cut line = nil: the two would be one line that nobody can read")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Check(secret); err == nil || r.Empty() {
		t.Errorf("the file is gone: Check = %v and the ring is empty, want nobody let in", err)
	}
}

func TestWhatCannotBeMade(t *testing.T) {
	r := open(t, filepath.Join(t.TempDir(), "tokens.jsonl"), &clock{start})
	for name, in := range map[string]Token{
		"nobody":         {Scopes: Scopes()},
		"no tenant":      {Principal: holdfast.Principal{ID: "ana"}, Scopes: Scopes()},
		"no scope":       {Principal: ana},
		"unknown scope":  {Principal: ana, Scopes: []Scope{"write"}},
		"expired before": {Principal: ana, Scopes: Scopes(), Expires: start},
	} {
		if _, _, err := r.Create(in, "root"); err == nil {
			t.Errorf("%s: Create = nil, want an error", name)
		}
		if err := r.Give("secret", in); err == nil {
			t.Errorf("%s: Give = nil, want an error", name)
		}
	}
	if err := r.Give("", Token{Principal: ana, Scopes: Scopes()}); err == nil {
		t.Error("Give of an empty secret = nil: it would let everybody in")
	}
	memory := open(t, "", &clock{start})
	if _, _, err := memory.Create(Token{Principal: ana, Scopes: Scopes()}, "root"); err == nil {
		t.Error("Create without a file = nil: nobody would know of it")
	}
	if err := memory.Give("open sesame", Token{Principal: ana, Scopes: Scopes()}); err != nil {
		t.Fatalf("Give = %v", err)
	}
	if got, err := memory.Check("open sesame"); err != nil || got.Principal != ana {
		t.Errorf("Check of a given secret = %v, %v", got, err)
	}
	if _, err := memory.Check("open sesam"); !errors.Is(err, ErrUnknown) {
		t.Errorf("Check of another = %v, want %v", err, ErrUnknown)
	}
}

func TestTwoProcessesLoseNothingOfEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.jsonl")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			r, err := Open(path, nil)
			for range 25 {
				if err == nil {
					_, _, err = r.Create(Token{Principal: ana, Scopes: []Scope{Read}}, "root")
				}
			}
			if err != nil {
				t.Errorf("Create = %v", err)
			}
		})
	}
	all.Wait()
	if list, err := open(t, path, &clock{time.Now()}).List(); err != nil || len(list) != 100 {
		t.Errorf("List = %d tokens, %v, want all 100", len(list), err)
	}
}

func FuzzParse(f *testing.F) {
	path := filepath.Join(f.TempDir(), "tokens.jsonl")
	r, err := Open(path, nil)
	if err != nil {
		f.Fatal(err)
	}
	_, made, err := r.Create(Token{Principal: ana, Scopes: Scopes(), Note: "a note"}, "root")
	if err != nil {
		f.Fatal(err)
	}
	if _, err := r.Revoke(made.ID, "root"); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, order, err := parse(text)
		if err != nil {
			return
		}
		if len(file) != len(order) {
			t.Fatalf("%d tokens, %d in order", len(file), len(order))
		}
		for _, id := range order {
			if err := file[id].check(time.Time{}); err != nil {
				t.Fatalf("a token was read that could not be made: %v", err)
			}
		}
	})
}
