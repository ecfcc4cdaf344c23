package main

import "github.com/spf13/cobra"

// commands in the order of a call's way: read a reply, look at the tools, check
// arguments, call, converse, serve, decide, look back.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.parseCommand(),
		a.toolsCommand(),
		a.checkCommand(),
		a.callCommand(),
		a.replayCommand(),
		a.runCommand(),
		a.serveCommand(),
		a.grammarCommand(),
		a.tokenCommand(),
		a.approvalsCommand(),
		a.policyCommand(),
		a.resumeCommand(),
		a.ledgerCommand(),
		a.versionCommand(),
	}
}
