package s3store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// spoolFile holds the content of one Put. Where the system allows it, it has
// no name, so that not even a crash leaves it behind.
type spoolFile struct {
	*os.File
	named bool
}

// spool writes what r yields to a file of its own, and describes it.
func (s *Store) spool(ctx context.Context, op string, r io.Reader) (*spoolFile, artifacts.Info, error) {
	file, err := newSpoolFile(s.spoolDir)
	if err != nil {
		return nil, artifacts.Info{}, spoolFault(op, err)
	}
	from, hash := &source{ctx: ctx, r: r}, sha256.New()
	size, err := io.Copy(io.MultiWriter(file, hash), from)
	if err == nil {
		return file, artifacts.Info{
			Size: size, SHA256: hex.EncodeToString(hash.Sum(nil)), CreatedAt: time.Now().UTC().Truncate(time.Second),
		}, nil
	}
	file.remove()
	if from.err != nil { // a fault among its causes stays the caller's to see
		return nil, artifacts.Info{}, fmt.Errorf("%s: reading the content: %w", op, from.err)
	}
	return nil, artifacts.Info{}, spoolFault(op, err)
}

func newSpoolFile(dir string) (*spoolFile, error) {
	file, err := os.CreateTemp(dir, "windie-put-*")
	if err != nil {
		return nil, err
	}
	return &spoolFile{File: file, named: os.Remove(file.Name()) != nil}, nil
}

func (f *spoolFile) remove() {
	_ = f.Close() // nothing more is wanted of it
	if f.named {
		_ = os.Remove(f.Name()) // it costs room and nothing else
	}
}

func spoolFault(op string, err error) error {
	return fault.New(op, sdkapi.StorageUnavailable, "the gateway has no room to take the artifact in; "+
		"check that its folder for temporary files can be written to and that the disk has room").Because(err)
}

// source reads r until ctx ends, and remembers what went wrong, so that a
// failed copy can be told from a failed read.
type source struct {
	ctx context.Context
	r   io.Reader
	err error
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	if s.err = s.ctx.Err(); s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF { // exactly, as io.Copy looks for it
		s.err = err
	}
	return n, err
}
