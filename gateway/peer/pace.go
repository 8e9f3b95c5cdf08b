package peer

import (
	"io"
	"net"
	"time"
)

// Each piece of a download has a deadline: paceStall, and what paceRate gives its bytes. A client
// that takes nothing is so given up after 18 s, however large the download is.
const (
	pacePiece = 256 << 10 // bytes
	paceStall = 10 * time.Second
	paceRate  = 32 << 10 // bytes a second, the slowest client that is served
)

// PacedWriter writes content to a client, piece by piece. A piece has its deadline.
type PacedWriter struct {
	io.Writer
	Conn net.Conn     // that Writer writes to; nil for none
	May  func() error // reports by its error, before each piece, whether more may be sent
}

var _ io.ReaderFrom = PacedWriter{}

// allow gives the next n bytes their time. May comes after that: code that ends the download has
// set a deadline as well, which is gone then.
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

// ReadFrom implements io.ReaderFrom. A connection that is given a file under one limit
// sends it without copying it through here, so a limit of the caller's is not wrapped again.
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
