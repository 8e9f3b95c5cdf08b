package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// inputQueue is FREAD of sys/fcntl.h: the unread input of a terminal.
const inputQueue = 1

// dropTyped discards the unread input of a terminal, even half a line.
func dropTyped(terminal *os.File) error {
	return unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCFLUSH, inputQueue)
}
