// Package rule holds what rules about calls are made of, as data that can be read,
// shown to a person, kept in a record and compared: conditions on arguments, rules
// that a person saved with an answer, budgets. It decides nothing; package policy
// does.
//
//	small := rule.Condition{Path: "/amount", Op: "<=", Value: json.RawMessage("50")}
//	if small.Holds(args) { … } // certainly: an absent amount is not small
package rule
