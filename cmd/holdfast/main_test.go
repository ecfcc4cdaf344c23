package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/holdfast-go/holdfast/examples/parcels"
)

var update = flag.Bool("update", false, "rewrite the expectations of the scripts")

func TestMain(m *testing.M) {
	// Processes wait for disks and clocks: more of them than processors go on at once.
	// Who says -parallel is heard.
	if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"holdfast": main})
}

// noSleepAtExit is for the race detector, which otherwise sleeps a second at the
// end of each of the many processes.
const noSleepAtExit = "atexit_sleep_ms=0"

// TestScripts runs the command as a person would: each script is one scenario.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "grab": grab, "booked": booked},
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_DATA_HOME", env.WorkDir+"/data")
			env.Setenv("NO_COLOR", "1")
			env.Setenv("GORACE", noSleepAtExit)
			if err := openDepot(env); err != nil {
				return err
			}
			for _, name := range []string{"mail.yaml", "mail_policy.yaml"} {
				text, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(env.WorkDir, name), text, 0o600); err != nil {
					return err
				}
			}
			return os.MkdirAll(env.WorkDir+"/data", 0o700)
		},
	})
}

// openDepot serves the API of examples/parcels.yaml to a script that uses it, and
// puts the catalog beside the script with that address in it.
func openDepot(env *testscript.Env) error {
	const file = "parcels.yaml"
	script, err := os.ReadFile(filepath.Join("testdata", filepath.Base(env.WorkDir)[len("script-"):]+".txtar"))
	if err != nil || !bytes.Contains(script, []byte(file)) {
		return nil
	}
	depot, stop, err := serveDepot(filepath.Join(env.WorkDir, file))
	env.Defer(stop)
	env.Values[depotKey{}] = depot
	return err
}

// serveDepot serves the API of examples/parcels.yaml, and writes that catalog with
// its address to a file.
func serveDepot(file string) (depot *parcels.Depot, stop func(), err error) {
	depot = parcels.New(io.Discard)
	server := httptest.NewServer(depot)
	stop = func() {
		server.CloseClientConnections()
		server.Close()
		depot.Close()
	}
	catalog, err := os.ReadFile(filepath.Join("..", "..", "examples", "parcels.yaml"))
	if err != nil {
		return depot, stop, err
	}
	catalog = bytes.ReplaceAll(catalog, []byte("127.0.0.1:8085"), []byte(server.Listener.Addr().String()))
	return depot, stop, os.WriteFile(file, catalog, 0o600)
}

type depotKey struct{}

// booked NUMBER N demands that so many pickups of a parcel are booked, or soon
// will be: what happens in the world, whatever the record says.
func booked(ts *testscript.TestScript, neg bool, args []string) {
	depot, ok := ts.Value(depotKey{}).(*parcels.Depot)
	if neg || len(args) != 2 || !ok {
		ts.Fatalf("usage: booked NUMBER N, in a script with parcels.yaml")
	}
	got := 0
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got = depot.Booked(args[0]); strconv.Itoa(got) == args[1] {
			return
		}
	}
	ts.Fatalf("%d pickups of %s are booked, want %s", got, args[0], args[1])
}

// exits N ARGS… runs holdfast and demands that exit code: 1 and 2 mean different
// things, which exec alone does not tell apart.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS…")
	}
	got := exitDone
	if err := ts.Exec("holdfast", args[1:]...); err != nil {
		got = -1
		if e := (*exec.ExitError)(nil); errors.As(err, &e) {
			got = e.ExitCode()
		}
	}
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("holdfast %q exits with %d, want %s", args[1:], got, want)
	}
}

// grab NAME REGEXP keeps the first group of the match in the last output in the
// variable NAME: ids are made anew each time.
func grab(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: grab NAME REGEXP")
	}
	out := ts.ReadFile("stdout")
	m := regexp.MustCompile(args[1]).FindStringSubmatch(out)
	if len(m) < 2 {
		ts.Fatalf("nothing in %q matches %q", out, args[1])
	}
	ts.Setenv(args[0], m[1])
}
