// Package schemabench holds the schema engine against two others: Ajv, run by
// node, and santhosh-tekuri/jsonschema. It is a module of its own, so that
// neither is a dependency of Holdfast.
package schemabench
