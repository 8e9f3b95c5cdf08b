//go:build !linux

package wasmtools

// image is unused on this system, which does not report the pages that a guest has written to.
type image struct{}

// newImage returns nil: a snapshot stores its memory in blocks.
func newImage(int) *image { return nil }

// fill is never called: there is no image to fill.
func (m *image) fill([]byte, *turn) error { return nil }

// close does nothing. Snapshots call it with a nil image.
func (m *image) close() {}

// block is never called: a snapshot without an image has blocks.
func (m *image) block(int) []byte { return nil }

// mapping has no image on this system.
type mapping struct{}

// has is never called: it needs an image.
func (m *mapping) has(*image) bool { return false }

// put is never called: it needs an image.
func (m *mapping) put(*image, []byte) error { return nil }

// blocks is never called: it needs an image.
func (m *mapping) blocks([]byte) ([]int32, bool) { return nil, false }
