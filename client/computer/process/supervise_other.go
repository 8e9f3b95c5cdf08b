//go:build !linux

package process

import (
	"context"
	"io"
)

// Supervise does nothing here: groups of processes are ended.
func Supervise() {}

func start(ctx context.Context, c Command, out io.Writer) (ending, error) {
	return startGroup(ctx, c, out)
}
