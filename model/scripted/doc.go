// Package scripted is a provider that plays scenarios: an HTTP server that
// speaks OpenAI Chat Completions and Responses, Anthropic Messages, Gemini
// generateContent and Google Interactions, streamed in small fragments or whole,
// and says that it is scripted. It is for tests, demonstrations and trying a
// catalog out without a key.
//
// It is a second, independent reading of the five formats: it shares no code
// with package wire. It checks the history of each request as strictly as the
// providers do (each call answered once and in order, ids that match, signatures
// in their place, alternation) and answers a wrong one with HTTP 400 and an error
// in the provider's own shape. It keeps no conversation: what it says depends on
// the request alone, so a restart of either side changes nothing.
//
// It is an HTTP server like any other, or, as here, answers within the process; a
// client of package model asks it like a provider:
//
//	scenario, err := scripted.Load("kitchen.yaml")
//	provider := &http.Client{Transport: scripted.New(scenario, nil)}
//	client, err := model.New(openai.Chat{}, "scripted", &model.Options{BaseURL: "http://scripted", HTTPClient: provider})
//
// # Scenarios
//
// A scenario is a YAML (or JSON) document. Unknown fields are errors.
//
//	scenario: kitchen           # its name, told to people
//	hints:                      # what a message that no rule matches is told to try
//	  - What is in the fridge?
//	pace: 10ms                  # between the fragments of a stream; 0 by default
//	fallback: "Try: {{range .Hints}}{{.}} {{end}}"   # instead of the built-in words
//	rules:
//	  - when: {message: '(?i)in the (?P<place>fridge|pantry)'}
//	    calls:
//	      - {name: list_food, arguments: {place: "{{.Group.place}}"}}
//	  - when: {after: list_food, outcome: ok}
//	    say: "I see {{range $i, $f := .Result.foods}}{{if $i}}, {{end}}{{$f.name}}{{end}}."
//	  - when: {after: list_food}          # any other outcome
//	    say: "I could not look: {{.Result.message}}"
//
// For each request the first rule whose every condition holds is played; if none
// does, the fallback is. The conditions of `when`:
//
//	message   regular expression on the person's last message; its groups are
//	          {{index .Groups 1}} and, named, {{.Group.name}};
//	          a rule without this condition has none
//	after     a tool's name, or a list of them, or "*": the last thing in the
//	          conversation are results, and one of them is of that tool (of each
//	          in the list). A rule without after, step or always is for the
//	          moment after a person's message only
//	outcome   with after: that result's outcome (ok, rejected, pending, failed,
//	          uncertain); a result that is no observation object is ok
//	code      with after: that result's code (invalid_arguments, …)
//	result    with after: regular expression on that result's text
//	step      number of replies since the person's last message: 0, 1, …
//	always    true: at any step (a model that never stops calling)
//	turn      number of the person's message in the conversation, from 1
//	system    regular expression on the system prompt
//	times     the rule is played at most that often in the server's life (the one
//	          thing a server remembers; for errors that go away)
//
// What a rule plays stands beside `when`, or, for a conversation that is known
// beforehand, in `replies`: the first for step 0, the second for step 1, and so
// on. A reply:
//
//	say        the text, a template
//	reasoning  shown as thinking, with a signature or an encrypted item where the
//	           format has one; the server then insists that it comes back as sent
//	calls      a list of:
//	             name       as the scenario's author knows the tool: where no tool
//	                        of that very name is offered but one offered name ends
//	                        in it (coach__search_foods), that one is meant
//	             arguments  a mapping, whose texts are templates; or a text, sent
//	                        byte for byte as the argument text after it was
//	                        expanded as a template: '{"q": {{json .Message}}}',
//	                        '{"cut": "of', ''. Left out: an empty text where the
//	                        format has one
//	             id         left out: one is made; a text: that id; "": none is sent
//	             kind       function (default), custom, provider: one that the
//	                        provider ran itself, with its result, or unfinished:
//	                        one whose result it did not send
//	stop       stop, tool_calls, length, content_filter, refusal, pause, malformed,
//	           or none (no end sign is sent). Left out: tool_calls with calls,
//	           else stop
//	cut        the connection breaks: start (before anything), text (within the
//	           text), call (within the last call's arguments), end (before the end
//	           sign)
//	error      {status, code, message, retry_after}: an HTTP error in the format's
//	           shape; status 200: an error event in the stream after what was said
//	usage      {input, output, cached, reasoning}, where cached is part of input
//	           and reasoning of output; left out: counted from the text
//
// Templates are those of text/template. They see
//
//	.Message .Groups .Group .System .Step .Turn .Hints
//	.Results   the results of the last round: .Tool .ID .Outcome .Code .Text .JSON .Error
//	.Result    the JSON of the result that `after` matched (of the first, with "*"),
//	           or its text where it is no JSON
//	.Today     the first date (YYYY-MM-DD) of the system prompt, or of the message
//
// and, beside the built-in functions, json (a value as JSON text), find (the first
// match, or its first group, of a pattern in a text), join (a list with a
// separator), pick (of a list of objects, the field's values), lower and num (a
// decimal comma becomes a point). Numbers keep their digits.
//
// Where a format has no place for something, the nearest is sent: Gemini and a
// whole Anthropic or Interactions body hold arguments as values, so argument text
// that is no JSON becomes a JSON string there.
package scripted
