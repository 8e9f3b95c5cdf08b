//go:build !linux

package x11

import (
	"errors"
	"image"
)

// segment is memory shared with the server. This system has none, so pictures come over the
// connection.
type segment struct{ data []byte }

// share returns nil: there is no shared memory.
func share(*Display, int) *segment { return nil }

// fill exists for the callers of share; it always fails.
func (*segment) fill(*Display, image.Rectangle) error { return errors.ErrUnsupported }

// release does nothing.
func (*segment) release(*Display) {}
