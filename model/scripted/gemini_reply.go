package scripted

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// foreignSignature stands, by the provider's documentation, for a call that
// another model made.
const foreignSignature = "skip_thought_signature_validator"

// thoughtSignature proves itself, so that a server without memory can tell one
// that came back whole.
func thoughtSignature(seed string) string {
	nonce := digest(seed)[:16]
	return base64.StdEncoding.EncodeToString([]byte(nonce + sign(nonce)))
}

func validSignature(s string) bool {
	if s == foreignSignature {
		return true
	}
	b, err := base64.StdEncoding.DecodeString(s)
	return err == nil && len(b) > 16 && string(b[16:]) == sign(string(b[:16]))
}

var geminiStops = map[string]string{
	"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY",
	"refusal": "SAFETY", "pause": "STOP", "malformed": "MALFORMED_FUNCTION_CALL",
}

// callParts are a call as parts; only the first own call is signed.
func (c *playedCall) callParts(signed bool) []json.RawMessage {
	if c.byProvider() {
		code, err := encode(string(c.object()))
		if err != nil {
			return nil
		}
		return c.withResult(
			obj("executableCode", obj("language", "PYTHON", "code", json.RawMessage(code))),
			obj("codeExecutionResult", obj("outcome", "OUTCOME_OK", "output", "")),
		)
	}
	var call object
	if id := c.idWith("call_", ""); id != "" {
		call.set("id", id)
	}
	call.set("name", c.name)
	if strings.TrimSpace(c.arguments) != "" {
		call.set("args", c.object())
	}
	if signed {
		return []json.RawMessage{obj("functionCall", call.done(), "thoughtSignature", thoughtSignature(c.mark))}
	}
	return []json.RawMessage{obj("functionCall", call.done())}
}

// content is a reply's parts, each text cut into pieces of its own if streamed.
func (gemini) content(p *played, streamed bool) []frameOf {
	cut := func(text string) []string {
		if streamed {
			return joinPieces(pieces(text))
		}
		if text == "" {
			return nil
		}
		return []string{text}
	}
	var parts []frameOf
	for _, s := range cut(p.reasoning) {
		parts = append(parts, frameOf{opening, []json.RawMessage{obj("text", s, "thought", true)}})
	}
	for _, s := range cut(p.text) {
		parts = append(parts, frameOf{inText, []json.RawMessage{obj("text", s)}})
	}
	signed := true
	for i := range p.calls {
		parts = append(parts, frameOf{inCall, p.calls[i].callParts(signed)})
		signed = signed && p.calls[i].byProvider()
	}
	if p.reasoning != "" && len(p.calls) == 0 {
		parts = append(parts, frameOf{closing, []json.RawMessage{obj("text", "", "thoughtSignature", thoughtSignature(p.id))}})
	}
	if p.stop == "malformed" {
		return nil
	}
	return parts
}

type frameOf struct {
	part  part
	parts []json.RawMessage
}

// joinPieces makes chunks as large as this provider's: a few words.
func joinPieces(small []string) []string {
	var out []string
	for len(small) > 0 {
		n := min(4, len(small))
		out = append(out, strings.Join(small[:n], ""))
		small = small[n:]
	}
	return out
}

func (u usage) gemini() json.RawMessage {
	return obj("promptTokenCount", u.Input, "cachedContentTokenCount", u.Cached, "candidatesTokenCount", u.Output-u.Reasoning,
		"thoughtsTokenCount", u.Reasoning, "totalTokenCount", u.Input+u.Output)
}

// chunk is one response object; stop "" leaves the candidate open.
func (gemini) chunk(q *request, p *played, parts []json.RawMessage, stop string, used bool) json.RawMessage {
	var candidate object
	if parts != nil || stop == "STOP" {
		if parts == nil {
			parts = []json.RawMessage{obj("text", "")}
		}
		candidate.set("content", obj("parts", parts, "role", "model"))
	}
	if stop != "" {
		candidate.set("finishReason", stop)
	}
	if stop == "MALFORMED_FUNCTION_CALL" {
		candidate.set("finishMessage", "Malformed function call: "+firstName(p))
	}
	candidate.set("index", 0)
	var o object
	o.set("candidates", []json.RawMessage{candidate.done()})
	if used {
		o.set("usageMetadata", p.usage.gemini())
	}
	o.set("modelVersion", q.model)
	o.set("responseId", p.id[:22])
	return o.done()
}

func firstName(p *played) string {
	if len(p.calls) == 0 {
		return "print()"
	}
	return "print(default_api." + p.calls[0].name
}

func (f gemini) whole(q *request, p *played) []byte {
	var parts []json.RawMessage
	for _, c := range f.content(p, false) {
		parts = append(parts, c.parts...)
	}
	return f.chunk(q, p, parts, geminiStops[p.stop], true)
}

func (f gemini) stream(q *request, p *played) []frame {
	var bodies []frame
	for _, c := range f.content(p, true) {
		bodies = append(bodies, frame{c.part, string(f.chunk(q, p, c.parts, "", false))})
	}
	bodies = append(bodies, frame{ending, string(f.chunk(q, p, nil, geminiStops[p.stop], true))})
	for i := range bodies {
		switch {
		case !q.array:
			bodies[i].text = "data: " + bodies[i].text + "\r\n\r\n"
		case i == 0:
			bodies[i].text = "[" + bodies[i].text
		default:
			bodies[i].text = ",\r\n" + bodies[i].text
		}
	}
	if q.array {
		bodies = append(bodies, frame{ending, "\n]\n"})
	}
	return bodies
}

var googleStatus = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
	429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}

func (gemini) failed(f *fault) []byte {
	status, code := googleStatus[f.status], f.status
	if status == "" {
		status, code = "INTERNAL", 500
	}
	return obj("error", obj("code", code, "message", f.message, "status", status))
}

func (f gemini) inStream(bad *fault) frame {
	return frame{ending, "data: " + string(f.failed(bad)) + "\r\n\r\n"}
}
