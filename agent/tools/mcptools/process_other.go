//go:build !unix

package mcptools

import (
	"os"
	"os/exec"
)

// ownGroup does nothing, because the system has no process groups.
func ownGroup(*exec.Cmd) {}

// termGroup does nothing: closing the input has already asked the program to end.
func termGroup(*os.Process) {}

// killGroup ends only the program itself.
func killGroup(p *os.Process) { _ = p.Kill() } // it may have ended already
