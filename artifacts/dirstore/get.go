package dirstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// sidecar is the JSON form of an artifacts.Info. The file is indented for people.
type sidecar struct {
	ID          string           `json:"artifact_id"`
	ContentType string           `json:"content_type"`
	Size        int64            `json:"size_bytes"`
	SHA256      string           `json:"sha256"`
	CreatedAt   time.Time        `json:"created_at"`
	Pieces      artifacts.Pieces `json:"pieces_xxh64,omitzero"`
}

// sidecarOf returns the sidecar of an artifact with the checksums of its pieces.
func sidecarOf(info artifacts.Info, pieces artifacts.Pieces) sidecar {
	return sidecar{info.ID, info.ContentType, info.Size, info.SHA256, info.CreatedAt, pieces}
}

// info returns the description of the artifact. The store has no expiry, so ExpiresAt is zero.
func (c sidecar) info() artifacts.Info {
	return artifacts.Info{ID: c.ID, ContentType: c.ContentType, Size: c.Size, SHA256: c.SHA256, CreatedAt: c.CreatedAt}
}

// Stat implements artifacts.Store.
func (s *Store) Stat(ctx context.Context, id string) (artifacts.Info, error) {
	const op = "dirstore.Stat"
	file, about, err := s.open(ctx, op, id)
	if err != nil {
		return artifacts.Info{}, err
	}
	_ = file.Close() // a failed close of a read file loses nothing
	return about.info(), nil
}

// Get implements artifacts.Store.
func (s *Store) Get(ctx context.Context, id string, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	const op = "dirstore.Get"
	file, about, err := s.open(ctx, op, id)
	if err != nil {
		return nil, artifacts.Info{}, err
	}
	info := about.info()
	if offset < 0 || offset > info.Size {
		_ = file.Close()
		return nil, artifacts.Info{}, fault.New(op, sdkapi.RangeNotSatisfiable, "the artifact has only %d bytes, but the requested range begins at byte %d; request an earlier range", info.Size, offset)
	}
	left := info.Size - offset
	if length >= 0 {
		left = min(left, length)
	}
	body := &reader{ctx, file}
	if about.Pieces.Missing() && left < info.Size {
		return body.part(op, info, offset, left)
	}
	if _, err := file.Seek(artifacts.PieceStart(offset), io.SeekStart); err != nil {
		_ = file.Close()
		return nil, artifacts.Info{}, unreadable(op, id, err)
	}
	r, err := artifacts.Verify(op, body, info, about.Pieces, offset, left)
	return r, info, err
}

// part returns a range of an artifact without piece checksums, after verifying the whole artifact.
// It closes the file after an error.
func (r *reader) part(op string, info artifacts.Info, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	err := artifacts.CheckWhole(op, r, info)
	if err == nil {
		_, err = r.file.Seek(offset, io.SeekStart)
	}
	if err != nil {
		_ = r.Close()
		return nil, artifacts.Info{}, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(r, length), r}, info, nil
}

// open opens the data of an artifact and reads its sidecar.
func (s *Store) open(ctx context.Context, op, id string) (*os.File, sidecar, error) {
	if err := ctx.Err(); err != nil {
		return nil, sidecar{}, ended(op, err)
	}
	if !artifacts.ValidID(id) {
		return nil, sidecar{}, artifacts.NotFound(op, id)
	}
	file, err := os.Open(s.dataPath(id))
	if err != nil {
		return nil, sidecar{}, unreadable(op, id, err)
	}
	about, err := s.describe(file, id)
	if err != nil {
		_ = file.Close()
		return nil, sidecar{}, unreadable(op, id, err)
	}
	return file, about, nil
}

// describe reads the sidecar of an artifact, and checks that it matches the data file.
func (s *Store) describe(data *os.File, id string) (sidecar, error) {
	text, err := os.ReadFile(s.sidecarPath(id))
	if err != nil {
		return sidecar{}, err
	}
	var about sidecar
	if err := json.Unmarshal(text, &about); err != nil {
		return sidecar{}, fmt.Errorf("%w: cannot read the sidecar: %w", errDamaged, err)
	}
	stat, err := data.Stat()
	switch {
	case err != nil:
		return sidecar{}, err
	case about.ID != id: // a case-insensitive file system, on which a.png opens A.png
		return sidecar{}, fmt.Errorf("the sidecar belongs to another artifact, %q: %w", about.ID, fs.ErrNotExist)
	case about.Size != stat.Size():
		return sidecar{}, fmt.Errorf("%w: the file has %d bytes, but its stored size is %d", errDamaged, stat.Size(), about.Size)
	}
	about.CreatedAt = about.CreatedAt.UTC()
	return about, nil
}

