package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
)

func (a *app) ledgerVerifyCommand() *cobra.Command {
	where := ledgerFlag{looks: true}
	var known []string
	cmd := &cobra.Command{
		Use:   "verify [--known HASH]",
		Short: "Check that nothing was changed behind the ledger's back",
		Long: `Verify walks the chain of events and compares every call and approval with what
the chain says of it. It exits with 1 if anything was changed, taken out or put in.

It says the hash of the last event. Who keeps that elsewhere can give it back with
--known: the chain must still hold it, which a chain that was cut off does not.`,
		Example: "  holdfast ledger verify\n  holdfast ledger verify --known HASH --json",
		Args:    cobra.NoArgs,
		RunE: a.do(func(cmd *cobra.Command, _ []string) error {
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				n, last, faults, err := l.Verify(ctx, known...)
				if err != nil {
					return fmt.Errorf("verifying the ledger: %w", err)
				}
				return a.showVerified(n, last, faults)
			})
		}),
	}
	where.add(cmd)
	cmd.Flags().StringArrayVar(&known, "known", nil, "a hash that an earlier verify said; may be given more than once")
	return cmd
}

func (a *app) showVerified(n int64, last string, faults []string) error {
	if a.json {
		err := writeJSON(a.stdout, struct {
			Intact bool     `json:"intact"`
			Events int64    `json:"events"`
			Last   *string  `json:"last"`
			Faults []string `json:"faults"`
		}{len(faults) == 0, n, known(last), list(faults)})
		if err != nil {
			return err
		}
	} else {
		for _, fault := range faults {
			fmt.Fprintln(a.stdout, visible.Line(fault))
		}
		if len(faults) == 0 {
			fmt.Fprintf(a.stdout, "intact: %s%s\n", counted(int(n), "event"), prefixed(", the last is ", last))
		}
	}
	if len(faults) > 0 {
		return errFindings
	}
	return nil
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// counted is "1 call" or "2 calls".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func (a *app) ledgerPruneCommand() *cobra.Command {
	where := ledgerFlag{looks: true}
	var age string
	cmd := &cobra.Command{
		Use:   "prune --older-than AGE",
		Short: "Forget calls that ended long ago",
		Long: `Prune forgets for good what calls said and returned that ended longer ago than
AGE, and the replies that they were in. A write's key leaves a tombstone, so that
the same write is refused as key_pruned and not taken for a new one. What is not
at its end stays: writes that run or are uncertain, and calls that a person can
still agree to. The chain of events still verifies.

AGE is a number of days, such as 400d, or hours, minutes and seconds: 36h30m.`,
		Example: "  holdfast ledger prune --older-than 400d",
		Args:    cobra.NoArgs,
		RunE: a.do(func(cmd *cobra.Command, _ []string) error {
			keep, err := parseAge(age)
			if err != nil {
				return misused(err)
			}
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				n, err := l.Prune(ctx, keep)
				if err != nil {
					return fmt.Errorf("%s pruned, then: %w", counted(n, "call"), err)
				}
				return a.showDone(map[string]int{"pruned": n}, counted(n, "call")+" pruned")
			})
		}),
	}
	where.add(cmd)
	cmd.Flags().StringVar(&age, "older-than", "", "how long a call's end must lie behind: 400d, 36h")
	return cmd
}

// showDone writes what a command did to the ledger.
func (a *app) showDone(counts map[string]int, words string) error {
	if a.json {
		return writeJSON(a.stdout, counts)
	}
	_, err := fmt.Fprintln(a.stdout, words)
	return err
}

const maxDays = 100 * 366

// parseAge reads a number of days, or what time.ParseDuration reads.
func parseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, errors.New("pruning needs --older-than: a number of days, such as 400d")
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > maxDays {
			return 0, fmt.Errorf("%q is not a number of days from 0d to %dd", text, maxDays)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	age, err := time.ParseDuration(text)
	if err != nil || age < 0 {
		return 0, fmt.Errorf("%q is not an age; it is written like 400d or 36h", text)
	}
	return age, nil
}

