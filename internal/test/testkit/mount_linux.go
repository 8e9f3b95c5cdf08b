package testkit

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// mountVariable lets a test process mount.
const mountVariable = "WINDIE_TEST_MOUNT"

// MayMount reports whether the test's process may mount folders and disks. Where it may not, the test is run
// again in a process with name spaces of its own, whose outcome is that of the test: the caller returns.
func MayMount(t *testing.T) bool {
	t.Helper()
	if os.Getenv(mountVariable) != "" {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mountVariable+"=true")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	output, err := cmd.CombinedOutput()
	switch {
	case err == nil && bytes.Contains(output, []byte("--- PASS")):
	case errors.As(err, new(*exec.ExitError)) && !bytes.Contains(output, []byte("operation not permitted")) && !bytes.Contains(output, []byte("permission denied")):
		t.Errorf("%v:\n%s", err, output)
	default:
		t.Skipf("this system lets nobody mount here: %v\n%s", err, output)
	}
	return false
}
