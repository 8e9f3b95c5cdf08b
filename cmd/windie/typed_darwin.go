package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// inputQueue is FREAD of sys/fcntl.h: of a terminal, what was typed.
const inputQueue = 1

// dropTyped drops what was typed into a terminal and not read yet, half a line too.
func dropTyped(terminal *os.File) error {
	return unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCFLUSH, inputQueue)
}
