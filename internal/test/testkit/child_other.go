//go:build !linux

package testkit

import "os/exec"

// dieWithParent does nothing where the system offers nothing of the kind.
func dieWithParent(*exec.Cmd) {}

func inGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
