package process

import (
	"context"
	"io"
	"os/exec"
)

// startGroup runs a program whose process group ends with it.
func startGroup(ctx context.Context, c Command, out io.Writer) (ending, error) {
	cmd := exec.CommandContext(ctx, c.Program, c.Args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.Dir, c.Env, waitAfter
	c.connect(cmd, out)
	end := alone(cmd)
	err := cmd.Run()
	end()
	return endingOf(err)
}
