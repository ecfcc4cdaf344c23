package main

import (
	"bufio"
	"io"
	"net/http"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestServeEndsInOrderOnASignal starts the page, asks it, and ends it.
func TestServeEndsInOrderOnASignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such signals")
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := newProcess(t)
		cmd := p.command("serve", "--addr", "127.0.0.1:0", "--ledger", p.ledger)
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
		for path, want := range map[string]string{"/": "<title>Holdfast</title>", "/healthz": "ok", "/v1/info": `"catalog":"coach"`} {
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
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("after %v serve = %v, want exit code 0", signal, err)
		}
	}
}

func TestServeBeyondThisMachineNeedsAToken(t *testing.T) {
	p := newProcess(t)
	out, err := p.command("serve", "--addr", "0.0.0.0:0", "--ledger", p.ledger).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "needs a token") {
		t.Errorf("serve = %v %s, want an error that asks for a token", err, out)
	}
}
