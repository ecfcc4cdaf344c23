// Package sandboxtest holds what every [sandbox.Runner] promises: each kind of
// runner runs [Runner] in its tests, with a tool for each manner.
package sandboxtest
