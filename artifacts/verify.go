package artifacts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"sync"
)

// verified reads an artifact piece by piece, and hands out a piece once its sum matches. Of one
// without sums of pieces, it hands out the last piece once the SHA-256 of all of it matches.
type verified struct {
	op     string
	body   io.ReadCloser // from a piece's beginning on
	info   Info
	sums   Pieces
	whole  hash.Hash // of all pieces so far, if there are no sums
	next   int64     // number of the next piece
	skip   int       // bytes at the next piece's beginning that nobody asked for
	left   int64     // bytes still to hand out, those of ready among them
	buffer *[]byte   // of buffers, nil before the first piece and after Close
	ready  []byte    // of buffer, still to hand out
	err    error     // why there is no more
}

var _ interface {
	io.ReadCloser
	io.WriterTo
} = (*verified)(nil)

// buffers are those of pieces: a reader has one while it is open.
var buffers = sync.Pool{New: func() any { b := make([]byte, PieceSize); return &b }}

// Verify returns a reader of length bytes of an artifact from offset on, which never hands out a
// byte that its store would not vouch for: it fails with ARTIFACT_DAMAGED before. length is not
// negative, and all the bytes are there. body is the artifact from PieceStart(offset) on, to
// PieceEnd(offset+length) or farther; the reader's Close closes it. The first piece is checked
// before Verify returns; after an error body is closed.
//
// Without sums, all of the artifact must be asked for: see CheckWhole.
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

// CheckWhole reads body, an artifact from its beginning to its end, and fails with ARTIFACT_DAMAGED
// unless it is what was stored. It does not close body.
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
	errSum   = errors.New("its sum is another one")
	errShort = errors.New("it is shorter than it was")
)

// fill makes the next piece ready, and reports whether it could; err says why not.
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
	case err == io.EOF, err == io.ErrUnexpectedEOF: // exactly, as ReadFull has them
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

// holds reports whether a piece is as it was stored, as far as is known before the last one.
func (v *verified) holds(piece []byte) bool {
	if v.whole == nil {
		return v.sums.matches(v.next, piece)
	}
	_, _ = v.whole.Write(piece) // which never fails
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

func (v *verified) took(n int) {
	v.ready = v.ready[n:]
	v.left -= int64(n)
}

// Close implements io.Closer. It may be called again.
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
