package scripted

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// request is what all formats' requests say.
type request struct {
	api    string
	bytes  int
	model  string
	stream bool
	usage  bool // usage in the stream was asked for
	array  bool // a streamed JSON array instead of events
	system string
	tools  []tool
	items  []item
}

type tool struct {
	name       string
	parameters json.RawMessage
}

// item is one entry of the conversation: a person's message, a model's reply or
// the results of a reply's calls.
type item struct {
	kind    itemKind
	text    string
	calls   []seenCall
	results []seenResult
	thought string // id of the reasoning that a reply opened with, where it has one
	at      int    // index in the request, for messages
}

type itemKind int

const (
	person itemKind = iota
	model
	results
)

type seenCall struct{ id, name string }

type seenResult struct {
	id, name, text string
	failed         bool
}

var sentName = names{regexp.MustCompile(`^[a-zA-Z0-9_-]+$`), 64}

// names are those that a provider takes. Their length stands beside the pattern:
// in it, it would become as many copies of the pattern, in each process that starts.
type names struct {
	pattern *regexp.Regexp
	most    int
}

// MatchString reports whether the provider takes s.
func (n names) MatchString(s string) bool { return len(s) <= n.most && n.pattern.MatchString(s) }

// checkText refuses what no provider's JSON parser takes.
func checkText(body []byte) *fault {
	if !utf8.Valid(body) {
		return invalid("the request body is not valid UTF-8")
	}
	if !json.Valid(body) {
		return invalid("the request body is not valid JSON")
	}
	if i := loneSurrogate(string(body)); i >= 0 {
		return invalid("the request body is not valid JSON: no low surrogate in string at byte %d", i)
	}
	return nil
}

// loneSurrogate is the index of an escape that is half a character, or -1.
func loneSurrogate(s string) int {
	for i := 0; i+6 <= len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if s[i+1] != 'u' {
			i++
			continue
		}
		switch {
		case isSurrogate(s[i:], "89abAB"):
			if i+12 > len(s) || !isSurrogate(s[i+6:], "cdefCDEF") {
				return i
			}
			i += 11
		case isSurrogate(s[i:], "cdefCDEF"):
			return i
		default:
			i += 5
		}
	}
	return -1
}

func isSurrogate(s, third string) bool {
	return len(s) >= 6 && s[0] == '\\' && s[1] == 'u' && (s[2] == 'd' || s[2] == 'D') && strings.IndexByte(third, s[3]) >= 0
}

func checkTools(tools []tool) *fault {
	if len(tools) > 128 {
		return invalid("tools: at most 128 are allowed, %d were sent", len(tools))
	}
	seen := map[string]bool{}
	for i, t := range tools {
		if seen[t.name] {
			return invalid("tools.%d: the name %q stands twice", i, t.name)
		}
		seen[t.name] = true
		var schema struct {
			Type json.RawMessage `json:"type"`
		}
		if t.parameters == nil || string(t.parameters) == "null" {
			continue
		}
		if json.Unmarshal(t.parameters, &schema) != nil || (schema.Type != nil && !strings.EqualFold(string(schema.Type), `"object"`)) {
			return invalid("tools.%d: the schema of %q must be of type object", i, t.name)
		}
	}
	return nil
}

// pairing says how strictly a format pairs.
type pairing struct {
	// unique: an id may stand once in the whole conversation, not once a reply.
	unique bool
	// byName: results are matched by position and name; ids only where sent.
	byName bool
}

// checkPairs checks that every call is answered exactly once, in order, directly
// after its reply, and that nothing else is.
func checkPairs(items []item, p pairing) *fault {
	all := map[string]bool{}
	for i, it := range items {
		if it.kind == results && (i == 0 || items[i-1].kind != model || len(items[i-1].calls) == 0) {
			return invalid("messages.%d: result %q does not follow a reply with calls", it.at, firstID(it.results))
		}
		if it.kind != model || len(it.calls) == 0 {
			continue
		}
		here := map[string]bool{}
		for _, c := range it.calls {
			if c.id == "" && !p.byName {
				return invalid("messages.%d: call of %q has no id", it.at, c.name)
			}
			if c.id != "" && (here[c.id] || (p.unique && all[c.id])) {
				return invalid("messages.%d: call ids must be unique: %q", it.at, c.id)
			}
			here[c.id], all[c.id] = true, true
		}
		if i+1 == len(items) || items[i+1].kind != results {
			return invalid("messages.%d: calls without results directly after them: %s", it.at, idList(it.calls))
		}
		if bad := checkAnswers(it, items[i+1], p); bad != nil {
			return bad
		}
	}
	return nil
}

// checkAnswers checks one reply's calls against the results after it.
func checkAnswers(reply, answers item, p pairing) *fault {
	given := map[string]int{}
	for _, r := range answers.results {
		given[r.id]++
	}
	for _, c := range reply.calls {
		if n := given[c.id]; c.id != "" && n != 1 {
			return invalid("messages.%d: call %q has %d results, not one", reply.at, c.id, n)
		}
	}
	if len(answers.results) != len(reply.calls) {
		return invalid("messages.%d: %d results for %d calls", answers.at, len(answers.results), len(reply.calls))
	}
	for i, c := range reply.calls {
		r := answers.results[i]
		if r.id != c.id {
			return invalid("messages.%d: result %d is of call %q where %q was expected", answers.at, i, r.id, c.id)
		}
		if p.byName && r.name != c.name {
			return invalid("messages.%d: result %d is named %q where %q was expected", answers.at, i, r.name, c.name)
		}
	}
	return nil
}

func firstID(rs []seenResult) string {
	if len(rs) == 0 {
		return ""
	}
	return rs[0].id
}

func idList(calls []seenCall) string {
	ids := make([]string, len(calls))
	for i, c := range calls {
		ids[i] = c.id
		if c.id == "" {
			ids[i] = c.name
		}
	}
	return strings.Join(ids, ", ")
}

// digest of parts, in hex: the source of every id.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// sign makes the signature that a client cannot make up and must send back.
func sign(parts ...string) string {
	sum := sha256.Sum256([]byte("scripted\x00" + strings.Join(parts, "\x00")))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// isObject reports whether raw is a JSON object.
func isObject(raw json.RawMessage) bool {
	for _, b := range raw {
		switch b {
		case ' ', '\t', '\r', '\n':
		default:
			return b == '{'
		}
	}
	return false
}

// text of a content that is a string or a list of parts.
func contentText(raw json.RawMessage) (text string, ok bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", true
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, true
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", false
	}
	for _, p := range parts {
		text += p.Text
	}
	return text, true
}
