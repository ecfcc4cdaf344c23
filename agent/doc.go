// Package agent is the loop between a model and the gate: it asks the model,
// puts the calls of each reply through the gate as one round, sends the
// observations back, and ends the turn in a stated way.
//
//	a, err := agent.New(client, g, book, &agent.Options{System: prompt, Watch: show})
//	run, err := book.CreateRun(ctx, ledger.Run{Principal: ana}) // a conversation, and for whom
//	result, err := a.Turn(ctx, run.ID, "How much rice did I eat today?")
//	if result.End == agent.Pending {
//		// a person decides on result.ApprovalID, then, here or in another process:
//		result, err = a.Resume(ctx, run.ID)
//	}
//
// A reply is saved before any of its calls runs, and what is sent to the model is
// built from the record alone, in a fresh turn as after a restart: turns, rounds
// and the outcomes of their calls. So a run that waits holds nothing, and a crash
// between any two lines loses nothing that was acknowledged.
//
// An agent can be a tool of another ([Tool]): each call of it is a run of its own,
// found by the call's ledger id. And one can hand its conversation over ([Handoff]):
// each round says whose it is.
//
// The loop decides nothing about a call; that is the gate's. It runs nothing of a
// reply that was cut, filtered or broke off, and it asks no model again after the
// last round that its limit allows.
package agent
