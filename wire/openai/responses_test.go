package openai_test

import (
	"regexp"
	"testing"

	"github.com/holdfast-go/holdfast/wire/openai"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

func responsesOptions() wiretest.Options {
	return wiretest.Options{
		Codec: openai.Responses{}, Recorded: []string{"responses"},
		EndSign: regexp.MustCompile(`"type": ?"response\.(completed|incomplete|failed)"`),
		Vetoes:  []string{"incomplete:max_output_tokens"},
		Usage:   sentUsage,
	}
}

func TestResponses(t *testing.T) { wiretest.Run(t, responsesOptions()) }
