//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// alone has a program run in a group of processes of its own, and returns what ends the group.
func alone(cmd *exec.Cmd) (end func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = kill
	return func() {
		if cmd.Process != nil {
			_ = kill() // what it has left behind, if anything
		}
	}
}
