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
)

// Checked is what Check has found of one user, and mended.
type Checked struct {
	Folder   string   `json:"folder"`
	Files    int      `json:"files"`
	Mended   int      `json:"mended"`              // files that the index had not as they are
	Removed  int      `json:"removed"`             // files that the index had and that are no more
	TooLarge []string `json:"too_large,omitempty"` // files that cannot be searched
	Warning  string   `json:"warning,omitempty"`   // that MEMORY.md has become long
}

// Check reads all files of everybody, compares them with the index, and mends
// the index where it differs. Rebuild makes the index anew.
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

func (m *Memory) check(ctx context.Context, r *room, rebuild bool) (Checked, error) {
	if rebuild {
		if err := m.drop(ctx, r); err != nil {
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

// drop takes a user out of the index.
func (m *Memory) drop(ctx context.Context, r *room) error {
	leave, err := r.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	err = m.change(ctx, r, func(ctx context.Context, tx bun.Tx) error {
		var ids []int64
		if err := tx.NewRaw("SELECT id FROM memory_chunks WHERE owner = ?", r.owner).Scan(ctx, &ids); err != nil {
			return err
		}
		if err := removeAll(ctx, tx, ids); err != nil {
			return err
		}
		_, err := tx.NewRaw("DELETE FROM memory_files WHERE owner = ?", r.owner).Exec(ctx)
		return err
	})
	r.records = nil
	r.stale()
	return err
}

// folders lists the users' folders, sorted, and those that the index knows and that
// are no more.
func (m *Memory) folders(ctx context.Context) ([]string, error) {
	entries, err := list(m.root, ".")
	if err != nil {
		return nil, unusable("memory.Check", err)
	}
	var names []string
	there := map[string]bool{}
	for _, entry := range entries {
		if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			names = append(names, entry.Name())
			there[entry.Name()] = true
		}
	}
	var indexed []string
	err = m.db.Ask(ctx, "memory.Check", func(ctx context.Context, db *bun.DB) error {
		indexed = nil
		return db.NewRaw("SELECT folder FROM memory_users AS u WHERE place = ? AND EXISTS (SELECT 1 FROM memory_files AS f WHERE f.owner = u.owner)", m.place).Scan(ctx, &indexed)
	})
	for _, name := range indexed {
		if !there[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}

// How often Run tidies up, and when a temporary file is one that a crash left.
const (
	tidyEvery  = time.Hour
	staleAfter = time.Hour
)

// Run archives old notes, removes what crashes left, and indexes what nobody
// has searched yet, until ctx ends.
func (m *Memory) Run(ctx context.Context) {
	for {
		if err := m.Tidy(ctx); err != nil && ctx.Err() == nil {
			m.opts.Log.Warn("memory cannot be tidied up; it is tried again", slog.Any("err", err))
		}
		if background.Sleep(ctx, tidyEvery) != nil {
			return
		}
	}
}

// Tidy does once what Run does every hour. One user's trouble is not another's.
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
			embeds = err == nil // or each user would wait for it to fail
		}
		all = errors.Join(all, err)
	}
	return all
}

// archive moves daily files that are old into the archive, where they are still
// found. One that is there already stays where it is: nothing is overwritten.
func (m *Memory) archive(ctx context.Context, r *room) error {
	leave, err := r.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if _, err := m.root.Lstat(r.folder); errors.Is(err, fs.ErrNotExist) {
		return nil // the index alone knows of it
	}
	root, unlock, err := m.toChange(ctx, r)
	if err != nil {
		return unusable("memory.archive", err)
	}
	defer unlock()
	entries, err := list(root, notesDir)
	if err != nil {
		return unusable("memory.archive", err)
	}
	oldest := m.opts.now().UTC().AddDate(0, 0, -m.opts.KeepDays)
	for _, entry := range entries {
		name := notesDir + "/" + entry.Name()
		kind, day := kindOf(name)
		switch {
		case strings.HasPrefix(entry.Name(), tempPrefix):
			sweep(root, name, entry)
		case kind == Daily && entry.Type().IsRegular() && m.opts.KeepDays > 0 && day.Before(oldest):
			if err := move(root, name, archiveDir+"/"+entry.Name()); err != nil {
				return unusable("memory.archive", err)
			}
			r.stale()
		}
	}
	return ctx.Err()
}

// sweep removes a temporary file that a crash left.
func sweep(root *os.Root, name string, entry fs.DirEntry) {
	if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
		_ = root.Remove(filepath.FromSlash(name)) // it costs room and nothing else
	}
}

// move moves a file to where there is none.
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
