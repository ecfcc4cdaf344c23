package scripted

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// gemini is Google Gemini generateContent, as its third generation behaves:
// signatures on the first call of each step are demanded back.
type gemini struct{}

type geminiPart struct {
	Text      *string `json:"text"`
	Thought   bool    `json:"thought"`
	Signature string  `json:"thoughtSignature"`
	Call      *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
	Inline     json.RawMessage `json:"inlineData"`
	Executable json.RawMessage `json:"executableCode"`
	Executed   json.RawMessage `json:"codeExecutionResult"`
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

var geminiName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`)

func (gemini) read(body []byte, r *http.Request) (*request, *fault) {
	var in struct {
		Contents []geminiContent `json:"contents"`
		System   geminiContent   `json:"systemInstruction"`
		Tools    []struct {
			Functions []struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
				Schema     json.RawMessage `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, invalid("%v", err)
	}
	if len(in.Contents) == 0 {
		return nil, invalid("contents are required")
	}
	q := &request{model: modelOf(r.URL.Path), stream: strings.HasSuffix(r.URL.Path, ":streamGenerateContent"), usage: true}
	q.array = q.stream && r.URL.Query().Get("alt") != "sse"
	for _, p := range in.System.Parts {
		if p.Text != nil {
			q.system += *p.Text
		}
	}
	for _, t := range in.Tools {
		for i, f := range t.Functions {
			if !geminiName.MatchString(f.Name) {
				return nil, invalid("function_declarations[%d].name: invalid function name %q", i, f.Name)
			}
			if f.Parameters != nil && f.Schema != nil {
				return nil, invalid("function_declarations[%d]: parameters and parametersJsonSchema exclude each other", i)
			}
			schema := f.Parameters
			if schema == nil {
				schema = f.Schema
			}
			q.tools = append(q.tools, tool{f.Name, schema})
		}
	}
	for i := range in.Contents {
		if bad := q.addContent(i, &in.Contents[i]); bad != nil {
			return nil, bad
		}
	}
	if bad := checkSignatures(in.Contents); bad != nil {
		return nil, bad
	}
	return q, checkPairs(q.items, pairing{byName: true})
}

func modelOf(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	name, _, _ = strings.Cut(name, ":")
	return name
}

func (q *request) addContent(i int, c *geminiContent) *fault {
	if len(c.Parts) == 0 {
		return invalid("contents[%d].parts must not be empty", i)
	}
	switch c.Role {
	case "model":
		return q.addModelContent(i, c)
	case "user", "function", "":
		return q.addUserContent(i, c)
	}
	return invalid("contents[%d]: please use a valid role: user, model; not %q", i, c.Role)
}

func (q *request) addModelContent(i int, c *geminiContent) *fault {
	n := len(q.items)
	if n == 0 || q.items[n-1].kind == model {
		return invalid("contents[%d]: a model turn must come directly after a user turn or a function response turn", i)
	}
	it := item{kind: model, at: i}
	for j, p := range c.Parts {
		switch {
		case p.Call != nil:
			if p.Call.Args != nil && !isObject(p.Call.Args) || !geminiName.MatchString(p.Call.Name) {
				return invalid("contents[%d].parts[%d].function_call: needs a valid name, and args that are an object", i, j)
			}
			it.calls = append(it.calls, seenCall{p.Call.ID, p.Call.Name})
		case p.Response != nil:
			return invalid("contents[%d].parts[%d]: role model cannot hold a function response", i, j)
		case p.Text != nil:
			if *p.Text == "" && p.Signature == "" {
				return invalid("contents[%d].parts[%d]: text must not be empty", i, j)
			}
			if !p.Thought {
				it.text += *p.Text
			}
		case p.Executable == nil && p.Executed == nil && p.Inline == nil:
			return invalid("contents[%d].parts[%d]: required oneof field 'data' must have one initialized field", i, j)
		}
		if p.Signature != "" && !validSignature(p.Signature) {
			return invalid("contents[%d].parts[%d]: corrupted thought signature", i, j)
		}
	}
	q.items = append(q.items, it)
	return nil
}

func (q *request) addUserContent(i int, c *geminiContent) *fault {
	var given []seenResult
	text, texts := "", 0
	for j, p := range c.Parts {
		switch {
		case p.Response != nil:
			if texts > 0 {
				return invalid("contents[%d].parts[%d]: function responses must come first", i, j)
			}
			if !isObject(p.Response.Response) {
				return invalid("contents[%d].parts[%d].function_response.response must be an object", i, j)
			}
			given = append(given, seenResult{id: p.Response.ID, name: p.Response.Name, text: responseText(p.Response.Response)})
		case p.Text != nil:
			if *p.Text == "" {
				return invalid("contents[%d].parts[%d]: text must not be empty", i, j)
			}
			text += *p.Text
			texts++
		case p.Inline != nil:
		default:
			return invalid("contents[%d].parts[%d]: required oneof field 'data' must have one initialized field", i, j)
		}
	}
	if given != nil {
		q.items = append(q.items, item{kind: results, results: given, at: i})
	}
	if texts > 0 {
		q.items = append(q.items, item{kind: person, text: text, at: i})
	}
	return nil
}

// responseText is what a model reads of a response: its output or error.
func responseText(raw json.RawMessage) string {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil || len(o) != 1 {
		return string(raw)
	}
	for _, name := range []string{"output", "error", "result"} {
		if v, ok := o[name]; ok {
			var text string
			if json.Unmarshal(v, &text) == nil {
				return text
			}
			return string(v)
		}
	}
	return string(raw)
}

// checkSignatures demands, for each step of the turn that is going on, the
// signature on its first call.
func checkSignatures(contents []geminiContent) *fault {
	from := 0
	for i, c := range contents {
		if c.Role == "model" {
			continue
		}
		for _, p := range c.Parts {
			if p.Text != nil {
				from = i
			}
		}
	}
	for i := from; i < len(contents); i++ {
		if contents[i].Role != "model" {
			continue
		}
		for j, p := range contents[i].Parts {
			if p.Call == nil {
				continue
			}
			if p.Signature == "" {
				return invalid("function call %q is missing a thought_signature: contents[%d].parts[%d]", p.Call.Name, i, j)
			}
			break
		}
	}
	return nil
}

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
	if c.kind == "provider" {
		code, err := encode(string(c.object()))
		if err != nil {
			return nil
		}
		return []json.RawMessage{
			obj("executableCode", obj("language", "PYTHON", "code", json.RawMessage(code))),
			obj("codeExecutionResult", obj("outcome", "OUTCOME_OK", "output", "")),
		}
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
		signed = signed && p.calls[i].kind == "provider"
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

func (g gemini) inStream(f *fault) frame {
	return frame{ending, "data: " + string(g.failed(f)) + "\r\n\r\n"}
}
