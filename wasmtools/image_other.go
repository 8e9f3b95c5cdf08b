//go:build !linux

package wasmtools

// image is unused on this system, which does not report the pages that a guest has written to. Its methods
// only satisfy the callers; of them, only close is called, with a nil image.
type image struct{}

// newImage returns nil: a snapshot stores its memory in blocks.
func newImage(int) *image { return nil }

func (m *image) fill([]byte, *turn) error { return nil }
func (m *image) close()                   {}
func (m *image) block(int) []byte         { return nil }

// mapping has no image on this system.
type mapping struct{}

func (m *mapping) has(*image) bool               { return false }
func (m *mapping) put(*image, []byte) error      { return nil }
func (m *mapping) blocks([]byte) ([]int32, bool) { return nil, false }
