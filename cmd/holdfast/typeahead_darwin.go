package main

import "golang.org/x/sys/unix"

// dropTyped drops what a terminal holds of lines that nobody read.
func dropTyped(terminal int) {
	const read = 1 // FREAD
	_ = unix.IoctlSetPointerInt(terminal, unix.TIOCFLUSH, read)
}
