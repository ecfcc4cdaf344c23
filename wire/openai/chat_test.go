package openai_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/openai"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

// sentUsage reads usage as either format sends it.
func sentUsage(sent []byte) (u wire.Usage) {
	var v struct {
		Prompt     *int64 `json:"prompt_tokens"`
		Input      *int64 `json:"input_tokens"`
		Completion *int64 `json:"completion_tokens"`
		Output     *int64 `json:"output_tokens"`
		Total      int64  `json:"total_tokens"`
		Hit        *int64 `json:"prompt_cache_hit_tokens"`
		Cached     *int64 `json:"num_cached_tokens"`
		In1        struct {
			Cached *int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		In2 struct {
			Cached *int64 `json:"cached_tokens"`
		} `json:"input_tokens_details"`
		Out1 struct {
			Reasoning *int64 `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
		Out2 struct {
			Reasoning *int64 `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	}
	if err := json.Unmarshal(sent, &v); err != nil {
		panic(err)
	}
	first := func(ns ...*int64) *int64 {
		for _, n := range ns {
			if n != nil {
				return n
			}
		}
		return nil
	}
	u.Input, u.Output = first(v.Prompt, v.Input), first(v.Completion, v.Output)
	u.Cached, u.Reasoning = first(v.In1.Cached, v.In2.Cached, v.Hit, v.Cached), first(v.Out1.Reasoning, v.Out2.Reasoning)
	if u.Output != nil && u.Reasoning != nil && *u.Reasoning > 0 && (*u.Reasoning > *u.Output || v.Total == *u.Input+*u.Output+*u.Reasoning) {
		sum := *u.Output + *u.Reasoning
		u.Output = &sum
	}
	return u
}

func chatOptions() wiretest.Options {
	return wiretest.Options{
		Codec: openai.Chat{}, Recorded: []string{"chat"},
		EndSign:      regexp.MustCompile(`"finish_reason": ?"[^"]|data: \[DONE\]`),
		Vetoes:       []string{"length", "content_filter"},
		Usage:        sentUsage,
		Conversation: chatConversation, Immaterial: chatImmaterial, Apart: chatApart,
		Speak: speakChat, Read: readChat, IDs: true,
		Name: takenName, ID: regexp.MustCompile(`^.+$`),
	}
}

var takenName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func FuzzChat(f *testing.F) {
	wiretest.Fuzz(f, openai.Chat{}, speakChat(spoken), []byte(`{"choices":[{"message":{"content":"x","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"a":1}}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`),
		[]byte("data: {\"choices\":[{\"delta\":{\"function_call\":{\"name\":\"f\",\"arguments\":\"{}\"},\"reasoning\":\"r\"}}]}\n\ndata: {\"error\":{\"code\":400}}\n\ndata: [DONE]\n\n"))
}

// spoken is a reply with all that one can hold.
var spoken = wiretest.Spoken{Text: "héllo \U0001F600", Calls: []holdfast.Call{{ID: "call_1", Name: "search", Arguments: `{"q":"\ud83d\ude00"}`}, {ID: "call_2", Name: "fetch"}}}

func TestChat(t *testing.T) { wiretest.Run(t, chatOptions()) }
