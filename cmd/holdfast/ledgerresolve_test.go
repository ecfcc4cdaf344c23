package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

const anaPays = `{"to":"ana"}`

// lostWrite leaves a write behind that was started and never settled.
func lostWrite(t *testing.T, file string) string {
	t.Helper()
	store, err := sqlite.Open(t.Context(), file, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.New(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, standing, err := l.Start(t.Context(), ledger.Claim{Entry: ledger.Entry{
		Run: "r", Turn: 1, Round: 1, Tool: "bank.pay", Effect: holdfast.Write, Key: "k", Arguments: []byte(anaPays), ArgumentsDigest: "d",
		Principal: holdfast.Principal{Tenant: "local", ID: "ana"},
	}})
	if err != nil || !standing.Free() {
		t.Fatalf("Start() = %+v, %v, want a start", standing, err)
	}
	for _, c := range []interface{ Close() error }{l, store} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return e.ID
}

// TestResolve_with_a_result_tells_it_as_the_writes_own gives a lost write the
// answer that it had, which a replay then has.
func TestResolve_with_a_result_tells_it_as_the_writes_own(t *testing.T) {
	file := filepath.Join(t.TempDir(), "l.db")
	id := lostWrite(t, file)
	resolve := func(stdin string, args ...string) (int, string) {
		var out bytes.Buffer
		args = append([]string{"ledger", "resolve", id, "--ledger", file, "--evidence", "seen"}, args...)
		code := run(t.Context(), args, strings.NewReader(stdin), &out, &out)
		return code, out.String()
	}
	for _, args := range [][]string{
		{"--happened", "--result", "{"},
		{"--happened", "--result", "\"\xff\""},
		{"--happened", "--result", "-"},
		{"--did-not-happen", "--result", "{}"},
	} {
		if code, out := resolve("", args...); code != exitMisuse {
			t.Errorf("resolve %q exits with %d, want %d:\n%s", args, code, exitMisuse, out)
		}
	}
	code, out := resolve(`{"receipt":9007199254740993}`+"\n", "--happened", "--result", "-", "--json")
	if want := `"result":{"json":{"receipt":9007199254740993}`; code != exitDone || !strings.Contains(out, want) {
		t.Errorf("resolve --result - exits with %d and says %q, want %q in it", code, out, want)
	}
}

// TestResolve_is_a_persons_word_once resolves a lost write either way: with
// evidence, once, and not again.
func TestResolve_is_a_persons_word_once(t *testing.T) {
	for _, tt := range []struct{ flag, state, says string }{
		{"--happened", "ok", "a person looked and found the effect"},
		{"--did-not-happen", "failed no_effect", "a person looked and found nothing"},
	} {
		t.Run(tt.state, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "l.db")
			id := lostWrite(t, file)
			resolve := func(args ...string) (int, string) {
				var out bytes.Buffer
				code := run(t.Context(), append([]string{"ledger", "resolve", id, "--ledger", file}, args...), strings.NewReader(""), &out, &out)
				return code, out.String()
			}
			for _, args := range [][]string{
				{tt.flag},
				{tt.flag, "--evidence", " "},
				{"--evidence", "seen"},
				{"--happened", "--did-not-happen", "--evidence", "seen"},
			} {
				if code, out := resolve(args...); code != exitMisuse {
					t.Errorf("resolve %q exits with %d, want %d:\n%s", args, code, exitMisuse, out)
				}
			}
			code, out := resolve(tt.flag, "--evidence", "statement of May")
			if code != exitDone {
				t.Fatalf("resolve %s exits with %d:\n%s", tt.flag, code, out)
			}
			for _, want := range []string{"state       " + tt.state, tt.says, "statement of May"} {
				if !strings.Contains(out, want) {
					t.Errorf("resolve %s says %q, want %q in it", tt.flag, out, want)
				}
			}
			if code, out := resolve(tt.flag, "--evidence", "again"); code != exitOther || !strings.Contains(out, "only an uncertain one can be resolved") {
				t.Errorf("resolve again exits with %d and %q, want %d and why", code, out, exitOther)
			}
		})
	}
}
