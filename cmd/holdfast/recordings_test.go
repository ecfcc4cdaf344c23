package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/internal/shared"
)

// expected is what a recording is known to hold, as far as parse shows it.
type expected struct {
	API      string          `json:"api"`
	Fidelity string          `json:"fidelity"`
	Stop     string          `json:"stop"`
	Text     string          `json:"text"`
	Error    json.RawMessage `json:"error"`
	Calls    []struct {
		ID       string  `json:"id"`
		Name     string  `json:"name"`
		Raw      *string `json:"args_raw"`
		Complete bool    `json:"complete"`
	} `json:"calls"`
}

// facts are what both sides are compared by. The codecs' own tests go deeper.
type facts struct {
	Stop, Text string
	Failed     bool
	Calls      []callFacts
}

type callFacts struct {
	ID, Name, Text string
	Complete       bool
}

// TestParseAgreesWithEveryRecording reads each recorded reply as a person would:
// by its API's name, and left to find out by itself.
func TestParseAgreesWithEveryRecording(t *testing.T) {
	root := shared.Dir(t, "recordings")
	files, err := filepath.Glob(filepath.Join(root, "*", "*.expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		want := readExpected(t, file)
		reply := recordedReply(t, strings.TrimSuffix(file, ".expected.json"), want.Fidelity)
		for _, api := range []string{want.apiName(), autoAPI} {
			var out, errs bytes.Buffer
			if code := run(t.Context(), []string{"parse", "--json", "--api", api, "-"}, bytes.NewReader(reply), &out, &errs); code != exitDone {
				t.Errorf("parse --api %s of %s exits with %d: %s", api, file, code, errs.String())
				continue
			}
			gotAPI, got := readParsed(t, out.Bytes(), want)
			if gotAPI != want.apiName() {
				t.Errorf("parse --api %s of %s says api %s, want %s", api, file, gotAPI, want.apiName())
			}
			if diff := cmp.Diff(want.facts(), got); diff != "" {
				t.Errorf("parse --api %s of %s differs (-want +got):\n%s", api, file, diff)
			}
		}
	}
	t.Logf("%d recordings", len(files))
}

func readExpected(t *testing.T, file string) expected {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var e expected
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return e
}

// apiName is the API by our name for it.
func (e expected) apiName() string {
	switch e.API {
	case "chat", "responses":
		return "openai-" + e.API
	case "converse", "invoke":
		return "bedrock-" + e.API
	case "vertex-raw":
		return "anthropic"
	}
	return e.API
}

func (e expected) facts() facts {
	f := facts{Stop: e.Stop, Text: e.Text, Failed: len(e.Error) > 0 && string(e.Error) != "null"}
	for _, c := range e.Calls {
		call := callFacts{ID: c.ID, Name: c.Name, Complete: c.Complete}
		if c.Raw != nil {
			call.Text = *c.Raw
		}
		f.Calls = append(f.Calls, call)
	}
	return f
}

// recordedReply is a recording's bytes; one that kept only the events' JSON gets
// its framing back.
func recordedReply(t *testing.T, base, fidelity string) []byte {
	t.Helper()
	for _, ending := range []string{".sse", ".jsonl", ".json", ".eventstream"} {
		text, err := os.ReadFile(base + ending)
		if err != nil {
			continue
		}
		if fidelity == "events" && ending == ".jsonl" {
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			return []byte("data: " + strings.Join(lines, "\n\ndata: ") + "\n\n")
		}
		return text
	}
	t.Fatalf("%s has no recording", base)
	return nil
}

// readParsed reads what parse wrote; the exact argument text counts where the
// recording has one.
func readParsed(t *testing.T, out []byte, want expected) (api string, f facts) {
	t.Helper()
	var p struct {
		API   string  `json:"api"`
		Stop  *string `json:"stop"`
		Text  string  `json:"text"`
		Error *struct{}
		Calls []struct {
			ID            *string `json:"id"`
			Name          string  `json:"name"`
			ArgumentsText string  `json:"arguments_text"`
			Complete      bool    `json:"complete"`
		} `json:"calls"`
	}
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatalf("parse wrote %s: %v", out, err)
	}
	f = facts{Text: p.Text, Failed: p.Error != nil}
	if p.Stop != nil {
		f.Stop = *p.Stop
	}
	for i, c := range p.Calls {
		call := callFacts{Name: c.Name, Complete: c.Complete}
		if c.ID != nil {
			call.ID = *c.ID
		}
		if i < len(want.Calls) && want.Calls[i].Raw != nil {
			call.Text = c.ArgumentsText
		}
		f.Calls = append(f.Calls, call)
	}
	return p.API, f
}
