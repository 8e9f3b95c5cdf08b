//go:build !unix

package process

import "os/exec"

// alone has a program end with its call; programs that it has started may go on.
func alone(*exec.Cmd) (end func()) { return func() {} }
