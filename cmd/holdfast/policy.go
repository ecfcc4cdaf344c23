package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/policy"
)

// addPolicy gives a command its --policy.
func (a *app) addPolicy(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.policy, "policy", "", "rules that calls are held to, in place of those that the catalog names (docs/policy.md)")
}

// guarded are the gate's options with who decides: the policy, if there is one,
// and what people agreed to for calls to come.
func (a *app) guarded(c *openedCatalog, l *ledger.Ledger, o *gate.Options) (*gate.Options, error) {
	p := c.policy
	if a.policy != "" {
		var err error
		if p, err = policy.Load(a.policy); err != nil {
			return nil, err
		}
	}
	var set gate.Options
	if o != nil {
		set = *o
	}
	set.Authorizer = policy.NewBook(l, nil)
	if p != nil {
		set.Authorizer = policy.NewBook(l, p)
	}
	return &set, nil
}

func (a *app) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Look at the rules that say which calls may run",
		Long: `A policy is a file of rules and budgets. call, replay, run, serve and resume hold
each call to the one that --policy or the catalog names; what no rule allows is
denied. Rules that people saved with an answer are listed by holdfast approvals
rules.`,
		Example: "  holdfast policy check examples/mail_policy.yaml --catalog examples/mail.yaml",
		Args:    cobra.NoArgs,
		RunE:    a.do(needsSubcommand),
	}
	cmd.AddCommand(a.policyCheckCommand())
	return cmd
}

// policyView is what policy check found. The names are fixed.
type policyView struct {
	Words  []string       `json:"words"`
	Doubts []policy.Fault `json:"doubts"`
}

func (a *app) policyCheckCommand() *cobra.Command {
	var catalog string
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Say in words what a policy does, and what is odd about it",
		Long: `Check reads a policy file and says in words what it does, the stronger rules
first. With --catalog it also names rules that can never match a tool of it, and
tools that are always denied; then it ends with 1 if there are any.`,
		Example: "  holdfast policy check examples/mail_policy.yaml --catalog examples/mail.yaml",
		Args:    words(1, 1),
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			return a.checkPolicy(cmd.Context(), args[0], catalog)
		}),
	}
	cmd.Flags().StringVar(&catalog, "catalog", "", "the catalog whose tools the rules are about")
	return cmd
}

func (a *app) checkPolicy(ctx context.Context, file, catalog string) error {
	src, err := a.readFile(file)
	if err != nil {
		return err
	}
	p, err := policy.Parse(file, src)
	if err != nil {
		return err
	}
	view := policyView{Words: p.Words(), Doubts: []policy.Fault{}}
	if catalog != "" {
		c, err := a.openCatalog(ctx, catalog, "")
		if err != nil {
			return err
		}
		view.Doubts = list(p.Doubts(c.catalog))
		if err := c.close(); err != nil {
			return err
		}
	}
	if err := a.showPolicy(view); err != nil {
		return err
	}
	if len(view.Doubts) > 0 {
		return errFindings
	}
	return nil
}

func (a *app) showPolicy(v policyView) error {
	if a.json {
		return writeJSON(a.stdout, v)
	}
	for _, line := range v.Words {
		fmt.Fprintln(a.stdout, line)
	}
	for _, f := range v.Doubts {
		fmt.Fprintln(a.stderr, visible.Line(f.String()))
	}
	return nil
}
