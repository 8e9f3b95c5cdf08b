package artifacts

import (
	"encoding/base64"
	"encoding/binary"
	"errors"

	"github.com/cespare/xxhash/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// PieceSize is the size, in bytes, of the pieces into which an artifact is divided for checksums.
// The last piece of an artifact may be shorter.
const PieceSize = 256 << 10

// sumLen is the length of a checksum, in bytes.
const sumLen = 8

// Pieces are the checksums of an artifact: a 64-bit xxHash of each piece of PieceSize bytes. With
// the checksums, a reader can verify a range of the content without the rest of the artifact. nil
// means that the artifact was stored without checksums. Checksums detect damage, not manipulation:
// a person who can change a file can also change its checksums.
type Pieces []byte

// Missing reports whether the artifact has no checksums.
func (p Pieces) Missing() bool { return p == nil }

// matches reports whether piece is intact as piece n, counted from 0.
func (p Pieces) matches(n int64, piece []byte) bool {
	at := n * sumLen
	return at+sumLen <= int64(len(p)) && binary.BigEndian.Uint64(p[at:]) == xxhash.Sum64(piece)
}

// fit reports whether the number of checksums is right for an artifact of size bytes.
func (p Pieces) fit(size int64) bool {
	return int64(len(p)) == (size+PieceSize-1)/PieceSize*sumLen
}

// PieceStart rounds offset down to the start of a piece, which is a multiple of PieceSize.
func PieceStart(offset int64) int64 { return offset / PieceSize * PieceSize }

// PieceEnd rounds offset up to the end of a piece, which is a multiple of PieceSize.
func PieceEnd(offset int64) int64 { return (offset + PieceSize - 1) / PieceSize * PieceSize }

// MarshalText encodes the checksums in base64.
func (p Pieces) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, p), nil
}

var errPieces = errors.New("invalid checksums of pieces: expected complete xxHash checksums in base64")

// UnmarshalText decodes the result of MarshalText.
func (p *Pieces) UnmarshalText(text []byte) error {
	sums, err := base64.StdEncoding.AppendDecode([]byte{}, text)
	if err != nil || len(sums)%sumLen != 0 {
		return errPieces
	}
	*p = sums
	return nil
}

// summing is a writer that computes the checksums of its input.
type summing struct {
	sums   Pieces
	hash   *xxhash.Digest // of the current piece
	filled int            // bytes of the current piece so far
}

// newSumming returns a summing that has seen no input. For empty input, its checksums are empty but not nil.
func newSumming() *summing { return &summing{sums: Pieces{}, hash: xxhash.New()} }

// Write implements io.Writer.
func (s *summing) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), PieceSize-s.filled)
		_, _ = s.hash.Write(rest[:n]) // Write never fails
		rest, s.filled = rest[n:], s.filled+n
		if s.filled == PieceSize {
			s.end()
		}
	}
	return len(p), nil
}

// end finishes the current piece.
func (s *summing) end() {
	s.sums = binary.BigEndian.AppendUint64(s.sums, s.hash.Sum64())
	s.hash.Reset()
	s.filled = 0
}

// pieces finishes the last piece and returns all checksums.
func (s *summing) pieces() Pieces {
	if s.filled > 0 {
		s.end()
	}
	return s.sums
}

// Damaged returns the error for an artifact whose content has changed since it was stored. All
// stores return this error.
func Damaged(op, id string) *fault.Error {
	return fault.New(op, sdkapi.ArtifactDamaged, "the artifact %q is damaged: its content changed in the store; upload it again, or ask the operator to restore it from a backup", id)
}
