//go:build !linux

package testkit

import "os/exec"

// dieWithParent does nothing where the system offers nothing of the kind.
func dieWithParent(*exec.Cmd) {}
