package local

// Format describes how a model writes calls. Of several texts that may stand in
// one place, the first is the one that the model was trained on. White space
// around them does not count when a text is read.
type Format struct {
	Name string `json:"name"`
	// Triggers begin calls. Bare says that a call may also be the whole reply,
	// from its first byte.
	Triggers []string `json:"triggers"`
	Bare     bool     `json:"bare,omitempty"`
	// List says that the calls are one JSON array.
	List bool `json:"list,omitempty"`
	// Open begins each call after the trigger, Close ends it, Between stands
	// between two, End ends them all. Each may be absent.
	Open    []string `json:"open,omitempty"`
	Close   []string `json:"close,omitempty"`
	Between []string `json:"between,omitempty"`
	End     []string `json:"end,omitempty"`
	// NameEnd, if there is any, stands between the name and the arguments, which
	// are a JSON object. Without it a call is one JSON object with these members.
	NameEnd    []string `json:"name_end,omitempty"`
	NamePrefix string   `json:"name_prefix,omitempty"` // before the name, not part of it
	// IDBegin may stand behind the name, and before an id.
	IDBegin    string   `json:"id_begin,omitempty"`
	NameMember string   `json:"name_member,omitempty"`
	Arguments  []string `json:"arguments,omitempty"`
	ID         string   `json:"id,omitempty"`
	// Reasoning is what may be shown as such, Silent what nobody is to see.
	Reasoning []Span   `json:"reasoning,omitempty"`
	Silent    []string `json:"silent,omitempty"`
}

// Span is a stretch of text between two markers.
type Span struct {
	Begin string   `json:"begin"`
	End   []string `json:"end"`
}

func thinking() []Span { return []Span{{Begin: "<think>", End: []string{"</think>"}}} }

// Lookup is the format of that name: hermes (also of Qwen), llama3, mistral,
// mistral-named (since v11), deepseek, deepseek-r1, harmony (of gpt-oss).
func Lookup(name string) (*Format, bool) {
	for _, f := range formats() {
		if f.Name == name {
			return &f, true
		}
	}
	return nil, false
}

func formats() []Format {
	return []Format{
		{
			Name: "hermes", Triggers: []string{"<tool_call>"},
			NameMember: "name", Arguments: []string{"arguments", "parameters"},
			Close: []string{"\n</tool_call>"}, Reasoning: thinking(), Silent: []string{"<|im_end|>"},
		},
		{
			Name: "llama3", Triggers: []string{"<|python_tag|>"}, Bare: true, Between: []string{"; "},
			NameMember: "name", Arguments: []string{"parameters", "arguments"},
			End: []string{"<|eom_id|>", "<|eot_id|>"}, Silent: []string{"<|eom_id|>", "<|eot_id|>"},
		},
		{
			Name: "mistral", Triggers: []string{"[TOOL_CALLS]"}, List: true,
			NameMember: "name", Arguments: []string{"arguments"}, ID: "id", Silent: []string{"</s>"},
		},
		{
			Name: "mistral-named", Triggers: []string{"[TOOL_CALLS]"}, IDBegin: "[CALL_ID]", NameEnd: []string{"[ARGS]"},
			Reasoning: []Span{{Begin: "[THINK]", End: []string{"[/THINK]"}}}, Silent: []string{"</s>"},
		},
		{
			Name: "deepseek", Triggers: []string{"<｜tool▁calls▁begin｜>"}, Open: []string{"<｜tool▁call▁begin｜>"},
			NameEnd: []string{"<｜tool▁sep｜>"}, Close: []string{"<｜tool▁call▁end｜>"}, End: []string{"<｜tool▁calls▁end｜>"},
			Reasoning: thinking(), Silent: []string{"<｜end▁of▁sentence｜>"},
		},
		{
			Name: "deepseek-r1", Triggers: []string{"<｜tool▁calls▁begin｜>"}, Open: []string{"<｜tool▁call▁begin｜>function<｜tool▁sep｜>"},
			NameEnd: []string{"\n```json\n"}, Close: []string{"\n```<｜tool▁call▁end｜>"}, End: []string{"<｜tool▁calls▁end｜>"},
			Reasoning: thinking(), Silent: []string{"<｜end▁of▁sentence｜>"},
		},
		{
			Name: "harmony",
			Triggers: []string{
				"<|channel|>commentary to=", "<|channel|>analysis to=", "<|start|>assistant to=",
				"<|start|>assistant<|channel|>commentary to=", "<|start|>assistant<|channel|>analysis to=",
			},
			NamePrefix: "functions.",
			NameEnd: []string{
				" <|constrain|>json<|message|>", "<|message|>", " json<|message|>", "<|channel|>commentary <|constrain|>json<|message|>",
				"<|channel|>commentary json<|message|>", "<|channel|>commentary<|message|>", "<|channel|>analysis<|message|>",
			},
			Close:     []string{"<|call|>"},
			Reasoning: []Span{{Begin: "<|channel|>analysis<|message|>", End: []string{"<|end|>", "<|return|>"}}},
			Silent: []string{
				"<|start|>assistant", "<|channel|>final<|message|>", "<|channel|>commentary<|message|>", "<|end|>", "<|return|>",
				"<|channel|>final <|constrain|>json<|message|>",
			},
		},
	}
}
