package main

import "golang.org/x/sys/windows"

// dropTyped drops what a terminal holds of lines that nobody read.
func dropTyped(terminal int) { _ = windows.FlushConsoleInputBuffer(windows.Handle(terminal)) }
