// Package wire turns a provider's bytes into neutral values and back. A [Codec]
// speaks one provider's format; it is pure: bytes in, values out, no I/O, no
// clock, no policy.
//
// Decoding is lenient where vendors are, by one rule for all servers of a
// family, and never the cause of a call that should not run: a call is complete
// only when its protocol said so and no stop reason vetoes it. The provider's own
// message is kept verbatim, so that it can be sent back as it came.
package wire
