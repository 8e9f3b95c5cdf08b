// Package dirstore keeps artifacts as plain files in a folder.
//
//	store, err := dirstore.Open("/var/lib/windie/artifacts")
//	if err != nil { ... }
//	info, err := store.Put(ctx, id, contentType, r)
//
// An artifact is two files, its data and a sidecar of JSON that describes it, in a shard, a folder
// named after the id's first two characters:
//
//	artifacts/
//	    0b/0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png
//	    0b/0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png.json
//	    tmp/                    what is being written
//
// An artifact exists when both files do. Put moves the data beside the sidecar last: the file under
// its own name is always whole. A sidecar without data, after a crash, is in nobody's way: ids are
// random.
//
// Several stores may share a folder, in one process or in several.
package dirstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// What the store creates is for its own user only.
const (
	dirPerm  fs.FileMode = 0o700
	filePerm fs.FileMode = 0o600
)

// staleAfter is how long a temporary file must have lain untouched to be one
// that a crash left, and not one that a slow sender is still filling.
const staleAfter = time.Hour

// Store keeps artifacts below one folder. It holds nothing open between calls.
type Store struct {
	dir string // absolute, so that a change of the working directory is harmless
	tmp string
}

var (
	_ artifacts.Store   = (*Store)(nil)
	_ artifacts.Sweeper = (*Store)(nil)
)

// Open returns the store in dir, which it creates if need be. It removes what
// a crash left behind in an earlier life.
func Open(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("dirstore: finding the folder: %w", err)
	}
	s := &Store{dir: dir, tmp: filepath.Join(dir, "tmp")}
	if err := os.MkdirAll(s.tmp, dirPerm); err != nil {
		return nil, fmt.Errorf("dirstore: creating the folder: %w", err)
	}
	stale, err := s.stale(time.Now().Add(-staleAfter))
	if err != nil {
		return nil, fmt.Errorf("dirstore: looking for stale files: %w", err)
	}
	for _, file := range stale {
		_ = os.Remove(file) // it costs room and nothing else
	}
	return s, nil
}

// Stat implements artifacts.Store.
func (s *Store) Stat(ctx context.Context, id string) (artifacts.Info, error) {
	const op = "dirstore.Stat"
	file, info, err := s.open(ctx, op, id)
	if err != nil {
		return artifacts.Info{}, err
	}
	_ = file.Close() // it was only read
	return info, nil
}

// Get implements artifacts.Store. Its reader implements io.WriterTo in a way
// that lets the kernel send the file to a connection.
func (s *Store) Get(ctx context.Context, id string, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	const op = "dirstore.Get"
	file, info, err := s.open(ctx, op, id)
	if err != nil {
		return nil, artifacts.Info{}, err
	}
	if offset < 0 || offset > info.Size {
		_ = file.Close()
		return nil, artifacts.Info{}, fault.New(op, sdkapi.RangeNotSatisfiable, "the artifact has %d bytes; byte %d is not among them", info.Size, offset)
	}
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		_ = file.Close()
		return nil, artifacts.Info{}, unreadable(op, id, err)
	}
	left := info.Size - offset
	if length >= 0 {
		left = min(left, length)
	}
	return &reader{ctx: ctx, file: file, left: left}, info, nil
}

// Delete implements artifacts.Store.
func (s *Store) Delete(ctx context.Context, id string) error {
	const op = "dirstore.Delete"
	if err := ctx.Err(); err != nil {
		return ended(op, err)
	}
	if !artifacts.ValidID(id) {
		return nil // so it is not there
	}
	// The data goes first: without it there is no artifact. Where there was
	// no data, the sidecar may belong to a Put that is about to finish.
	err := os.Remove(s.dataPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.Remove(s.sidecarPath(id))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(op, sdkapi.StorageUnavailable,
			"the artifact cannot be deleted; the artifact folder may be read-only").Because(err)
	}
	return nil
}

// Ready implements artifacts.Store. It writes a small file to find out.
func (s *Store) Ready(ctx context.Context) error {
	const op = "dirstore.Ready"
	if err := ctx.Err(); err != nil {
		return ended(op, err)
	}
	file, err := os.CreateTemp(s.tmp, "ready-*")
	if err != nil {
		return unwritable(op, err)
	}
	_, err = file.WriteString("ready")
	if err := errors.Join(err, file.Close(), os.Remove(file.Name())); err != nil {
		return unwritable(op, err)
	}
	return nil
}

