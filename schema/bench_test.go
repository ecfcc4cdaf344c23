package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/holdfast-go/holdfast/internal/shared"
)

type benchCase struct {
	Name    string
	Schema  json.RawMessage
	Valid   string
	Invalid string
}

func benchCases(t testing.TB) []benchCase {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(shared.Dir(t, "schema-bench"), "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []benchCase
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// BenchmarkReadValidate is what a call costs from its bytes.
func BenchmarkReadValidate(b *testing.B) {
	for _, c := range benchCases(b) {
		s := mustCompile(b, string(c.Schema), nil)
		for _, x := range []struct {
			name  string
			text  []byte
			valid bool
		}{{"valid", []byte(c.Valid), true}, {"invalid", []byte(c.Invalid), false}} {
			b.Run(c.Name+"/"+x.name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(x.text)))
				for b.Loop() {
					v, err := Read(x.text, nil)
					if err != nil || s.Validate(v).Valid() != x.valid {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkValidate leaves reading out.
func BenchmarkValidate(b *testing.B) {
	for _, c := range benchCases(b) {
		s := mustCompile(b, string(c.Schema), nil)
		v := mustRead(b, c.Valid)
		b.Run(c.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !s.Validate(v).Valid() {
					b.Fatal("invalid")
				}
			}
		})
	}
}

// BenchmarkCompile compiles all real tools.
func BenchmarkCompile(b *testing.B) {
	tools := realTools(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, t := range tools {
			_, _ = Compile(t.InputSchema, nil)
		}
	}
}
