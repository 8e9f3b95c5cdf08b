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
