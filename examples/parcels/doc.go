// Package parcels is the HTTP API behind examples/parcels.yaml: a depot that
// tracks parcels and books pickups, in memory. It behaves as badly as real ones
// do, by the first letters of a parcel's number:
//
//	GOOD  as one would wish
//	BUSY  is overloaded the first two times that it is asked about
//	DOWN  always is
//	SLOW  takes 10 seconds
//	FULL  has no pickups left: 409, and nothing is booked
//	LOST  books the pickup, and the connection breaks before the answer
//	LATE  the same, but books it two seconds after that
//	DROP  the connection breaks, and nothing is booked
//	HANG  books the pickup, and never answers
//
// Other parcels are not found.
package parcels
