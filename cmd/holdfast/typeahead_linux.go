package main

import "golang.org/x/sys/unix"

// dropTyped drops what a terminal holds of lines that nobody read.
func dropTyped(terminal int) { _ = unix.IoctlSetInt(terminal, unix.TCFLSH, unix.TCIFLUSH) }
