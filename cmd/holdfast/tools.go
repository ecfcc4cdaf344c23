package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/wire"
)

// toolsResult is a catalog as one provider takes it. The names are fixed.
type toolsResult struct {
	Tools   []json.RawMessage `json:"tools"` // exactly as sent
	Adapted []wire.Adapted    `json:"adapted"`
	Names   wire.Names        `json:"names"` // sent name to catalog.tool
}

func (a *app) toolsCommand() *cobra.Command {
	var api, quirks string
	var strict bool
	cmd := &cobra.Command{
		Use:   "tools CATALOG --api API",
		Short: "Show a catalog as a provider takes it, and what was left out",
		Long: `Tools writes the definitions exactly as they are sent to a provider. What its
format cannot take is left out of what is sent, never out of what is checked, and
each such thing is listed. CATALOG is a YAML or JSON file, or coach.`,
		Example: "  holdfast tools coach --api openai-responses --strict\n  holdfast tools examples/travel.yaml --api anthropic",
		Args:    words(1, 1),
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			codec, err := codecOf(api)
			if err != nil {
				return err
			}
			c, err := a.openCatalog(cmd.Context(), args[0], "")
			if err != nil {
				return err
			}
			defer c.close()
			set, err := codec.Tools(c.catalog, &wire.ToolOptions{Strict: strict, Quirks: quirks})
			if err != nil {
				return err
			}
			return a.showTools(set)
		}),
	}
	cmd.Flags().StringVar(&api, "api", "", "the format: "+strings.Join(apiNames(), ", "))
	cmd.Flags().BoolVar(&strict, "strict", false, "ask for the provider's strict mode where a schema is strict as it stands")
	cmd.Flags().StringVar(&quirks, "quirks", "", quirksUsage)
	fixedCompletion(cmd, "api", apiNames()...)
	return cmd
}

func (a *app) showTools(set wire.ToolSet) error {
	if a.wantsJSON() {
		return writeJSON(a.stdout, toolsResult{Tools: list(set.Tools), Adapted: list(set.Adapted), Names: set.Names})
	}
	for _, t := range set.Tools {
		fmt.Fprintln(a.stdout, visible.JSON(t))
	}
	for _, o := range set.Adapted {
		fmt.Fprintf(a.stdout, "left out of %s: %s at %s: %s\n", visible.Line(o.Tool), o.Keyword, shownPath(o.Path), visible.Line(o.Why))
	}
	for _, sent := range slices.Sorted(maps.Keys(set.Names)) {
		if set.Names[sent] != sent {
			fmt.Fprintf(a.stdout, "sent as %s: %s\n", sent, visible.Line(set.Names[sent]))
		}
	}
	return nil
}
