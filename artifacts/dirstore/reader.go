package dirstore

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// sendChunk is how many bytes WriteTo hands over between two looks at the
// context.
const sendChunk = 4 << 20

// reader reads a stretch of a file for as long as its context lasts. It keeps
// the context because a Read has none of its own.
type reader struct {
	ctx  context.Context
	file *os.File // stands at the next byte
	left int64    // bytes still to be read
}

var _ interface {
	io.ReadCloser
	io.WriterTo
} = (*reader)(nil)

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	const op = "dirstore.Read"
	if err := r.ctx.Err(); err != nil {
		return 0, ended(op, err)
	}
	if r.left <= 0 {
		return 0, io.EOF
	}
	n, err := r.file.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // left bytes were promised
	}
	if err != nil {
		return n, cutShort(op, err)
	}
	return n, nil
}

// WriteTo implements io.WriterTo. A writer that is a TCP connection, or holds
// one, is given the file itself, and sends it without copying it through here.
func (r *reader) WriteTo(w io.Writer) (int64, error) {
	const op = "dirstore.Read"
	var sent int64
	for r.left > 0 {
		if err := r.ctx.Err(); err != nil {
			return sent, ended(op, err)
		}
		chunk := min(r.left, sendChunk)
		n, err := io.Copy(w, io.LimitReader(r.file, chunk))
		sent += n
		r.left -= n
		if err != nil {
			return sent, err // most often w's own: nothing to add
		}
		if n < chunk {
			return sent, cutShort(op, io.ErrUnexpectedEOF)
		}
	}
	return sent, nil
}

// Close implements io.Closer.
func (r *reader) Close() error { return r.file.Close() }

func cutShort(op string, err error) error {
	return fault.New(op, sdkapi.StorageUnavailable, "the artifact cannot be read to its end; the log has the reason").Because(err)
}
