package wiretest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
)

var update = flag.Bool("update", false, "rewrite what the scenarios in testdata expect")

// testScenarios runs the scenarios of our own making, one a file in testdata: a
// txtar archive whose comment says why it is there.
//
//	reply.sse, reply.json, reply.jsonl   the reply's bytes
//	reply.eventstream                    lines of NAME JSON, sent as AWS messages
//	want.json                            the reply as ParseJSON shows it
//	next.json                            the history after the calls were answered
func testScenarios(t *testing.T, o Options) {
	paths, err := filepath.Glob(filepath.Join("testdata", o.Codec.API()+"*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(strings.TrimPrefix(name, o.Codec.API()+"-"), func(t *testing.T) { runScenario(t, o.Codec, path) })
	}
}

func runScenario(t *testing.T, c wire.Codec, path string) {
	a := readArchive(t, path)
	if strings.TrimSpace(a.comment) == "" {
		t.Errorf("%s does not say why it is there", path)
	}
	b := a.reply(t)
	reply, _ := decode(c, b)
	testSplits(t, c, path, b, reply)
	changed := a.expect(t, "want.json", wire.ParseJSON(reply))
	if _, ok := a.file("next.json"); ok {
		messages, err := c.History(answered(reply), nil)
		if err != nil {
			t.Fatalf("History: %v", err)
		}
		next, err := json.Marshal(messages)
		if err != nil {
			t.Fatalf("History is no JSON: %v", err)
		}
		changed = a.expect(t, "next.json", next) || changed
	}
	if changed {
		a.write(t, path)
	}
}

// answered is a conversation in which each call of the reply was answered, the
// last of several with an error.
func answered(r *wire.Reply) []wire.Item {
	items := []wire.Item{{User: "Go."}, {Reply: r}}
	var results []holdfast.Observation
	for i, c := range r.Calls {
		o := holdfast.Observation{CallID: c.ID, Name: c.Name, Position: i, JSON: fmt.Appendf(nil, `{"result":%d}`, i)}
		if i > 0 && i == len(r.Calls)-1 {
			o = holdfast.Observation{CallID: c.ID, Name: c.Name, Position: i, Error: true, JSON: json.RawMessage(`{"outcome":"rejected"}`)}
		}
		results = append(results, o)
	}
	if results != nil {
		items = append(items, wire.Item{Results: results})
	}
	return items
}

// archive is a txtar file.
type archive struct {
	comment string
	files   []archiveFile
}

type archiveFile struct{ name, data string }

func readArchive(t testing.TB, path string) *archive {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{}
	for line := range strings.Lines(string(b)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(name, " --") {
			a.files = append(a.files, archiveFile{name: strings.TrimSuffix(name, " --")})
			continue
		}
		if len(a.files) == 0 {
			a.comment += line
			continue
		}
		a.files[len(a.files)-1].data += line
	}
	return a
}

func (a *archive) file(name string) (string, bool) {
	for _, f := range a.files {
		if f.name == name {
			return f.data, true
		}
	}
	return "", false
}

func (a *archive) reply(t testing.TB) []byte {
	t.Helper()
	for _, f := range a.files {
		switch f.name {
		case "reply.sse", "reply.json", "reply.jsonl":
			return []byte(f.data)
		case "reply.eventstream":
			return messages(t, f.data)
		}
	}
	t.Fatal("the scenario has no reply")
	return nil
}

// expect compares got with the file of that name, or, with -update, puts it there.
func (a *archive) expect(t *testing.T, name string, got []byte) (changed bool) {
	t.Helper()
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, got, "", "  "); err != nil {
		t.Fatalf("%s would be no JSON: %v", name, err)
	}
	pretty.WriteByte('\n')
	want, ok := a.file(name)
	if !*update {
		if diff := cmp.Diff(want, pretty.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		return false
	}
	for i := range a.files {
		if a.files[i].name == name {
			a.files[i].data = pretty.String()
		}
	}
	if !ok {
		a.files = append(a.files, archiveFile{name, pretty.String()})
	}
	return want != pretty.String()
}

func (a *archive) write(t *testing.T, path string) {
	t.Helper()
	var out strings.Builder
	out.WriteString(a.comment)
	for _, f := range a.files {
		out.WriteString("-- " + f.name + " --\n" + f.data)
	}
	if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// messages makes an AWS event stream of lines of NAME JSON.
func messages(t testing.TB, lines string) []byte {
	t.Helper()
	var out []byte
	for line := range strings.Lines(lines) {
		name, payload, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		kind, header := "event", ":event-type"
		if strings.HasSuffix(name, "Exception") {
			kind, header = "exception", ":exception-type"
		}
		out = append(out, message([][2]string{{":message-type", kind}, {header, name}}, []byte(payload))...)
	}
	return out
}

// Message is one message of an AWS event stream.
func Message(event string, payload []byte) []byte {
	return message([][2]string{{":message-type", "event"}, {":event-type", event}}, payload)
}

func message(headers [][2]string, payload []byte) []byte {
	var h []byte
	for _, kv := range headers {
		h = append(append(h, byte(len(kv[0]))), kv[0]...)
		h = append(binary.BigEndian.AppendUint16(append(h, 7), uint16(len(kv[1]))), kv[1]...)
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(h)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(h)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, h...), payload...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}
