//go:build llamacpp

package llamacpp

import (
	"encoding/json"
	"strings"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/wire"
)

// prompt writes a conversation as ChatML. What people, tools and the model said is
// text, whatever it looks like; only the frame has control tokens.
type prompt struct {
	v   *tokenizer.Vocabulary
	ids []tokenizer.ID
}

func (p *prompt) open(role string)  { p.frame("<|im_start|>" + role + "\n") }
func (p *prompt) close()            { p.frame("<|im_end|>\n") }
func (p *prompt) frame(text string) { p.ids = append(p.ids, p.v.EncodePrompt(text)...) }
func (p *prompt) text(text string)  { p.ids = append(p.ids, p.v.Encode(text)...) }

func (p *prompt) conversation(r *wire.Request) []tokenizer.ID {
	if system := instructions(r); system != "" {
		p.open("system")
		p.text(system)
		p.close()
	}
	for i := range r.Items {
		p.item(&r.Items[i])
	}
	p.open("assistant")
	return p.ids
}

// instructions are the system prompt, with the tools.
func instructions(r *wire.Request) string {
	if len(r.Tools.Tools) == 0 {
		return r.System
	}
	var b strings.Builder
	b.WriteString(r.System)
	b.WriteString("\n\n# Tools\n\nThese functions can be called:\n<tools>\n")
	for _, tool := range r.Tools.Tools {
		b.Write(tool)
		b.WriteByte('\n')
	}
	b.WriteString("</tools>\n\nTo call one, write its name and its arguments so:\n" +
		"<tool_call>\n{\"name\": \"function\", \"arguments\": {}}\n</tool_call>")
	return strings.TrimSpace(b.String())
}

func (p *prompt) item(item *wire.Item) {
	switch {
	case item.Reply != nil:
		p.open("assistant")
		p.text(item.Reply.Text + callsText(item.Reply))
		p.close()
	case item.Results != nil:
		p.open("user")
		var parts []string
		for _, result := range item.Results {
			parts = append(parts, "<tool_response>\n"+result.Content()+"\n</tool_response>")
		}
		p.text(strings.Join(parts, "\n"))
		p.close()
	case item.User != "":
		p.open("user")
		p.text(item.User)
		p.close()
	}
}

// callsText are the calls of an earlier reply, as the model wrote them. Arguments
// that are no JSON stand as a text.
func callsText(r *wire.Reply) string {
	var parts []string
	for _, c := range r.Calls {
		arguments := json.RawMessage(c.Arguments)
		if !json.Valid(arguments) {
			arguments, _ = json.Marshal(c.Arguments)
		}
		name, _ := json.Marshal(c.Name)
		parts = append(parts, "<tool_call>\n{\"name\": "+string(name)+", \"arguments\": "+string(arguments)+"}\n</tool_call>")
	}
	if len(parts) > 0 && r.Text != "" {
		return "\n" + strings.Join(parts, "\n")
	}
	return strings.Join(parts, "\n")
}
