package process

import (
	"context"
	"io"
	"os/exec"
	"strings"
)

// startGroup runs a program whose group of processes ends with it.
func startGroup(ctx context.Context, c Command, out io.Writer) (ending, error) {
	cmd := exec.CommandContext(ctx, c.Program, c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = c.Dir, c.Env, strings.NewReader(c.Input), waitAfter
	cmd.Stdout, cmd.Stderr = out, out
	end := alone(cmd)
	err := cmd.Run()
	end()
	return endingOf(err)
}
