package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/server"
	"github.com/holdfast-go/holdfast/server/console"
	"github.com/holdfast-go/holdfast/server/token"
	"github.com/holdfast-go/holdfast/wire"
)

// tokenVariable holds one token that is good for everything, so that it need not
// stand on a command line, where others on the machine read it.
const tokenVariable = "HOLDFAST_TOKEN"

// serveFlags are what serve was asked.
type serveFlags struct {
	ledger      ledgerFlag
	model       modelFlag
	tokens      tokensFlag
	addr, token string
	principal   string
	rate        int
	rounds      int
	grace       time.Duration
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [CATALOG]",
		Short: "Open the page: talk, see every call, decide, look back",
		Long: `Serve answers on this machine with a page on which one talks to a model, sees
each call pass the gate, approves or denies, and looks up what ever happened; the
page uses the HTTP API under /v1. Without CATALOG it is the coach, whose model is
scripted unless --model names a real one.

Tokens say who may use it, and for what: holdfast token create makes them, and
while there are any, everybody is asked for one. An address that other machines
reach needs one. The environment variable ` + tokenVariable + ` (or --token) gives one
more, which acts for --principal and is good for everything in its tenant.

Writes whose effect is not known are asked about, where their tools have a confirm
function. SIGINT and SIGTERM end it in order: turns that run come to their end or
are kept for the next start.`,
		Example: `  holdfast serve
  holdfast serve travel.yaml --model anthropic/claude-sonnet-4-5
  holdfast token create --principal gym/ana --scope propose,approve,read
  holdfast serve --addr 0.0.0.0:8484`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.do(func(cmd *cobra.Command, args []string) error {
			catalog := coachName
			if len(args) == 1 {
				catalog = args[0]
			}
			return a.serve(cmd.Context(), f, catalog)
		}),
	}
	f.ledger.add(cmd)
	a.addPolicy(cmd)
	f.model.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:8484", "where to answer; port 0 takes a free one")
	f.tokens.add(cmd)
	flags.StringVar(&f.token, "token", "", "a token that is good for everything (default: $"+tokenVariable+")")
	flags.StringVar(&f.principal, "principal", "", "on whose behalf, where no token says it: P or TENANT/P (default: the local user)")
	flags.IntVar(&f.rate, "rate", 100, "requests of one principal that are answered a second")
	flags.IntVar(&f.rounds, "max-rounds", 16, "replies of the model in one turn")
	flags.DurationVar(&f.grace, "grace", 10*time.Second, "how long turns may go on after the signal to end")
	return cmd
}

func (a *app) serve(ctx context.Context, f serveFlags, catalogName string) error {
	if f.rounds < 1 {
		return misused(fmt.Errorf("%d rounds: a turn has at least one", f.rounds))
	}
	if f.rate < 1 {
		return misused(fmt.Errorf("--rate %d: at least one request a second", f.rate))
	}
	if f.token == "" {
		f.token, _ = a.env(tokenVariable)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	w, err := a.watch()
	if err != nil {
		return err
	}
	defer w.close()
	f.ledger.committed = w.metrics.Committed
	return a.withGateOf(context.WithoutCancel(ctx), f.ledger, catalogName, w.gateOptions(), func(_ context.Context, h *house) error {
		w.metrics.Follow(h.ledger, h.gate)
		stopAsking, err := h.confirming(context.WithoutCancel(ctx))
		if err != nil {
			return err
		}
		defer stopAsking()
		s, err := a.newServer(f, h, w)
		if err != nil {
			return err
		}
		l, err := net.Listen("tcp", f.addr)
		if err != nil {
			return fmt.Errorf("serving: %w", err)
		}
		if err := a.tellAddress(f, h, l.Addr().String()); err != nil {
			return errors.Join(err, l.Close())
		}
		return s.Serve(ctx, l)
	})
}

func (a *app) newServer(f serveFlags, h *house, w *watching) (*server.Server, error) {
	principal, err := a.principal(f.principal)
	if err != nil {
		return nil, err
	}
	tokens, err := a.serverTokens(f, principal)
	if err != nil {
		return nil, err
	}
	chosen, err := f.model.choose(a, h.preset)
	if err != nil {
		return nil, err
	}
	o := server.Options{
		Agent:   agent.Options{System: func() string { return h.system(time.Now()) }, MaxRounds: f.rounds, Tools: wire.ToolOptions{Quirks: f.model.quirks}},
		Catalog: h.label, Model: chosen.client.Name(), Scripted: chosen.script != nil, Principal: principal, Tokens: tokens,
		Rate: f.rate, Page: console.New(), Grace: f.grace,
	}
	var s *server.Server // that the staff tells, once somebody talks to it
	inner := func(*masker) func(agent.Event) { return func(e agent.Event) { s.WatchWithin(e) } }
	if _, err := h.staffed(&o.Agent, f.model, chosen, inner); err != nil {
		return nil, err
	}
	w.serverOptions(&o)
	if chosen.script != nil {
		o.Hints = chosen.script.Hints()
	}
	s, err = server.New(h.gate, h.ledger, w.model(chosen.client, chosen.client.Name()), &o)
	return s, err
}

// serverTokens are those of the file, and the one that was given.
func (a *app) serverTokens(f serveFlags, principal holdfast.Principal) (*token.Ring, error) {
	ring, err := a.openTokens(f.tokens)
	if err != nil || f.token == "" {
		return ring, err
	}
	return ring, ring.Give(f.token, token.Token{Principal: principal, Scopes: token.Scopes()})
}

// tellAddress says where the page is: the one line on stdout.
func (a *app) tellAddress(f serveFlags, h *house, addr string) error {
	address := "http://" + addr
	if host, port, err := net.SplitHostPort(addr); err == nil && net.ParseIP(host).IsUnspecified() {
		address = "http://" + net.JoinHostPort("localhost", port)
	}
	if a.json {
		return writeJSON(a.stdout, map[string]string{"address": address, "catalog": h.label})
	}
	fmt.Fprintf(a.stderr, "%s is on its page. Recorded in %s. Ctrl-C ends it.\n", strings.ToUpper(h.label[:1])+visible.Line(h.label[1:]), visible.Line(a.ledgerPlace(f.ledger)))
	_, err := fmt.Fprintln(a.stdout, address)
	return err
}
