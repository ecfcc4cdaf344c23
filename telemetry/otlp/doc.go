// Package otlp sends spans to a collector by OTLP over HTTP, in its JSON form.
//
//	exporter, err := otlp.New("http://localhost:4318/v1/traces", nil)
//	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter))
//
// It sends what the SDK hands to it, once, with a retry where the collector asks
// for one. It refuses gRPC, protobuf and compression: a collector takes JSON at
// the same address, and the official exporter would double the binary.
package otlp
