//go:build !unix

package mcptools

import (
	"os"
	"os/exec"
)

// ownGroup does nothing where the system has no process groups.
func ownGroup(*exec.Cmd) {}

// termGroup does nothing: closing the input has already asked the program to end.
func termGroup(*os.Process) {}

// killGroup ends the program alone.
func killGroup(p *os.Process) { _ = p.Kill() } // one that has ended needs no word
