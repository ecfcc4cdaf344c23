package wire

import (
	"strings"

	"github.com/holdfast-go/holdfast/internal/frames"
	"github.com/holdfast-go/holdfast/internal/rawjson"
)

// The names of the formats.
const (
	apiChat         = "openai-chat"
	apiResponses    = "openai-responses"
	apiAnthropic    = "anthropic"
	apiGemini       = "gemini"
	apiInteractions = "interactions"
	apiConverse     = "bedrock-converse"
	apiInvoke       = "bedrock-invoke"
	apiOllama       = "ollama"
)

// Detect guesses the format of a reply by its first events, "" where nothing
// tells. p is the reply or its beginning.
func Detect(p []byte) string {
	var r frames.Reader
	var certain, likely string
	look := func(f frames.Frame) {
		if certain != "" {
			return
		}
		if len(f.Message) > 0 {
			certain = detectMessage(string(f.Event))
			return
		}
		api, sure := detectObject(f.Data)
		if sure {
			certain = api
		} else if likely == "" {
			likely = api
		}
	}
	r.Feed(p, look)
	if certain == "" {
		r.Close(look)
	}
	if certain != "" {
		return certain
	}
	return likely
}

func detectMessage(event string) string {
	if event == "chunk" {
		return apiInvoke
	}
	return apiConverse
}

// members are the top-level names that tell the formats apart.
type members struct {
	object, typ, eventType, id, errorStatus string
	has                                     map[string]bool
}

func detectObject(data []byte) (api string, sure bool) {
	m := members{has: map[string]bool{}}
	c := rawjson.NewCursor(data)
	c.Object(func(key []byte) {
		switch name := string(key); name {
		case "object":
			m.object = c.Text()
		case "type":
			m.typ = c.Text()
		case "event_type":
			m.eventType = c.Text()
		case "id":
			m.id = c.Text()
		case "error":
			m.has[name] = c.Kind() != 'n'
			c.Object(func(key []byte) {
				if string(key) == "status" {
					m.errorStatus = c.Text()
				}
			})
		default:
			m.has[name] = true
		}
	})
	return m.api()
}

func (m *members) api() (api string, sure bool) {
	switch {
	case m.eventType != "", m.object == "interaction", m.has["steps"] && m.has["status"]:
		return apiInteractions, true
	case strings.HasPrefix(m.typ, "response."), m.object == "response":
		return apiResponses, true
	case strings.HasPrefix(m.object, "chat.completion"), m.has["choices"]:
		return apiChat, true
	case m.has["candidates"], m.has["promptFeedback"], m.has["usageMetadata"]:
		return apiGemini, true
	case m.has["done"] && (m.has["message"] || m.has["response"]):
		return apiOllama, true
	case m.has["stopReason"], m.has["output"] && m.has["metrics"]:
		return apiConverse, true
	case m.typ == "message" && strings.HasPrefix(m.id, "msg_bdrk_"):
		return apiInvoke, true
	case m.typ == "message", m.typ == "message_start", strings.HasPrefix(m.typ, "content_block_"), strings.HasPrefix(m.typ, "message_"):
		return apiAnthropic, true
	case m.has["output"] && m.has["status"]:
		return apiResponses, true
	}
	return m.errorAPI(), false
}

// errorAPI guesses by the shape of an error that came instead of a reply.
func (m *members) errorAPI() string {
	switch {
	case m.typ == "error" || m.typ == "ping":
		return apiAnthropic
	case m.has["error"] && m.errorStatus != "":
		return apiGemini
	case m.has["error"]:
		return apiChat
	case m.has["message"] || m.has["Message"]:
		return apiConverse
	}
	return ""
}
