package wiretest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/internal/shared"
)

// recording is one recorded reply with what is expected of it.
type recording struct {
	name    string // folder/name
	format  string // the file's extension: sse, jsonl, json, eventstream
	bytes   []byte
	request []byte // the request it answers, nil where that was not recorded
	want    expected
}

// expected is NAME.expected.json, as far as the suite looks at it.
type expected struct {
	API         string          `json:"api"`
	HTTPStatus  *int            `json:"http_status"`
	Stop        *string         `json:"stop"`
	Terminal    bool            `json:"terminal_event_seen"`
	Error       json.RawMessage `json:"error"`
	Calls       []expectedCall  `json:"calls"`
	Text        string          `json:"text"`
	TextChars   int             `json:"text_length_chars"`
	Reasoning   bool            `json:"has_reasoning"`
	Usage       json.RawMessage `json:"usage"`
	Fidelity    string          `json:"fidelity"`
	Authentic   string          `json:"authenticity"`
	Crosschecks string          `json:"crosscheck_next_request"`
}

type expectedCall struct {
	ID               *string         `json:"id"`
	Name             string          `json:"name"`
	Args             json.RawMessage `json:"args"`
	ArgsRaw          *string         `json:"args_raw"`
	Complete         bool            `json:"complete"`
	Why              string          `json:"why"`
	Kind             string          `json:"kind"`
	Namespace        string          `json:"namespace"`
	ProviderExecuted bool            `json:"provider_executed"`
}

// recordings reads those whose expectation names one of the APIs.
func recordings(t testing.TB, apis []string) []recording {
	t.Helper()
	root := shared.Dir(t, "recordings")
	paths, err := filepath.Glob(filepath.Join(root, "*", "*.expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var found []recording
	for _, path := range paths {
		r := recording{}
		readJSON(t, path, &r.want)
		if !slices.Contains(apis, r.want.API) {
			continue
		}
		base := strings.TrimSuffix(path, ".expected.json")
		r.name = filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(base)
		for _, format := range []string{"sse", "jsonl", "json", "eventstream"} {
			if b, err := os.ReadFile(base + "." + format); err == nil {
				r.format, r.bytes = format, b
			}
		}
		if r.bytes == nil {
			t.Fatalf("recording %s has no reply", r.name)
		}
		if b, err := os.ReadFile(base + ".request.json"); err == nil {
			r.request = b
		}
		found = append(found, r)
	}
	return found
}

// forms are the byte forms in which r must mean the same: a file of events is
// also fed as server-sent events.
func (r *recording) forms() map[string][]byte {
	forms := map[string][]byte{r.format: r.bytes}
	if r.format == "jsonl" {
		var sse bytes.Buffer
		for line := range bytes.Lines(r.bytes) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				sse.WriteString("data: ")
				sse.Write(line)
				sse.WriteString("\n\n")
			}
		}
		forms["jsonl as sse"] = sse.Bytes()
	}
	return forms
}

func readJSON(t testing.TB, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("reading %s: %v", path, err)
	}
}
