//go:build system

package x11

import "image"

// Fetch takes a picture over the connection.
func (d *Display) Fetch(part image.Rectangle) (*Frame, error) { return d.fetch(part) }

// Shares reports whether pictures come over shared memory.
func (d *Display) Shares() bool { return d.grab.shared != nil }
