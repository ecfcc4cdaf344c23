// Package wirebench holds the decoders of package wire against the official
// SDKs' stream accumulators, over the recorded streams. It is a module of its
// own, so that no SDK is a dependency of Holdfast.
package wirebench