// errDamaged is in the error chain if files differ from the stored content.
var errDamaged = errors.New("the artifact is damaged")

// reader reads a file until its context ends. It has the context in a field because Read takes
// no context.
type reader struct {
	ctx  context.Context
	file *os.File
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	const op = "dirstore.Read"
	if err := r.ctx.Err(); err != nil {
		return 0, ended(op, err)
	}
	n, err := r.file.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // as io.Reader has it
		err = fault.New(op, sdkapi.StorageUnavailable, "the gateway could not read the artifact to its end; the log has the reason").Because(err)
	}
	return n, err
}

// Close implements io.Closer.
func (r *reader) Close() error { return r.file.Close() }

// AddPieces implements artifacts.Summer. The artifact can be read at the same time.
func (s *Store) AddPieces(ctx context.Context, id string) (added bool, err error) {
	const op = "dirstore.AddPieces"
	file, about, err := s.open(ctx, op, id)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if !about.Pieces.Missing() {
		return false, nil
	}
	info, pieces, err := artifacts.Receive(ctx, io.Discard, &reader{ctx, file})
	if err != nil {
		return false, fmt.Errorf("%s: %w", op, err)
	}
	if info.SHA256 != about.SHA256 || info.Size != about.Size {
		return false, artifacts.Damaged(op, id)
	}
	about.Pieces = pieces
	return true, s.replaceSidecar(op, about)
}

// replaceSidecar replaces a sidecar atomically.
func (s *Store) replaceSidecar(op string, about sidecar) error {
	file, err := os.CreateTemp(s.tmp, "sums-*")
	if err != nil {
		return unwritable(op, err)
	}
	err = fillSidecar(file, about)
	if err == nil {
		err = os.Rename(file.Name(), s.sidecarPath(about.ID))
	}
	if err != nil {
		_ = os.Remove(file.Name()) // if this fails too, Sweep deletes it
		return unwritable(op, err)
	}
	if _, err := os.Lstat(s.dataPath(about.ID)); errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(s.sidecarPath(about.ID)) // the artifact was deleted meanwhile
	}
	return nil
}

// Import implements artifacts.Importer.
func (s *Store) Import(ctx context.Context, info artifacts.Info, r io.Reader) error {
	const op = "dirstore.Import"
	if !artifacts.ValidID(info.ID) {
		return fault.New(op, sdkapi.Internal, "invalid artifact id %q; nothing was stored: expected a name with an extension, such as screen-1.png", info.ID)
	}
	temp, about, err := s.receive(ctx, op, r)
	if err != nil {
		return err
	}
	if about.SHA256 != info.SHA256 || about.Size != info.Size {
		_ = os.Remove(temp) // if this fails, Sweep deletes it
		return artifacts.Damaged(op, info.ID)
	}
	return s.keep(ctx, op, temp, sidecarOf(info, about.Pieces))
}

// Walk implements artifacts.Walker.
func (s *Store) Walk(ctx context.Context, after string, limit int) (ids []string, err error) {
	const op = "dirstore.List"
	shards, err := os.ReadDir(s.dir) // sorted by name
	for _, shard := range shards {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || len(ids) >= limit {
			break
		}
		if len(shard.Name()) != 2 || !shard.IsDir() || shard.Name() < after[:min(2, len(after))] {
			continue
		}
		var files []fs.DirEntry
		files, err = os.ReadDir(s.shard(shard.Name()))
		for _, file := range files {
			if id := file.Name(); artifacts.ValidID(id) && id > after && file.Type().IsRegular() {
				ids = append(ids, id)
			}
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ended(op, ctx.Err())
	case err != nil:
		return nil, fault.New(op, sdkapi.StorageUnavailable, "the gateway cannot list the artifact folder; check that the folder belongs to the gateway's user").Because(err)
	}
	return ids[:min(len(ids), limit)], nil
}
