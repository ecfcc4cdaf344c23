// Package house holds the tests that keep the house in order: who may import
// whom, and what each package exports.
package house
