//go:build !unix

package process

import "os/exec"

// alone makes a program end with its call. Programs that it has started may continue.
func alone(*exec.Cmd) (end func()) { return func() {} }
