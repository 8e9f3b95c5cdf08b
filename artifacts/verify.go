package artifacts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"sync"
)

// verified reads an artifact piece by piece, and returns a piece only after its checksum matches.
// For an artifact without piece checksums, it returns the last piece only after the SHA-256 of the
// whole matches.
type verified struct {
	op     string
	body   io.ReadCloser // begins at the start of a piece
	info   Info
	sums   Pieces
	whole  hash.Hash // of all pieces so far; nil if there are piece checksums
	next   int64     // number of the next piece
	skip   int       // bytes at the start of the next piece that the caller did not request
	left   int64     // bytes still to return, those in ready included
	buffer *[]byte   // from buffers; nil before the first piece and after Close
	ready  []byte    // verified bytes of buffer that are not returned yet
	err    error     // reason for the end
}

var _ interface {
	io.ReadCloser
	io.WriterTo
} = (*verified)(nil)

// buffers is a pool of buffers of one piece. Each open reader uses one.
var buffers = sync.Pool{New: func() any { b := make([]byte, PieceSize); return &b }}

// Verify returns a reader of length bytes of an artifact, from offset on. The reader returns only
// verified bytes. If a piece is damaged, the reader fails with ARTIFACT_DAMAGED. The parameter length
// must not be negative, and the range must be inside the artifact. The parameter body contains the
// artifact from PieceStart(offset) to at least PieceEnd(offset+length). The reader's Close closes
// body. Verify checks the first piece before it returns. If Verify returns an error, it has closed
// body.
//
// If sums has no piece checksums, the range must be the whole artifact. For other ranges, see
// CheckWhole.
func Verify(op string, body io.ReadCloser, info Info, sums Pieces, offset, length int64) (io.ReadCloser, error) {
	v := &verified{op: op, body: body, info: info, sums: sums, next: offset / PieceSize, skip: int(offset % PieceSize), left: length}
	switch {
	case sums.Missing():
		v.whole = sha256.New()
	case !sums.fit(info.Size):
		_ = body.Close() // nothing was read
		return nil, Damaged(op, info.ID).Because(errPieces)
	}
	if !v.fill() && v.err != io.EOF { //nolint:errorlint // our own
		err := v.err
		_ = v.Close() // nothing was read
		return nil, err
	}
	return v, nil
}

// CheckWhole reads a whole artifact from body. It fails with ARTIFACT_DAMAGED if the size or the
// SHA-256 differs from info. It does not close body.
func CheckWhole(op string, body io.Reader, info Info) error {
	sum := sha256.New()
	size, err := io.Copy(sum, body)
	if err != nil {
		return err
	}
	if size != info.Size || hex.EncodeToString(sum.Sum(nil)) != info.SHA256 {
		return Damaged(op, info.ID).Because(errSum)
	}
	return nil
}

var (
	errSum   = errors.New("the content's checksum or size differs from the stored value")
	errShort = errors.New("the content is shorter than its stored size")
)

// fill reads and verifies the next piece. It returns false at the end, with the reason in err.
func (v *verified) fill() bool {
	if v.err != nil {
		return false
	}
	if v.left <= 0 {
		v.err = io.EOF
		return false
	}
	if v.buffer == nil {
		v.buffer = buffers.Get().(*[]byte)
	}
	size := min(PieceSize, v.info.Size-v.next*PieceSize)
	piece := (*v.buffer)[:size]
	switch _, err := io.ReadFull(v.body, piece); {
	case err == io.EOF, err == io.ErrUnexpectedEOF: // compared with ==, as io.ReadFull returns them
		v.err = Damaged(v.op, v.info.ID).Because(errShort)
	case err != nil:
		v.err = err
	case !v.holds(piece):
		v.err = Damaged(v.op, v.info.ID).Because(errSum)
	}
	if v.err != nil {
		return false
	}
	v.next++
	v.ready = piece[v.skip:]
	v.ready = v.ready[:min(int64(len(v.ready)), v.left)]
	v.skip = 0
	return true
}

// holds reports whether a piece is intact. Without piece checksums, it knows that only for the last
// piece.
func (v *verified) holds(piece []byte) bool {
	if v.whole == nil {
		return v.sums.matches(v.next, piece)
	}
	_, _ = v.whole.Write(piece) // Write never fails
	last := v.next*PieceSize+int64(len(piece)) == v.info.Size
	return !last || hex.EncodeToString(v.whole.Sum(nil)) == v.info.SHA256
}

// Read implements io.Reader.
func (v *verified) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(v.ready) == 0 && !v.fill() {
		return 0, v.err
	}
	n := copy(p, v.ready)
	v.took(n)
	return n, nil
}

// WriteTo implements io.WriterTo. It writes whole pieces.
func (v *verified) WriteTo(w io.Writer) (sent int64, err error) {
	for {
		if len(v.ready) == 0 && !v.fill() {
			if v.err == io.EOF { //nolint:errorlint // our own
				return sent, nil
			}
			return sent, v.err
		}
		n, err := w.Write(v.ready)
		v.took(n)
		sent += int64(n)
		if err != nil {
			return sent, err
		}
	}
}

// took removes n bytes that the caller got from ready.
func (v *verified) took(n int) {
	v.ready = v.ready[n:]
	v.left -= int64(n)
}

// Close implements io.Closer. Close may be called again.
func (v *verified) Close() error {
	if v.buffer != nil {
		buffers.Put(v.buffer)
		v.buffer, v.ready = nil, nil
	}
	if v.err == nil {
		v.err = io.ErrClosedPipe
	}
	return v.body.Close()
}
