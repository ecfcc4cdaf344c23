package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
)

// Metrics counts what it is told of. Safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	calls     *prometheus.CounterVec
	inFlight  prometheus.Gauge
	stages    *prometheus.HistogramVec
	executing *prometheus.HistogramVec
	abandoned *prometheus.CounterVec
	commits   *prometheus.HistogramVec
	requests  *prometheus.CounterVec
	answering *prometheus.HistogramVec
	codes     words
}

// seconds are the buckets of what takes from a memory write to a slow tool.
var seconds = []float64{.0001, .0005, .001, .005, .01, .05, .1, .5, 1, 5, 10, 60}

// NewMetrics makes the metrics, with those of the process beside them.
func NewMetrics() *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: seconds}, labels)
	}
	m := &Metrics{
		registry:  prometheus.NewRegistry(),
		calls:     counter("holdfast_calls_total", "Calls that were decided on, by tool, outcome and code. A call that waited for a person counts as pending, and again once it was decided; an uncertain write each time that its confirm function is asked.", "tool", "outcome", "code", "replayed"),
		inFlight:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "holdfast_calls_in_flight", Help: "Calls that are on their way through the gate."}),
		stages:    histogram("holdfast_stage_seconds", "How long calls were in each stage of the gate.", "stage"),
		executing: histogram("holdfast_execute_seconds", "How long the handler of each tool ran.", "tool"),
		abandoned: counter("holdfast_abandoned_total", "Calls whose handler or confirm function ignored its cancellation, by tool.", "tool"),
		commits:   histogram("holdfast_ledger_commit_seconds", "How long the ledger took for a write, until it was durable or refused.", "result"),
		requests:  counter("holdfast_http_requests_total", "HTTP requests that were answered.", "method", "route", "status"),
		answering: histogram("holdfast_http_request_seconds", "How long HTTP requests took, event streams to their end.", "route"),
	}
	m.registry.MustRegister(m.calls, m.inFlight, m.stages, m.executing, m.abandoned, m.commits, m.requests, m.answering,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// unknown stands for every tool that the catalog does not have.
const unknown = "unknown"

// toolOf is a tool's label.
func toolOf(p gate.Progress) string {
	if p.Definition == nil {
		return unknown
	}
	return p.Tool
}

// Observe is for gate.Options.
func (m *Metrics) Observe(ctx context.Context, p gate.Progress) context.Context {
	if p.Verdict == nil {
		m.inFlight.Inc()
		return ctx
	}
	m.inFlight.Dec()
	for stage, took := range p.Took {
		m.stages.WithLabelValues(string(stage)).Observe(took.Seconds())
	}
	tool := toolOf(p)
	if took, ok := p.Took[gate.Execute]; ok {
		m.executing.WithLabelValues(tool).Observe(took.Seconds())
	}
	if p.Abandoned {
		m.abandoned.WithLabelValues(tool).Inc()
	}
	if v := p.Verdict; !v.Waiting && !v.Skipped {
		o := v.Outcome
		m.calls.WithLabelValues(tool, string(o.Status), m.codes.bounded(string(o.Code)), strconv.FormatBool(o.Replayed)).Inc()
	}
	return ctx
}

// Committed is for ledger.Options.
func (m *Metrics) Committed(took time.Duration, err error) {
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.commits.WithLabelValues(result).Observe(took.Seconds())
}

// Answered counts an HTTP request by the pattern of its route.
func (m *Metrics) Answered(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.answering.WithLabelValues(route).Observe(took.Seconds())
}

// Follow adds what the ledger and the gate know by themselves, and are asked for
// when somebody looks. It is called once.
func (m *Metrics) Follow(l *ledger.Ledger, g *gate.Gate) {
	m.registry.MustRegister(&standing{ledger: l, gate: g})
}

// Handler answers with the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
