package main

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/model/bedrock"
	"github.com/holdfast-go/holdfast/model/scripted"
)

// modelFlag is --model, --api and --quirks: whom to ask, in which format, and
// with which server's deviations.
type modelFlag struct{ which, api, quirks string }

func (f *modelFlag) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.which, "model", "", "PROVIDER/NAME ("+strings.Join(providerNames(), ", ")+"), script:FILE, URL#NAME of an OpenAI-compatible server, or llamacpp:FILE.gguf on this machine")
	flags.StringVar(&f.api, "api", "", "the format that the model is asked in, where it is not the provider's first: "+strings.Join(apiNames(), ", "))
	flags.StringVar(&f.quirks, "quirks", "", quirksUsage)
	fixedCompletion(cmd, "api", apiNames()...)
}

const quirksUsage = "a server's deviations when it is sent something, such as azure, deepseek or mistral (a wrong one lists all); what comes back needs none"

// provider is a vendor by the name that people use, and the format it is asked
// in unless --api says otherwise.
type provider struct{ name, api string }

func providers() []provider {
	return []provider{
		{"openai", "openai-responses"},
		{"anthropic", "anthropic"},
		{"google", "gemini"},
		{"bedrock", "bedrock-converse"},
		{"ollama", "ollama"},
	}
}

func providerNames() []string {
	var names []string
	for _, p := range providers() {
		names = append(names, p.name)
	}
	return names
}

// chosenModel is a model that can be asked.
type chosenModel struct {
	client namedModel
	script *scripted.Scenario // nil: a real one
}

// namedModel is a model of package model or of an engine on this machine.
type namedModel interface {
	agent.Model
	Name() string
}

const (
	scriptPrefix = "script:"
	enginePrefix = "llamacpp:"
)

// choose finds the model; preset is the scenario that is played where --model
// names none, or nil.
func (f modelFlag) choose(a *app, preset func() (*scripted.Scenario, error)) (*chosenModel, error) {
	switch {
	case f.which == "" && preset != nil:
		scenario, err := preset()
		if err != nil {
			return nil, err
		}
		return f.play(scenario)
	case f.which == "":
		return nil, misused(fmt.Errorf("this catalog needs --model: PROVIDER/NAME with PROVIDER one of %s, script:FILE, or URL#NAME", strings.Join(providerNames(), ", ")))
	case strings.HasPrefix(f.which, scriptPrefix):
		scenario, err := scripted.Load(strings.TrimPrefix(f.which, scriptPrefix))
		if err != nil {
			return nil, err
		}
		return f.play(scenario)
	case strings.HasPrefix(f.which, enginePrefix):
		engine, err := openEngine(strings.TrimPrefix(f.which, enginePrefix))
		if err != nil {
			return nil, err
		}
		return &chosenModel{client: engine}, nil
	case strings.Contains(f.which, "://"):
		base, name, found := strings.Cut(f.which, "#")
		if !found || name == "" {
			return nil, misused(fmt.Errorf("model %q: name the model behind the address, as in http://localhost:8080/v1#NAME", f.which))
		}
		return f.ask(a, cmp.Or(f.api, "openai-chat"), name, base)
	}
	vendor, name, _ := strings.Cut(f.which, "/")
	for _, p := range providers() {
		if p.name == vendor && name != "" {
			return f.ask(a, cmp.Or(f.api, p.api), name, "")
		}
	}
	return nil, misused(fmt.Errorf("model %q is no PROVIDER/NAME with PROVIDER one of %s; there are also script:FILE and URL#NAME", f.which, strings.Join(providerNames(), ", ")))
}

func (f modelFlag) ask(a *app, api, name, base string) (*chosenModel, error) {
	codec, err := codecOf(api)
	if err != nil {
		return nil, err
	}
	connect := model.New
	if strings.HasPrefix(api, "bedrock-") {
		connect = bedrock.New
	}
	client, err := connect(codec, name, &model.Options{BaseURL: base, Env: func(name string) string { v, _ := a.env(name); return v }})
	if err != nil {
		return nil, err
	}
	return &chosenModel{client: client}, nil
}

// play asks a scripted provider within this process.
func (f modelFlag) play(scenario *scripted.Scenario) (*chosenModel, error) {
	codec, err := codecOf(cmp.Or(f.api, "openai-responses"))
	if err != nil {
		return nil, err
	}
	client, err := model.New(codec, "scripted", &model.Options{
		BaseURL: "http://scripted.invalid", HTTPClient: &http.Client{Transport: scripted.New(scenario, nil)},
	})
	if err != nil {
		return nil, err
	}
	return &chosenModel{client: client, script: scenario}, nil
}
