package dirstore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

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

// stale lists the temporary files that were written to before a time and not
// since.
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
