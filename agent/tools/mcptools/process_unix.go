//go:build unix

package mcptools

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup gives a program a process group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// termGroup asks a program and those it started to end.
func termGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) } // one that has ended needs no word

// killGroup ends a program and those it started.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) } // likewise
