//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// alone runs a program in its own process group, and returns a function that ends the group.
func alone(cmd *exec.Cmd) (end func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = kill
	return func() {
		if cmd.Process != nil {
			_ = kill() // kills processes that it has left, if any
		}
	}
}
