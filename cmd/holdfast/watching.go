package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/server"
	"github.com/holdfast-go/holdfast/telemetry"
	"github.com/holdfast-go/holdfast/telemetry/otlp"
)

// watching is who watches over a server: its log, its metrics, and its spans
// where the environment names a collector.
type watching struct {
	log      *slog.Logger
	metrics  *telemetry.Metrics
	provider *sdktrace.TracerProvider // nil: no spans
	tracer   *telemetry.Tracer
}

// captureVariable is OpenTelemetry's, for arguments and results in spans.
const captureVariable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

func (a *app) watch() (*watching, error) {
	w := &watching{log: slog.New(slog.NewTextHandler(a.stderr, nil)), metrics: telemetry.NewMetrics()}
	exporter, err := otlp.FromEnvironment(a.env)
	if err != nil || exporter == nil {
		return w, err
	}
	who, err := resource.Merge(resource.NewSchemaless(attribute.String("service.name", "holdfast")), resource.Environment())
	if err != nil {
		return nil, fmt.Errorf("reading OpenTelemetry's variables: %w", err)
	}
	w.provider = sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(who))
	content, _ := a.env(captureVariable)
	w.tracer = telemetry.NewTracer(w.provider, &telemetry.TraceOptions{Content: strings.EqualFold(content, "true")})
	return w, nil
}

// close sends what is left.
func (w *watching) close() {
	if w.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := w.provider.Shutdown(ctx); err != nil {
		w.log.Warn("spans were not sent", "error", err)
	}
}

func (w *watching) gateOptions() *gate.Options {
	o := &gate.Options{Log: w.log, Observe: w.metrics.Observe}
	if w.tracer != nil {
		o.Observe = telemetry.Join(w.tracer.Observe, w.metrics.Observe)
	}
	return o
}

// serverOptions puts the watchers into o.
func (w *watching) serverOptions(o *server.Options) {
	o.Log, o.Metrics = w.log, w.metrics.Handler()
	o.Answered = func(a server.Answered) { w.metrics.Answered(a.Method, a.Route, a.Status, a.Took) }
	if w.tracer != nil {
		o.Agent.Observe, o.Trace = w.tracer.Turn, w.tracer.Incoming
	}
}

// model is m, watched.
func (w *watching) model(m agent.Model, name string) agent.Model {
	if w.tracer == nil {
		return m
	}
	return w.tracer.Model(m, name)
}