func (a *app) ledgerEraseCommand() *cobra.Command {
	where := ledgerFlag{looks: true}
	var whose string
	cmd := &cobra.Command{
		Use:   "erase --principal P",
		Short: "Forget what a principal said and was told",
		Long: `Erase forgets for good the arguments, results, messages and replies of every call
and turn of a principal that is at its end. That the calls were made stays, and
keys keep their meaning: the same write is not run again, and its replay has no
result any more. The chain of events still verifies.

Calls that are not at their end keep what they need; it says how many. Resolve or
finish them, and erase again.`,
		Example: "  holdfast ledger erase --principal ana\n  holdfast ledger erase --principal acme/ana",
		Args:    cobra.NoArgs,
		RunE: a.do(func(cmd *cobra.Command, _ []string) error {
			if whose == "" {
				return misused(errors.New("erasing needs --principal: whose words to forget"))
			}
			p, err := a.principal(whose)
			if err != nil {
				return err
			}
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				return a.erase(ctx, l, p)
			})
		}),
	}
	where.add(cmd)
	cmd.Flags().StringVar(&whose, "principal", "", "whose: P of this machine, or TENANT/P")
	return cmd
}

func (a *app) erase(ctx context.Context, l *ledger.Ledger, p holdfast.Principal) error {
	n, err := l.Erase(ctx, p)
	if err != nil {
		return fmt.Errorf("%s erased, then: %w", counted(n, "call"), err)
	}
	open, err := openCalls(ctx, l, p)
	if err != nil {
		return fmt.Errorf("%s erased; looking for open ones: %w", counted(n, "call"), err)
	}
	words := fmt.Sprintf("%s of %s erased", counted(n, "call"), shownPrincipal(p))
	if open > 0 {
		words += fmt.Sprintf("; %s not at an end and kept", counted(open, "call"))
	}
	return a.showDone(map[string]int{"erased": n, "kept": open}, words)
}

// openCalls counts a principal's calls that are not at their end.
func openCalls(ctx context.Context, l *ledger.Ledger, p holdfast.Principal) (int, error) {
	const page = 500
	n := 0
	for _, state := range []ledger.State{ledger.StatePending, ledger.StateClaimed, ledger.StateStarted, ledger.StateUncertain} {
		for before := ""; ; {
			entries, err := l.Entries(ctx, ledger.Filter{State: string(state), Before: before, Limit: page})
			if err != nil {
				return n, err
			}
			for _, e := range entries {
				if before = e.ID; e.Principal == p {
					n++
				}
			}
			if len(entries) < page {
				break
			}
		}
	}
	return n, nil
}

func (a *app) ledgerExportCommand() *cobra.Command {
	where := ledgerFlag{looks: true}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the whole record as JSON lines",
		Long: `Export writes every row of the ledger, one JSON object a line, the events last:
{"table","seq","id","body"}. The bodies are those that the chain's hashes were made
of. Arguments and results stand in it as they are recorded, secrets masked.`,
		Example: "  holdfast ledger export > record.jsonl",
		Args:    cobra.NoArgs,
		RunE: a.do(func(cmd *cobra.Command, _ []string) error {
			return a.withLedger(cmd.Context(), where, func(ctx context.Context, l *ledger.Ledger) error {
				out := bufio.NewWriter(a.stdout)
				err := l.Export(ctx, a.exportTo(out))
				return errors.Join(err, out.Flush())
			})
		}),
	}
	where.add(cmd)
	return cmd
}

// exportTo is w, byte for byte; before a terminal, with escapes for what would
// act on it.
func (a *app) exportTo(w io.Writer) io.Writer {
	if isTerminal(a.stdout) {
		return escapedLines{w}
	}
	return w
}

// escapedLines takes whole lines of JSON.
type escapedLines struct{ w io.Writer }

func (e escapedLines) Write(line []byte) (int, error) {
	if _, err := io.WriteString(e.w, visible.JSON(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}