// open opens the data of an artifact that is whole, and describes it.
func (s *Store) open(ctx context.Context, op, id string) (*os.File, artifacts.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, artifacts.Info{}, ended(op, err)
	}
	if !artifacts.ValidID(id) {
		return nil, artifacts.Info{}, artifacts.NotFound(op, id)
	}
	file, err := os.Open(s.dataPath(id))
	if err != nil {
		return nil, artifacts.Info{}, unreadable(op, id, err)
	}
	info, err := s.describe(file, id)
	if err != nil {
		_ = file.Close()
		return nil, artifacts.Info{}, unreadable(op, id, err)
	}
	return file, info, nil
}

// describe reads the sidecar that belongs to data.
func (s *Store) describe(data *os.File, id string) (artifacts.Info, error) {
	text, err := os.ReadFile(s.sidecarPath(id))
	if err != nil {
		return artifacts.Info{}, err
	}
	var about sidecar
	if err := json.Unmarshal(text, &about); err != nil {
		return artifacts.Info{}, fmt.Errorf("reading the sidecar: %w", err)
	}
	stat, err := data.Stat()
	switch {
	case err != nil:
		return artifacts.Info{}, err
	case about.ID != id: // a file system that takes a.png for A.png
		return artifacts.Info{}, fmt.Errorf("the sidecar is that of %q: %w", about.ID, fs.ErrNotExist)
	case about.Size != stat.Size():
		return artifacts.Info{}, fmt.Errorf("the file has %d bytes and was stored with %d", stat.Size(), about.Size)
	}
	about.CreatedAt = about.CreatedAt.UTC()
	return artifacts.Info(about), nil
}

func (s *Store) shard(id string) string       { return filepath.Join(s.dir, id[:2]) }
func (s *Store) dataPath(id string) string    { return filepath.Join(s.shard(id), id) }
func (s *Store) sidecarPath(id string) string { return s.dataPath(id) + ".json" } // an id has one dot, so this is not an id

// sidecar is an artifacts.Info in its file, which people may read too.
type sidecar struct {
	ID          string    `json:"artifact_id"`
	ContentType string    `json:"content_type"`
	Size        int64     `json:"size_bytes"`
	SHA256      string    `json:"sha256"`
	CreatedAt   time.Time `json:"created_at"`
	ExpiresAt   time.Time `json:"-"` // the store keeps what it has until a caller changes it
}

// unreadable distinguishes a missing artifact from one that is there and cannot be read.
func unreadable(op, id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return artifacts.NotFound(op, id).Because(err)
	}
	return fault.New(op, sdkapi.StorageUnavailable, "the artifact %q cannot be read; the log has the reason", id).Because(err)
}

// unwritable is for all that fails on the way into the folder. What was written
// until then is removed, which a full disk does not prevent.
func unwritable(op string, err error) error {
	if artifacts.Full(err) {
		return fault.New(op, sdkapi.StorageFull, "the disk of the artifact folder has no room left; make some there, "+
			"or let artifacts expire (WINDIE_ARTIFACT_TTL)").Because(err)
	}
	return fault.New(op, sdkapi.StorageUnavailable, "the artifact folder cannot be written to; check that it exists, "+
		"that it belongs to the user the gateway runs as, and that its disk has room").Because(err)
}

// ended reports the end of a context; the fault says which kind it was.
func ended(op string, err error) error {
	return fault.From(fmt.Errorf("%s: %w", op, err))
}

// sendChunk is how many bytes WriteTo hands over between two looks at the context.
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

// Sweep implements artifacts.Sweeper: it removes temporary files that nobody
// has written to since before.
func (s *Store) Sweep(ctx context.Context, before time.Time) (removed int, err error) {
	const op = "dirstore.Sweep"
	files, err := s.stale(before)
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return removed, ended(op, err)
		}
		switch removeErr := os.Remove(file); {
		case removeErr == nil:
			removed++
		case !errors.Is(removeErr, fs.ErrNotExist): // else somebody was faster
			err = errors.Join(err, removeErr)
		}
	}
	if err != nil {
		err = fault.New(op, sdkapi.StorageUnavailable, "temporary files of the artifact folder cannot be removed; "+
			"check that the folder belongs to the user the gateway runs as").Because(err)
	}
	return removed, err
}

// stale lists the temporary files that were written to before a time and not since.
func (s *Store) stale(before time.Time) ([]string, error) {
	entries, err := os.ReadDir(s.tmp)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() && info.ModTime().Before(before) {
			files = append(files, filepath.Join(s.tmp, entry.Name()))
		}
	}
	return files, nil
}
