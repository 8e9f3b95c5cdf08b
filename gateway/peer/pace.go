package peer

import (
	"io"
	"net"
	"time"
)

// Each piece of a download has a deadline: paceStall plus the time that paceRate allows for its
// bytes. So a client that reads nothing is disconnected after 18 s, however large the download is.
const (
	pacePiece = 256 << 10 // bytes
	paceStall = 10 * time.Second
	paceRate  = 32 << 10 // bytes per second: the slowest client that is served
)

// PacedWriter writes content to a client in pieces. Each piece has its own deadline.
type PacedWriter struct {
	io.Writer
	// Conn is the connection to which Writer writes. If it is nil, there are no deadlines.
	Conn net.Conn
	// May is a function that the writer calls before each piece. If May returns an error, the
	// writer stops with this error.
	May func() error
}

var _ io.ReaderFrom = PacedWriter{}

// allow sets the deadline for the next n bytes and then calls May. The order matters: code that
// stops the download makes May fail and sets a deadline itself, which allow may overwrite.
func (p PacedWriter) allow(n int64) error {
	if p.Conn != nil {
		if err := p.Conn.SetWriteDeadline(time.Now().Add(paceStall + time.Duration(n)*(time.Second/paceRate))); err != nil {
			return err
		}
	}
	return p.May()
}

// Write implements io.Writer.
func (p PacedWriter) Write(b []byte) (written int, err error) {
	for len(b) > 0 && err == nil {
		piece := b[:min(len(b), pacePiece)]
		if err = p.allow(int64(len(piece))); err != nil {
			break
		}
		var n int
		n, err = p.Writer.Write(piece)
		written, b = written+n, b[n:]
	}
	return written, err
}

// ReadFrom implements io.ReaderFrom. A connection can send a file without copying it through user
// space, but only if it gets the file in exactly one io.LimitedReader. So if r is already an
// io.LimitedReader, ReadFrom does not wrap r again. It wraps the underlying reader of r.
func (p PacedWriter) ReadFrom(r io.Reader) (written int64, err error) {
	limited, _ := r.(*io.LimitedReader)
	for {
		from, most := r, int64(pacePiece)
		if limited != nil {
			from, most = limited.R, min(limited.N, pacePiece)
		}
		if most == 0 {
			return written, nil
		}
		if err := p.allow(most); err != nil {
			return written, err
		}
		n, err := io.Copy(p.Writer, io.LimitReader(from, most))
		written += n
		if limited != nil {
			limited.N -= n
		}
		if err != nil || n < most {
			return written, err
		}
	}
}
