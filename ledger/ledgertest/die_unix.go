//go:build unix

package ledgertest

import (
	"os"
	"syscall"
)

// die ends the process as SIGKILL does: nothing more of it runs.
func die() {
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
	select {}
}

// stop and goOn let a process stand still and go on.
func stop(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
func goOn(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
