// Package bedrockfake is a Bedrock of our own for tests: it speaks Converse,
// whole and streamed, and answers nobody whose signature or key is wrong. It
// computes signatures by itself, from the specification, so that what the client
// signs with is held against a second reading.
package bedrockfake

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Account is whose requests are answered.
type Account struct {
	AccessKey, Secret, Token, Region string
	Bearer                           string // an API key instead
}

// Call is what the model of the fake wants to be called, once, before it says
// Text.
type Call struct {
	Tool, Arguments string
	Text            string
}

// Server is the fake.
type Server struct {
	account Account
	call    Call

	mu    sync.Mutex
	asked []string
}

// New makes a fake for an account, whose model calls one tool and then speaks.
func New(a Account, c Call) *Server { return &Server{account: a, call: c} }

// Asked lists the paths of the requests, as they were sent.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, r.RequestURI)
	s.mu.Unlock()
	if err := s.account.check(r, body); err != nil {
		refuse(w, http.StatusForbidden, "InvalidSignatureException", err.Error())
		return
	}
	var request struct {
		Messages []struct {
			Content []struct {
				Result *struct {
					ID string `json:"toolUseId"`
				} `json:"toolResult"`
			} `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &request); err != nil || len(request.Messages) == 0 {
		refuse(w, http.StatusBadRequest, "ValidationException", "the body is no conversation")
		return
	}
	answered := false
	for _, c := range request.Messages[len(request.Messages)-1].Content {
		answered = answered || c.Result != nil && c.Result.ID == callID
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/converse-stream"):
		s.stream(w, answered)
	case strings.HasSuffix(r.URL.Path, "/converse"):
		s.whole(w, answered)
	default:
		refuse(w, http.StatusNotFound, "UnknownOperationException", r.URL.Path)
	}
}

const callID = "tooluse_1"

func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("X-Amzn-Errortype", kind)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}

func (s *Server) whole(w http.ResponseWriter, answered bool) {
	content, stop := fmt.Sprintf(`{"toolUse":{"toolUseId":%q,"name":%q,"input":%s}}`, callID, s.call.Tool, s.call.Arguments), "tool_use"
	if answered {
		content, stop = fmt.Sprintf(`{"text":%q}`, s.call.Text), "end_turn"
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"output":{"message":{"role":"assistant","content":[%s]}},"stopReason":%q,"usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3},"metrics":{"latencyMs":1}}`, content, stop)
}

func (s *Server) stream(w http.ResponseWriter, answered bool) {
	w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
	send := func(event, format string, args ...any) {
		_, _ = w.Write(message(event, fmt.Appendf(nil, format, args...)))
	}
	send("messageStart", `{"role":"assistant"}`)
	stop := "end_turn"
	if answered {
		send("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":%q}}`, s.call.Text)
	} else {
		stop = "tool_use"
		send("contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":%q,"name":%q}}}`, callID, s.call.Tool)
		send("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"input":%q}}}`, s.call.Arguments)
	}
	send("contentBlockStop", `{"contentBlockIndex":0}`)
	send("messageStop", `{"stopReason":%q}`, stop)
	send("metadata", `{"usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3},"metrics":{"latencyMs":1}}`)
}
