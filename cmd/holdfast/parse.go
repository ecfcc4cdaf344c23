package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/wire"
)

func (a *app) parseCommand() *cobra.Command {
	var api string
	cmd := &cobra.Command{
		Use:   "parse --api API FILE",
		Short: "Read a provider's reply and show its calls",
		Long: `Parse reads one reply of a model: server-sent events, JSON lines of events, a
whole JSON body or a Bedrock event stream, told apart by itself. It shows the
text, every call with its exact argument text, why the reply stopped and whether
it came whole. Nothing runs.`,
		Example: "  holdfast parse --api anthropic reply.sse\n  curl -sN … | holdfast parse --api auto -",
		Args:    words(1, 1),
		RunE: a.do(func(_ *cobra.Command, args []string) error {
			if _, err := codecOf(api); err != nil && api != autoAPI {
				return err
			}
			text, err := a.readFile(args[0])
			if err != nil {
				return err
			}
			reply, err := decodeReply(api, text)
			if err != nil {
				return fmt.Errorf("%s: %w", shownName(args[0]), err)
			}
			return a.showReply(reply)
		}),
	}
	cmd.Flags().StringVar(&api, "api", autoAPI, "the format: "+strings.Join(apiNames(), ", ")+", or auto to guess it")
	fixedCompletion(cmd, "api", append(apiNames(), autoAPI)...)
	return cmd
}

var errUnknownReply = errors.New("nothing in it tells which API it is from; name it with --api")

// decodeReply decodes one whole reply; the API may be auto.
func decodeReply(api string, text []byte) (*wire.Reply, error) {
	if api == autoAPI {
		if api = wire.Detect(text); api == "" {
			return nil, errUnknownReply
		}
	}
	codec, err := codecOf(api)
	if err != nil {
		return nil, err
	}
	d := codec.NewDecoder()
	d.Feed(text)
	return d.Close(), nil
}

func (a *app) showReply(r *wire.Reply) error {
	if a.wantsJSON() {
		return writeJSON(a.stdout, wire.ParseJSON(r))
	}
	var b strings.Builder
	whole := "complete"
	if !r.Complete {
		whole = "not complete: no call of it may run"
	}
	fmt.Fprintf(&b, "%s reply, stop %s, %s\n", r.API, shownStop(r.Stop), whole)
	if r.Text != "" {
		fmt.Fprintf(&b, "text: %s\n", visible.Text(r.Text))
	}
	for i, c := range r.Calls {
		state := "whole"
		switch {
		case c.ProviderExecuted:
			state = "run by the provider"
		case c.Problem != "":
			state = string(c.Problem)
		case !c.Complete:
			state = "not complete"
		}
		fmt.Fprintf(&b, "call %d: %s %s\n  id %s, %s, %s\n", i+1, visible.Line(c.Name), shownText(c.Arguments), shownStop(c.ID), c.Kind, state)
	}
	fmt.Fprintf(&b, "tokens: %s in, %s out\n", shownTokens(r.Usage.Input), shownTokens(r.Usage.Output))
	if r.Err != nil {
		fmt.Fprintf(&b, "error %s: %s\n", visible.Line(r.Err.Code), visible.Line(r.Err.Message))
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

// shownText is argument text: as JSON where it is JSON.
func shownText(text string) string {
	if json.Valid([]byte(text)) {
		return visible.JSON([]byte(text))
	}
	return visible.Line(text)
}

func shownStop(s string) string {
	if s == "" {
		return "not sent"
	}
	return visible.Line(s)
}

func shownTokens(n *int64) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}
