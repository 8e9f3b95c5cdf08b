//go:build !linux

package process

import (
	"context"
	"io"
)

// Supervise does nothing on this system. Here, each program's process group is ended instead.
func Supervise() {}

func start(ctx context.Context, c Command, out io.Writer) (ending, error) {
	return startGroup(ctx, c, out)
}
