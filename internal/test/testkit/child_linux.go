package testkit

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes the system kill the child when the test program dies
// without a chance to do so, as go test's timeout makes it.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// inGroup makes the child the first of a group of processes, which killGroup ends: programs start others.
func inGroup(cmd *exec.Cmd) { cmd.SysProcAttr.Setpgid = true }

// killGroup ends a child that was started, and the others of its group.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
