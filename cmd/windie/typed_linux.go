package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped discards the unread input of a terminal, even half a line.
func dropTyped(terminal *os.File) error {
	return unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
