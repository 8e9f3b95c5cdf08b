package memory

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Checked is the result of Check for one user.
type Checked struct {
	Folder string `json:"folder"`
	Files  int    `json:"files"`
	Mended int    `json:"mended"` // number of files that were missing or outdated in the index
	// Removed is the number of files that were in the index, but no longer in the folder.
	Removed  int      `json:"removed"`
	TooLarge []string `json:"too_large,omitempty"` // files that are too large for the search
	Warning  string   `json:"warning,omitempty"`   // warning that MEMORY.md has become long; may be empty
}

// Check reads all files of all users, and corrects the index. If rebuild is true, it builds a new
// index.
func (m *Memory) Check(ctx context.Context, rebuild bool) ([]Checked, error) {
	folders, err := m.folders(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Checked, 0, len(folders))
	for _, folder := range folders {
		c, err := m.check(ctx, m.room(folder), rebuild)
		if err != nil {
			return list, err
		}
		list = append(list, c)
	}
	return list, nil
}

// check corrects the index of one user, or builds it anew. A missing folder counts as one without files.
func (m *Memory) check(ctx context.Context, r *room, rebuild bool) (Checked, error) {
	if rebuild {
		leave, err := r.enter(ctx)
		if err == nil {
			err = m.unindex(ctx, r, "owner = ?", r.owner)
			leave()
		}
		if err != nil {
			return Checked{}, err
		}
	}
	found, err := m.refresh(ctx, r, true)
	if err != nil {
		return Checked{}, err
	}
	c := Checked{Folder: r.folder, Files: found.files, Mended: found.indexed, Removed: found.gone, TooLarge: found.large}
	if root, err := m.open(r); err == nil {
		if info, err := root.Stat(filepath.FromSlash(longTermPath)); err == nil {
			c.Warning = m.warn(longTermPath, int(info.Size()))
		}
		_ = root.Close() // it was only read
	}
	return c, nil
}

// folders lists the users' folders, sorted, with those that only the index has.
func (m *Memory) folders(ctx context.Context) ([]string, error) {
	entries, err := list(m.root, ".")
	if err != nil {
		return nil, unusable("memory.Check", err)
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			names = append(names, entry.Name())
		}
	}
	var indexed []string
	err = m.db.Ask(ctx, "memory.Check", func(ctx context.Context, db *bun.DB) error {
		indexed = nil
		return db.NewRaw("SELECT folder FROM memory_users AS u WHERE place = ? AND EXISTS (SELECT 1 FROM memory_files AS f WHERE f.owner = u.owner)", m.place).Scan(ctx, &indexed)
	})
	names = append(names, indexed...)
	slices.Sort(names)
	return slices.Compact(names), err
}

// tidyEvery is the period of Run. staleAfter is the age from which Tidy takes a temporary file for the rest of a crash.
const (
	tidyEvery  = time.Hour
	staleAfter = time.Hour
)

// Run archives old notes, removes temporary files that a crash has left, and indexes new files. It
// does so every hour until ctx ends.
func (m *Memory) Run(ctx context.Context) {
	for {
		if err := m.Tidy(ctx); err != nil && ctx.Err() == nil {
			m.opts.Log.Warn("cannot tidy up the memory index; retrying later", slog.Any("err", err))
		}
		if background.Sleep(ctx, tidyEvery) != nil {
			return
		}
	}
}

// Tidy does the hourly work of Run once. If the work fails for one user, Tidy continues with the
// other users.
func (m *Memory) Tidy(ctx context.Context) error {
	folders, err := m.folders(ctx)
	if err != nil {
		return err
	}
	var all error
	embeds := m.opts.Embedder != nil
	for _, folder := range folders {
		r := m.room(folder)
		err := m.archive(ctx, r)
		if err == nil {
			_, err = m.refresh(ctx, r, false)
		}
		for more := embeds; err == nil && more; {
			more, err = m.embedNew(ctx, r, 1)
			embeds = err == nil || fault.CodeOf(err) == sdkapi.BudgetExceeded // else each user waits for it
		}
		all = errors.Join(all, err)
	}
	return all
}

// archive moves old daily files into the archive, where Search still finds them, and removes old temporary files. It
// overwrites nothing: if the archive has the name, the file stays.
func (m *Memory) archive(ctx context.Context, r *room) error {
	if _, err := m.root.Lstat(r.folder); errors.Is(err, fs.ErrNotExist) {
		return nil // the folder is gone, and only the index knows the user
	}
	root, leave, err := m.toChange(ctx, r)
	if err != nil {
		return unusable("memory.archive", err)
	}
	defer leave()
	if err := sweep(ctx, root); err != nil {
		return unusable("memory.archive", err)
	}
	entries, err := list(root, notesDir)
	if err != nil {
		return unusable("memory.archive", err)
	}
	oldest := m.opts.now().UTC().AddDate(0, 0, -m.opts.KeepDays)
	for _, entry := range entries {
		name := notesDir + "/" + entry.Name()
		kind, day := kindOf(name)
		if kind == Daily && entry.Type().IsRegular() && m.opts.KeepDays > 0 && day.Before(oldest) {
			if err := move(root, name, archiveDir+"/"+entry.Name()); err != nil {
				return unusable("memory.archive", err)
			}
			r.stale()
		}
	}
	return ctx.Err()
}

// sweep removes the temporary files that crashes have left in the folders of notes.
func sweep(ctx context.Context, root *os.Root) error {
	return walkAll(root, func(name string, entry fs.DirEntry) error {
		if strings.HasPrefix(entry.Name(), tempPrefix) {
			if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
				_ = root.Remove(filepath.FromSlash(name)) // if it stays, it only costs disk space
			}
		}
		return ctx.Err()
	})
}

// move moves a file to the archive. If the new name is taken, it does nothing and returns nil.
func move(root *os.Root, from, to string) error {
	if err := root.MkdirAll(filepath.FromSlash(archiveDir), dirPerm); err != nil {
		return err
	}
	if _, err := root.Lstat(filepath.FromSlash(to)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := root.Rename(filepath.FromSlash(from), filepath.FromSlash(to)); err != nil {
		return err
	}
	return errors.Join(syncDir(root, archiveDir), syncDir(root, notesDir))
}
