package grammar

// CallFormats are the formats of some families of models, by name: hermes (also of
// Qwen), llama3, mistral, harmony (of gpt-oss), and plain, where the reply is a JSON
// object from its first byte.
func CallFormats() map[string]CallFormat {
	return map[string]CallFormat{
		"hermes": {
			Trigger: "<tool_call>", Open: "\n", NameMember: "name", ArgumentsMember: "arguments", Close: "\n</tool_call>",
			Between: "\n<tool_call>", Control: []string{"<tool_call>", "</tool_call>"},
		},
		"llama3": {
			Trigger: "<|python_tag|>", NameMember: "name", ArgumentsMember: "parameters", Between: "; ",
			Control: []string{"<|python_tag|>"},
		},
		"mistral": {
			Trigger: "[TOOL_CALLS]", Begin: "[", NameMember: "name", ArgumentsMember: "arguments", Between: ", ", End: "]",
			Control: []string{"[TOOL_CALLS]"},
		},
		"harmony": {
			Trigger: "<|channel|>commentary to=", NamePrefix: "functions.", NameEnd: " <|constrain|>json<|message|>", Close: "<|call|>",
			Between: "<|start|>assistant<|channel|>commentary to=",
			Control: []string{"<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|call|>"},
		},
		"plain": {NameMember: "name", ArgumentsMember: "arguments"},
	}
}
