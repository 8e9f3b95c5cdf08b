package s3store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

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
	info, err := artifacts.Receive(ctx, file, r)
	if err == nil {
		return file, info, nil
	}
	file.remove()
	if errors.As(err, new(*artifacts.SourceError)) {
		return nil, artifacts.Info{}, fmt.Errorf("%s: %w", op, err) // a fault among its causes stays the caller's to see
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
	if artifacts.Full(err) {
		return fault.New(op, sdkapi.StorageFull, "the gateway's own disk has no room to take the artifact in; "+
			"make some where its temporary files are").Because(err)
	}
	return fault.New(op, sdkapi.StorageUnavailable, "the gateway has no room to take the artifact in; "+
		"check that its folder for temporary files can be written to and that the disk has room").Because(err)
}
