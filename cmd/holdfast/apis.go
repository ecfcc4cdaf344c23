package main

import (
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
	"github.com/holdfast-go/holdfast/wire/google"
)

// autoAPI guesses the API of a reply by its first events.
const autoAPI = "auto"

// format is what decoding needs of a wire format.
type format interface {
	API() string
	NewDecoder() wire.Decoder
}

// codecs are the wire formats that this binary speaks.
func codecs() []format {
	return []format{
		anthropic.Messages{}, anthropic.Invoke{}, google.Gemini{}, google.Interactions{},
	}
}

func apiNames() []string {
	var names []string
	for _, c := range codecs() {
		names = append(names, c.API())
	}
	return names
}

func codecOf(api string) (format, error) {
	for _, c := range codecs() {
		if c.API() == api {
			return c, nil
		}
	}
	return nil, misused(fmt.Errorf("API %q is none of %s", api, strings.Join(apiNames(), ", ")))
}
