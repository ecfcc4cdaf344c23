// Package schema compiles a JSON Schema once and uses that one compiled
// definition for everything a tool's arguments need: reading them strictly,
// validating them with every problem listed, explaining, coercing, generating
// and rewriting.
package schema
