package google

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/encode"
)

// declaration is one function as sent, in this order.
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parametersJsonSchema"`
}

// Tools is the catalog as Gemini takes it: one tool that declares every function.
func (Gemini) Tools(c *holdfast.Catalog, _ *wire.ToolOptions) (wire.ToolSet, error) {
	set, err := tools(c, geminiNames, func(name, description string, parameters json.RawMessage) any {
		return declaration{name, description, parameters}
	})
	if err != nil {
		return wire.ToolSet{}, err
	}
	all := append([]byte(`{"functionDeclarations":`), rawjson.List(set.Tools)...)
	set.Tools = []json.RawMessage{append(all, '}')}
	return set, nil
}

// geminiBody is a request's JSON, in this order.
type geminiBody struct {
	System     *systemInstruction `json:"systemInstruction,omitempty"`
	Tools      []json.RawMessage  `json:"tools,omitempty"`
	ToolConfig *toolConfig        `json:"toolConfig,omitempty"`
	Contents   []json.RawMessage  `json:"contents"`
	Generation *generationConfig  `json:"generationConfig,omitempty"`
}

type systemInstruction struct {
	Parts []textPart `json:"parts"`
}

type textPart struct {
	Text string `json:"text"`
}

type toolConfig struct {
	Calling struct {
		Mode    string   `json:"mode"`
		Allowed []string `json:"allowedFunctionNames,omitempty"`
	} `json:"functionCallingConfig"`
}

type generationConfig struct {
	MaxTokens int             `json:"maxOutputTokens,omitempty"`
	MIMEType  string          `json:"responseMimeType,omitempty"`
	Schema    json.RawMessage `json:"responseJsonSchema,omitempty"`
}

// Request is a POST to the model's address. With Quirks "vertex" the path is
// that of Vertex AI, beneath the project and location of the base address.
func (Gemini) Request(r *wire.Request) (wire.Encoded, error) {
	contents, err := geminiHistory(r.Items, r.Tools.Names, r.Model)
	if err != nil {
		return wire.Encoded{}, err
	}
	b := geminiBody{Tools: r.Tools.Tools, Contents: contents}
	if r.System != "" {
		b.System = &systemInstruction{Parts: []textPart{{r.System}}}
	}
	if b.ToolConfig, err = geminiChoice(r); err != nil {
		return wire.Encoded{}, err
	}
	if r.MaxTokens > 0 || r.Output != nil {
		b.Generation = &generationConfig{MaxTokens: r.MaxTokens}
	}
	if r.Output != nil && (len(r.Tools.Tools) == 0 || takesMedia(r.Model)) {
		// Older models take no answer schema beside tools.
		b.Generation.MIMEType = "application/json"
		b.Generation.Schema, _ = rewrite(r.Output)
	}
	path := "/v1beta/models/"
	if r.Quirks == "vertex" {
		path = "/publishers/google/models/"
	}
	path += url.PathEscape(r.Model)
	if r.Stream {
		path += ":streamGenerateContent?alt=sse"
	} else {
		path += ":generateContent"
	}
	return encode.Post(path, b)
}

func geminiChoice(r *wire.Request) (*toolConfig, error) {
	mode, err := choiceMode(r.Choice)
	if err != nil || mode == "" || len(r.Tools.Tools) == 0 {
		return nil, err
	}
	var c toolConfig
	c.Calling.Mode = strings.ToUpper(mode)
	if r.Choice.Mode == "tool" {
		c.Calling.Allowed = []string{r.Choice.Tool}
	}
	return &c, nil
}

// takesMedia reports a model of the third generation or later, which takes
// images within a function's response and demands signatures on calls.
func takesMedia(model string) bool {
	_, version, ok := strings.Cut(model, "gemini-")
	return !ok || version == "" || version[0] < '0' || version[0] > '2'
}
