// Package telemetry tells what passes a gate to those who watch over it: metrics
// in the text format of Prometheus, and spans of OpenTelemetry.
//
//	m := telemetry.NewMetrics()
//	l, err := ledger.New(ctx, store, &ledger.Options{Committed: m.Committed})
//	g, err := gate.New(catalog, l, &gate.Options{Observe: telemetry.Join(telemetry.NewTracer(provider, nil).Observe, m.Observe)})
//	m.Follow(l, g)
//	http.Handle("/metrics", m.Handler())
//
// A span holds a call's place, outcome and ledger id, and no argument or result:
// those stand in the record, where access to them is asked for and they can be
// erased. The attributes are those of the GenAI conventions (execute_tool, chat,
// invoke_agent) and our own under "holdfast.".
//
// Labels of metrics are bounded: a tool that the catalog does not have is
// "unknown", so that a model cannot make labels.
//
// It refuses to be needed: the gate and the ledger know nothing of it.
package telemetry
