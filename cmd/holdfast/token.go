package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/server/token"
)

// tokensFile is the default file of tokens, in the user's data folder.
const tokensFile = "tokens.jsonl"

// tokensFlag is --tokens: the file of tokens.
type tokensFlag struct{ where string }

func (f *tokensFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.where, "tokens", "", "the file of tokens (default: "+tokensFile+" in the user's data folder)")
}

func (a *app) openTokens(f tokensFlag) (*token.Ring, error) {
	if f.where == "" {
		file, err := a.dataFile(tokensFile)
		if err != nil {
			return nil, err
		}
		f.where = file
	}
	return token.Open(f.where, nil)
}

func (a *app) tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Say who may use the server, and for what",
		Long: `A token lets a program or a browser use holdfast serve as one principal of one
tenant. The server asks everybody for one as soon as there is one. Its secret is
shown once; the file keeps a digest. What is made or revoked holds at once, also
for a server that runs.

Scopes, none of which implies another:
  propose  begin conversations and turns
  approve  decide what waits for a person, settle what is uncertain
  read     look
  admin    the other scopes reach the whole tenant, not the principal's own alone;
           and /metrics`,
		Example: "  holdfast token create --principal gym/ana --scope propose,approve,read\n  holdfast token list",
		Args:    cobra.NoArgs,
		RunE:    a.do(needsSubcommand),
	}
	cmd.AddCommand(a.tokenCreateCommand(), a.tokenListCommand(), a.tokenRevokeCommand())
	return cmd
}

func (a *app) tokenCreateCommand() *cobra.Command {
	var (
		where     tokensFlag
		principal string
		scopes    []string
		expires   time.Duration
		note      string
	)
	cmd := &cobra.Command{
		Use:   "create --principal [TENANT/]P --scope SCOPE,…",
		Short: "Make a token; its secret is shown this once",
		Example: `  holdfast token create --principal gym/ana --scope propose,approve,read --expires 720h
  holdfast token create --principal gym/prometheus --scope admin --note "scrapes /metrics"`,
		Args: cobra.NoArgs,
		RunE: a.do(func(*cobra.Command, []string) error {
			if principal == "" || len(scopes) == 0 {
				return misused(errors.New("a token needs --principal and --scope"))
			}
			if expires < 0 {
				return misused(fmt.Errorf("--expires %s is in the past", expires))
			}
			p, err := a.principal(principal)
			if err != nil {
				return err
			}
			t := token.Token{Principal: p, Note: note}
			for _, s := range scopes {
				t.Scopes = append(t.Scopes, token.Scope(strings.TrimSpace(s)))
			}
			if expires > 0 {
				t.Expires = time.Now().Add(expires).UTC().Truncate(time.Second)
			}
			return a.createToken(where, t)
		}),
	}
	where.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&principal, "principal", "", "who acts with it: P or TENANT/P")
	flags.StringSliceVar(&scopes, "scope", nil, "what it is good for: propose, approve, read, admin")
	flags.DurationVar(&expires, "expires", 0, "how long it is good; 0: until it is revoked")
	flags.StringVar(&note, "note", "", "what it is for, in words")
	return cmd
}

func (a *app) createToken(where tokensFlag, t token.Token) error {
	ring, err := a.openTokens(where)
	if err != nil {
		return err
	}
	secret, made, err := ring.Create(t, a.localUser())
	if err != nil {
		return err
	}
	if a.json {
		return writeJSON(a.stdout, struct {
			tokenView
			Secret string `json:"secret"`
		}{viewToken(made), secret})
	}
	fmt.Fprintf(a.stderr, "Token %s acts for %s (%s). Its secret is shown this once:\n", made.ID, shownPrincipal(made.Principal), scopeWords(made))
	_, err = fmt.Fprintln(a.stdout, secret)
	return err
}

func (a *app) tokenListCommand() *cobra.Command {
	var where tokensFlag
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the tokens, in the order in which they were made",
		Example: "  holdfast token list --json",
		Args:    cobra.NoArgs,
		RunE: a.do(func(*cobra.Command, []string) error {
			ring, err := a.openTokens(where)
			if err != nil {
				return err
			}
			list, err := ring.List()
			if err != nil {
				return err
			}
			return a.showTokens(list)
		}),
	}
	where.add(cmd)
	return cmd
}

func (a *app) tokenRevokeCommand() *cobra.Command {
	var where tokensFlag
	cmd := &cobra.Command{
		Use:     "revoke ID",
		Short:   "End a token for good",
		Example: "  holdfast token list\n  holdfast token revoke ID",
		Args:    oneID,
		RunE: a.do(func(_ *cobra.Command, args []string) error {
			ring, err := a.openTokens(where)
			if err != nil {
				return err
			}
			t, err := ring.Revoke(args[0], a.localUser())
			if err != nil {
				return err
			}
			return a.showTokens([]token.Token{t})
		}),
	}
	where.add(cmd)
	return cmd
}

// tokenView is a token in JSON.
type tokenView struct {
	ID        string        `json:"id"`
	Tenant    string        `json:"tenant"`
	Principal string        `json:"principal"`
	Scopes    []token.Scope `json:"scopes"`
	State     string        `json:"state"`
	Note      *string       `json:"note"`
	Created   time.Time     `json:"created"`
	CreatedBy string        `json:"created_by"`
	Expires   *time.Time    `json:"expires"`
	Revoked   *time.Time    `json:"revoked"`
	RevokedBy *string       `json:"revoked_by"`
}

func viewToken(t token.Token) tokenView {
	return tokenView{
		ID: t.ID, Tenant: t.Principal.Tenant, Principal: t.Principal.ID, Scopes: t.Scopes, State: tokenState(t, time.Now()),
		Note: known(t.Note), Created: t.Created, CreatedBy: t.CreatedBy, Expires: knownTime(t.Expires), Revoked: knownTime(t.Revoked), RevokedBy: known(t.RevokedBy),
	}
}

func tokenState(t token.Token, now time.Time) string {
	switch {
	case !t.Revoked.IsZero():
		return "revoked"
	case !t.Expires.IsZero() && !now.Before(t.Expires):
		return "expired"
	}
	return "good"
}

func (a *app) showTokens(list []token.Token) error {
	if a.json {
		views := make([]tokenView, 0, len(list))
		for _, t := range list {
			views = append(views, viewToken(t))
		}
		return writeJSON(a.stdout, map[string]any{"tokens": views})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.stderr, "There is no token: holdfast serve answers this machine alone, and asks for none.")
	}
	for _, t := range list {
		until := "for good"
		if !t.Expires.IsZero() {
			until = "until " + shownTime(t.Expires)
		}
		fmt.Fprintf(a.stdout, "%s  %-7s  %s  %s  %s  %s\n", t.ID, tokenState(t, time.Now()), shownPrincipal(t.Principal), scopeWords(t), until, visible.Line(t.Note))
	}
	return nil
}

func scopeWords(t token.Token) string {
	words := make([]string, 0, len(t.Scopes))
	for _, s := range t.Scopes {
		words = append(words, string(s))
	}
	return strings.Join(words, ",")
}
