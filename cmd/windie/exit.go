package main

import (
	"errors"
	"syscall"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// version is set by the build: see the Makefile.
var version = "dev"

// Exit codes besides 0.
const (
	exitFailed  = 1 // the command ran, and the result is negative
	exitUsage   = 2 // the command was called wrongly
	exitDamaged = 3 // the database is damaged: a restart does not help

	exitInterrupted = 128 + int(syscall.SIGINT) // 128 plus the number of the signal, as in shells
)

// exitCodeOf returns the exit code for a command that failed.
func exitCodeOf(err error) int {
	switch {
	case errors.As(err, new(*configError)), errors.As(err, new(*argumentError)), errors.As(err, new(*usageError)):
		return exitUsage
	case fault.CodeOf(err) == sdkapi.StateDamaged:
		return exitDamaged
	}
	return exitFailed
}

// silentError is an exit code whose reason is already printed.
type silentError int

// Error returns an empty text: run prints nothing for a silentError.
func (silentError) Error() string { return "" }
