//go:build !linux

package wasmtools

// image is unused here: the system does not report which pages a guest has written to.
type image struct{}

func newImage(int) *image { return nil }

func (m *image) fill([]byte, *turn) error { return nil }
func (m *image) close()                   {}
func (m *image) block(int) []byte         { return nil }

// mapping has no image on this system.
type mapping struct{}

func (m *mapping) has(*image) bool               { return false }
func (m *mapping) put(*image, []byte) error      { return nil }
func (m *mapping) blocks([]byte) ([]int32, bool) { return nil, false }
