//go:build !unix

package ledgertest

import (
	"errors"
	"os"
)

func die() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {}
}

func stop(*os.Process) error { return errors.ErrUnsupported }
func goOn(*os.Process) error { return errors.ErrUnsupported }
