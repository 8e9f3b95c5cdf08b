package artifacts

import (
	"encoding/base64"
	"encoding/binary"
	"errors"

	"github.com/cespare/xxhash/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// PieceSize is how many bytes of an artifact one sum is of; the last piece may be shorter.
const PieceSize = 256 << 10

// sumLen is how long a sum is, in bytes.
const sumLen = 8

// Pieces are the sums of an artifact's pieces, by which a part of it can be checked without reading
// the rest: a 64-bit xxHash of each. nil means that nobody has made them, as for an artifact that is
// older than they. They find damage; whoever can change a file on purpose can change its sums too.
type Pieces []byte

// Missing reports whether nobody has made the sums of an artifact.
func (p Pieces) Missing() bool { return p == nil }

// Matches reports whether piece is the nth one, from 0.
func (p Pieces) matches(n int64, piece []byte) bool {
	at := n * sumLen
	return at+sumLen <= int64(len(p)) && binary.BigEndian.Uint64(p[at:]) == xxhash.Sum64(piece)
}

// fit reports whether the sums are as many as an artifact of size bytes has pieces.
func (p Pieces) fit(size int64) bool {
	return int64(len(p)) == (size+PieceSize-1)/PieceSize*sumLen
}

// PieceStart is where the piece begins that the byte at offset is in.
func PieceStart(offset int64) int64 { return offset / PieceSize * PieceSize }

// PieceEnd is where the piece ends that the byte before offset is in.
func PieceEnd(offset int64) int64 { return (offset + PieceSize - 1) / PieceSize * PieceSize }

// MarshalText writes the sums as base64, for a store to keep.
func (p Pieces) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, p), nil
}

var errPieces = errors.New("the sums of pieces are no base64 of whole sums")

// UnmarshalText is the way back.
func (p *Pieces) UnmarshalText(text []byte) error {
	sums, err := base64.StdEncoding.AppendDecode([]byte{}, text)
	if err != nil || len(sums)%sumLen != 0 {
		return errPieces
	}
	*p = sums
	return nil
}

// summing makes the sums of what is written to it.
type summing struct {
	sums   Pieces
	hash   *xxhash.Digest // of the piece under way
	filled int            // bytes of it
}

func newSumming() *summing { return &summing{sums: Pieces{}, hash: xxhash.New()} }

// Write implements io.Writer.
func (s *summing) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), PieceSize-s.filled)
		_, _ = s.hash.Write(rest[:n]) // which never fails
		rest, s.filled = rest[n:], s.filled+n
		if s.filled == PieceSize {
			s.end()
		}
	}
	return len(p), nil
}

// end ends the piece under way.
func (s *summing) end() {
	s.sums = binary.BigEndian.AppendUint64(s.sums, s.hash.Sum64())
	s.hash.Reset()
	s.filled = 0
}

// pieces returns the sums of all that was written.
func (s *summing) pieces() Pieces {
	if s.filled > 0 {
		s.end()
	}
	return s.sums
}

// Damaged is every store's error for an artifact that is not what was stored.
func Damaged(op, id string) *fault.Error {
	return fault.New(op, sdkapi.ArtifactDamaged, "the artifact %q is damaged: what lies in the store is not what was stored; upload it again, "+
		"or let the operator restore it from a backup", id)
}
