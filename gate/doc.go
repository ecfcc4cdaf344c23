// Package gate is the one place that every call of every provider and every
// door passes, in the order of the stages: complete, lookup, parse, validate,
// authorise, approve, admit, claim, execute, confirm, record. The first "no"
// ends the call; before execute nothing of its handler runs; whatever becomes of
// it is an outcome, never an error or a panic.
//
//	g, err := gate.New(catalog, ledger, nil)
//	verdicts, err := g.Round(ctx, gate.Round{
//		Run: "r1", Turn: 1, Number: 1, Calls: reply.Calls, Complete: reply.Complete, Principal: me,
//	}, nil)
//	for _, v := range verdicts {
//		if v.Answer {
//			send(v.Observation)
//		}
//	}
//
// A round is put through as a whole: reads next to each other run in parallel, a
// write or an agent call runs alone, verdicts come in the provider's order. A
// call that waits for a person parks the round: it and everything behind it are
// told again when the round is put through with Resume, by any process.
//
// Calls that the provider ran itself get a verdict that says so and no outcome:
// their result stands in the reply, and no observation is owed.
//
// What the gate does not do: it does not know how a call arrived or what its
// handler is, it decides no policy ([Authorizer], [Admitter] do), it repeats
// nothing but a read that says that it may, and it cannot stop a handler that ignores its context; that one is
// left behind, counted, and told truly. A change of the world between a tool's
// precondition and its handler is the tool's to prevent.
package gate
