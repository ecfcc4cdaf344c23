package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expectations of the scripts")

func TestMain(m *testing.M) {
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
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "grab": grab},
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_DATA_HOME", env.WorkDir+"/data")
			env.Setenv("NO_COLOR", "1")
			env.Setenv("GORACE", noSleepAtExit)
			return os.MkdirAll(env.WorkDir+"/data", 0o700)
		},
	})
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
