package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// versionInfo is the result of the version command.
type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision"` // of the source, "" if it is not known
	Modified bool   `json:"modified"` // the source had changes that are in no commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Say which version this is",
		Example: "  holdfast version --json",
		Args:    cobra.NoArgs,
		RunE: a.do(func(*cobra.Command, []string) error {
			v := buildVersion()
			if a.json {
				return writeJSON(a.stdout, v)
			}
			_, err := fmt.Fprintf(a.stdout, "holdfast %s (%s, %s)\n", strings.TrimSpace(v.Version+" "+v.Revision), v.Go, v.Platform)
			return err
		}),
	}
}

func buildVersion() versionInfo {
	v := versionInfo{Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
