package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped drops what was typed into a terminal and not read yet, half a line too.
func dropTyped(terminal *os.File) error {
	return unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
