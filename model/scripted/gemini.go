package scripted

import (
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

var geminiName = names{regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]*$`), 128}

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
