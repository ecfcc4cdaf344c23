// Package policy says which calls may run: by rules that an operator can read, by
// budgets, and by what a person agreed to once for calls to come.
//
//	p, err := policy.Load("policy.yaml")
//	g, err := gate.New(catalog, ledger, &gate.Options{Authorizer: policy.NewBook(ledger, p)})
//
// A rule matches a call by its tool, effect, principal, arguments and by what the
// run holds. Where it stands does not matter: one denial denies, else one asking
// asks a person, else one permission permits, and where nothing matches the call
// is denied. The name of the rule that decided stands in the record.
//
// What it does not do: it has no language, no variables and no functions; whoever
// needs these implements [gate.Authorizer]. It never looks at a model's words, and
// it guesses nothing: an argument that is absent or cannot be compared never
// permits a call, and always asks or denies where that is the rule.
package policy
