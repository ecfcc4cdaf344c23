package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/internal/visible"
)

// The exit codes.
const (
	exitDone   = 0
	exitOther  = 1 // an outcome but ok, findings, an operational error
	exitMisuse = 2
)

// app is what every command has at hand.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) (string, bool)
	json           bool   // --json
	jsonSet        bool   // --json was given
	where          string // --ledger, for hints
	policy         string // --policy
	started        bool   // the command line was understood and the command entered
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "holdfast",
		Short: "The tool-calling contract that holds",
		Long: `Holdfast stands between a language model and the code it wants to call.
Every call passes one gate, and what became of it is recorded.

Results go to stdout, all else to stderr. Exit codes: 0 done; 1 any outcome but
ok, a turn that did not end in an answer, findings, or an operational error;
2 misused. Every command has --json. A FILE may be - for standard input.`,
		Example:       "  holdfast run coach\n  holdfast call coach search_foods --args '{\"query\":\"arroz\"}'",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().BoolVar(&a.json, "json", false, "write the result as JSON")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 {
			return misused(fmt.Errorf("unknown command %q", words[0]))
		}
		return misused(err)
	})
	root.AddCommand(a.commands()...)
	return root
}

// do is how a command's work is entered: from there on an error is operational
// unless it says that the command was misused.
func (a *app) do(work func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.started = true
		a.jsonSet = cmd.Flags().Changed("json")
		return work(cmd, args)
	}
}

// words demands from least to most words after the command's name.
func words(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("%d words after %s; it is used as: %s", len(args), cmd.CommandPath(), strings.TrimSuffix(cmd.UseLine(), " [flags]"))
		}
		return nil
	}
}

// misuse is an error of the command line itself.
type misuse struct{ error }

func misused(err error) error { return &misuse{err} }

func (m *misuse) Unwrap() error { return m.error }

// errFindings ends a command with exit code 1 and no further word: its result
// has said what is wrong.
var errFindings = errors.New("findings")

// report writes err for a person and gives the exit code.
func (a *app) report(err error) int {
	if err == nil {
		return exitDone
	}
	if errors.Is(err, errFindings) {
		return exitOther
	}
	fmt.Fprintln(a.stderr, "holdfast:", visible.Text(err.Error()))
	if m := (*misuse)(nil); errors.As(err, &m) || !a.started {
		fmt.Fprintln(a.stderr, "Run holdfast with --help, also after a command's name, to see how it is used.")
		return exitMisuse
	}
	return exitOther
}
