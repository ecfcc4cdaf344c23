package main

import (
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
	"github.com/holdfast-go/holdfast/wire/bedrock"
	"github.com/holdfast-go/holdfast/wire/google"
	"github.com/holdfast-go/holdfast/wire/ollama"
	"github.com/holdfast-go/holdfast/wire/openai"
)

// autoAPI guesses the API of a reply by its first events.
const autoAPI = "auto"

// codecs are the wire formats that this binary speaks.
func codecs() []wire.Codec {
	return []wire.Codec{
		openai.Chat{},
		openai.Responses{},
		anthropic.Messages{},
		google.Gemini{},
		google.Interactions{},
		bedrock.Converse{},
		anthropic.Invoke{},
		ollama.Chat{},
	}
}

func apiNames() []string {
	var names []string
	for _, c := range codecs() {
		names = append(names, c.API())
	}
	return names
}

func codecOf(api string) (wire.Codec, error) {
	for _, c := range codecs() {
		if c.API() == api {
			return c, nil
		}
	}
	if api == "" {
		return nil, misused(fmt.Errorf("name the format with --api: %s", strings.Join(apiNames(), ", ")))
	}
	return nil, misused(fmt.Errorf("API %q is none of %s", api, strings.Join(apiNames(), ", ")))
}
