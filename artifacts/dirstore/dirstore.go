// Package dirstore stores artifacts as plain files in a folder.
//
//	store, err := dirstore.Open("/var/lib/windie/artifacts")
//	if err != nil { ... }
//	info, err := store.Put(ctx, id, contentType, r)
//
// An artifact is two files, its data and a JSON sidecar that describes it. They lie in a shard, a
// folder named after the id's first two characters:
//
//	artifacts/
//	    0b/0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png
//	    0b/0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png.json
//	    tmp/                    unfinished files
//
// The sidecar has the artifact's SHA-256 and the checksums of its pieces, with which Get verifies
// the content.
//
// An artifact exists when both files exist. As its last step, Put moves the complete data next to
// the sidecar, so a data file under its final name is always complete. A crash may leave a sidecar
// without data. Such a sidecar does no harm, because ids are random.
//
// Several stores may share a folder, in one process or in several.
package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/linked"
	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/sdkapi"
)

// Modes of the store's folders and files. Only the gateway's user can read them.
const (
	dirPerm  fs.FileMode = 0o700
	filePerm fs.FileMode = 0o600
)

// staleAfter is the age after which a temporary file counts as left by a crash. A slow sender may still write
// a younger file.
const staleAfter = time.Hour

// Store stores artifacts below one folder. Use Open to create a Store. A Store holds no open files
// between calls, so it needs no Close.
type Store struct {
	dir  string // absolute, so that it does not depend on the working directory
	tmp  string
	here linked.Path // identifies dir, to detect its replacement
}

var (
	_ artifacts.Store    = (*Store)(nil)
	_ artifacts.Sweeper  = (*Store)(nil)
	_ artifacts.Walker   = (*Store)(nil)
	_ artifacts.Importer = (*Store)(nil)
	_ artifacts.Summer   = (*Store)(nil)
	_ artifacts.Unlinker = (*Store)(nil)
)

// Open returns the store in dir. It creates dir if necessary, and deletes temporary files that a
// crash has left.
func Open(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("dirstore: cannot find the folder: %w", err)
	}
	s := &Store{dir: dir, tmp: filepath.Join(dir, "tmp")}
	if err := os.MkdirAll(s.tmp, dirPerm); err != nil {
		return nil, fmt.Errorf("dirstore: cannot create the folder: %w", err)
	}
	if s.here, err = linked.Open(dir); err != nil {
		return nil, fmt.Errorf("dirstore: cannot open the folder: %w", err)
	}
	stale, err := s.stale(time.Now().Add(-staleAfter))
	if err != nil {
		return nil, fmt.Errorf("dirstore: cannot look for stale files: %w", err)
	}
	for _, file := range stale {
		_ = os.Remove(file) // a remaining file only takes space
	}
	return s, nil
}

// Delete implements artifacts.Store. When Delete returns, the deletion survives a power cut.
func (s *Store) Delete(ctx context.Context, id string) error {
	if err := s.Unlink(ctx, id); err != nil {
		return err
	}
	return s.Unlinked(ctx, id)
}

// Unlink implements artifacts.Unlinker.
func (s *Store) Unlink(ctx context.Context, id string) error {
	const op = "dirstore.Delete"
	if err := ctx.Err(); err != nil {
		return ended(op, err)
	}
	if !artifacts.ValidID(id) {
		return nil // an invalid id has no artifact
	}
	// The data is deleted first, because an artifact does not exist without its data. If there was no
	// data, the sidecar may belong to a Put that is about to finish.
	err := os.Remove(s.dataPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.Remove(s.sidecarPath(id))
	}
	return undeletable(op, err)
}

// Unlinked implements artifacts.Unlinker. It syncs the subfolders that contained the artifacts.
func (s *Store) Unlinked(ctx context.Context, ids ...string) error {
	const op = "dirstore.Delete"
	synced := map[string]bool{}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return ended(op, err)
		}
		if !artifacts.ValidID(id) || synced[s.shard(id)] {
			continue
		}
		synced[s.shard(id)] = true
		if err := undeletable(op, newfile.SyncDir(s.shard(id))); err != nil {
			return err
		}
	}
	return nil
}

// undeletable returns the fault of a failed deletion, or nil if the file does not exist.
func undeletable(op string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fault.New(op, sdkapi.StorageUnavailable, "the gateway cannot delete the artifact; check that its user may write to the artifact folder").Because(err)
}

// Ready implements artifacts.Store. It writes a small file. It fails if the folder was replaced
// since Open.
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
	return s.inPlace(op)
}

// Files returns the paths of an artifact's two files. id must be valid.
func (s *Store) Files(id string) (data, sidecar string) { return s.dataPath(id), s.sidecarPath(id) }

// shard returns the folder of an artifact. id must have at least two bytes, like every valid id.
func (s *Store) shard(id string) string { return filepath.Join(s.dir, id[:2]) }

// dataPath returns the path of an artifact's data.
func (s *Store) dataPath(id string) string { return filepath.Join(s.shard(id), id) }

// sidecarPath returns the path of an artifact's sidecar. An id has one dot, so the name of a sidecar is never
// an id.
func (s *Store) sidecarPath(id string) string { return s.dataPath(id) + ".json" }

// inPlace fails if the folder was removed or replaced since Open, because new artifacts in it would
// be lost.
func (s *Store) inPlace(op string) error {
	if err := s.here.Check(); err != nil {
		return fault.New(op, sdkapi.StorageUnavailable, "someone removed or replaced the artifact folder while the gateway was running; put it back, or restore a backup, then restart the gateway").Because(err)
	}
	return nil
}

// unreadable returns the fault of a failed read: NotFound for a missing artifact, Damaged for a
// damaged one, and StorageUnavailable for other errors.
func unreadable(op, id string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return artifacts.NotFound(op, id).Because(err)
	case errors.Is(err, errDamaged):
		return artifacts.Damaged(op, id).Because(err)
	}
	return fault.New(op, sdkapi.StorageUnavailable, "the gateway cannot read the artifact %q; the log has the reason", id).Because(err)
}

// unwritable returns the fault of a failed write: StorageFull for a full disk, and
// StorageUnavailable for other errors. The caller deletes the partial file, which is possible on a
// full disk too.
func unwritable(op string, err error) error {
	if artifacts.Full(err) {
		return fault.New(op, sdkapi.StorageFull, "the disk of the artifact folder is full; free space there, or set WINDIE_ARTIFACT_TTL so that artifacts expire").Because(err)
	}
	return fault.New(op, sdkapi.StorageUnavailable, "the gateway cannot write to the artifact folder; check that it exists, that it belongs to the gateway's user, and that its disk has free space").Because(err)
}

// ended returns the fault of an ended context: CANCELED or TIMEOUT.
func ended(op string, err error) error {
	return fault.From(fmt.Errorf("%s: %w", op, err))
}

// Sweep implements artifacts.Sweeper. It deletes temporary files that were last written before the
// given time.
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
		case !errors.Is(removeErr, fs.ErrNotExist): // otherwise another process was faster
			err = errors.Join(err, removeErr)
		}
	}
	if err != nil {
		err = fault.New(op, sdkapi.StorageUnavailable, "the gateway cannot remove temporary files from the artifact folder; check that the folder belongs to the gateway's user").Because(err)
	}
	return removed, err
}

// stale returns the temporary files that were last written before a time.
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
