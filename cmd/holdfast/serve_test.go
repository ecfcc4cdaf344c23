package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestServeEndsInOrderOnASignal starts the page, asks it, and ends it.
func TestServeEndsInOrderOnASignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such signals")
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			serveAndEnd(t, signal)
		})
	}
}

func serveAndEnd(t *testing.T, signal syscall.Signal) {
	p := newProcess(t)
	var spans, within atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		spans.Add(int64(strings.Count(string(body), `"execute_tool search_foods"`) + strings.Count(string(body), `"invoke_agent"`) + strings.Count(string(body), `"chat `)))
		within.Add(int64(strings.Count(string(body), `"traceId":"`+callersTrace+`"`)))
	}))
	defer collector.Close()
	cmd := p.command("serve", "--addr", "127.0.0.1:0", "--ledger", p.ledger)
	cmd.Env = append(cmd.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("serve wrote %q, %v, want its address", address, err)
	}
	for path, want := range map[string]string{"/": "<title>Holdfast</title>", "/healthz": "ok", "/v1/info": `"catalog":"coach"`, "/metrics": "holdfast_ledger_up 1"} {
		resp, err := http.Get(strings.TrimSpace(address) + path)
		if err != nil {
			t.Fatalf("GET %s = %v", path, err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("GET %s = %d %.200s, want %q in it", path, resp.StatusCode, body, want)
		}
	}
	p.converse(t, strings.TrimSpace(address))
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after %v serve = %v, want exit code 0", signal, err)
	}
	if spans.Load() < 4 { // a turn, its call, and two exchanges
		t.Errorf("the collector got %d spans, want those of a turn, a call and the exchanges, sent before the end", spans.Load())
	}
	if within.Load() < 4 {
		t.Errorf("%d spans stand in the trace that the message came with, want all of its turn's", within.Load())
	}
}

// callersTrace is that of whoever converses.
const callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

// converse has one turn with the coach and waits for its end.
func (p process) converse(t *testing.T, address string) {
	t.Helper()
	post := func(path, body string) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("traceparent", "00-"+callersTrace+"-00f067aa0ba902b7-01")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatalf("POST %s = %v", path, err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode >= http.StatusBadRequest {
			t.Fatalf("POST %s = %d %s, %v", path, resp.StatusCode, text, err)
		}
		return string(text)
	}
	var made struct{ Run string }
	if err := json.Unmarshal([]byte(post("/v1/runs", "{}")), &made); err != nil {
		t.Fatal(err)
	}
	events, err := http.Get(address + "/v1/runs/" + made.Run + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	post("/v1/runs/"+made.Run+"/turns", `{"message":"¿Cuántos carbohidratos tiene el arroz?"}`)
	lines := bufio.NewScanner(events.Body)
	for lines.Scan() {
		if lines.Text() == "event: end" {
			return
		}
	}
	t.Fatal("the events ended before the turn")
}

func TestServeBeyondThisMachineNeedsAToken(t *testing.T) {
	p := newProcess(t)
	out, err := p.command("serve", "--addr", "0.0.0.0:0", "--ledger", p.ledger).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "needs a token") {
		t.Errorf("serve = %v %s, want an error that asks for a token", err, out)
	}
}
