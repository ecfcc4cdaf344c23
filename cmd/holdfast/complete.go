package main

import "github.com/spf13/cobra"

// fixedCompletion completes a flag from a fixed list of words.
func fixedCompletion(cmd *cobra.Command, flag string, words ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic("holdfast: completing --" + flag + ": " + err.Error())
	}
}
