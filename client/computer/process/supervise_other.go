//go:build !linux

package process

import (
	"context"
	"io"
)

// Supervise does nothing on this system. Here Run ends the process group of each program instead.
func Supervise() {}

// start runs a program without a supervisor. Only its process group ends with it.
func start(ctx context.Context, c Command, out io.Writer) (ending, error) {
	return startGroup(ctx, c, out)
}
