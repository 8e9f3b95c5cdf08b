package memory

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
)

// File is a file of a user's memory.
type File struct {
	Path     string
	Kind     Kind
	Size     int64
	Modified time.Time
}

// Files lists a user's files by path, without reading them.
func (m *Memory) Files(ctx context.Context, user string) ([]File, error) {
	const op = "memory.Files"
	r, err := m.roomOf(op, user)
	if err != nil {
		return nil, err
	}
	root, err := m.open(r)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unusable(op, err)
	}
	defer root.Close()
	found, err := look(ctx, root)
	if err != nil {
		return nil, unusable(op, err)
	}
	list := make([]File, 0, len(found))
	for name, f := range found {
		kind, _ := kindOf(name)
		list = append(list, File{name, kind, f.size, time.Unix(0, f.modified).UTC()})
	}
	slices.SortFunc(list, func(a, b File) int { return compareText(a.Path, b.Path) })
	return list, nil
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Delete removes one file of a user, with its changes, and what the index has of it. It fails with
// MEMORY_NOT_FOUND if the user has no such file. If its changes cannot be removed, the file stays, so that it can be deleted later.
func (m *Memory) Delete(ctx context.Context, user, name string) error {
	const op = "memory.Delete"
	r, err := m.roomOf(op, user)
	if err != nil {
		return err
	}
	if has, err := m.has(r, name); err != nil {
		return unusable(op, err)
	} else if !has {
		return notFound(op, name)
	}
	leave, err := r.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	root, unlock, err := m.toChange(ctx, r)
	if err != nil {
		return unusable(op, err)
	}
	defer unlock()
	if err := forgetChanges(root, name); err != nil { // first: without the file nobody could ask for it again
		return unusable(op, err)
	}
	if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unusable(op, err)
	}
	return m.unindex(ctx, r, "owner = ? AND path = ?", r.owner, name)
}

// has reports whether Files could list a name, without a look at the other files.
func (m *Memory) has(r *room, name string) (bool, error) {
	if !fs.ValidPath(name) || !strings.HasPrefix(name, notesDir+"/") || strings.Contains(name, "/.") || !strings.EqualFold(path.Ext(name), ".md") {
		return false, nil
	}
	root, err := m.open(r)
	if err == nil {
		defer root.Close()
		var info fs.FileInfo
		if info, err = root.Lstat(filepath.FromSlash(name)); err == nil {
			return info.Mode().IsRegular(), nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
		return false, nil
	}
	return false, err
}

// unindex removes files from the index, for the busy caller.
func (m *Memory) unindex(ctx context.Context, r *room, condition string, values ...any) error {
	err := m.change(ctx, r, func(ctx context.Context, tx bun.Tx) error {
		return removeFiles(ctx, tx, condition, values...)
	})
	r.records = nil
	r.stale()
	return err
}

// EraseUser removes a user's folder with all in it, and the user from the index. It returns
// the number of files.
func (m *Memory) EraseUser(ctx context.Context, user string) (int64, error) {
	const op = "memory.EraseUser"
	r, err := m.roomOf(op, user)
	if err != nil {
		return 0, err
	}
	leave, err := r.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	files, err := m.count(r)
	if err != nil {
		return 0, unusable(op, err)
	}
	if err := m.root.RemoveAll(r.folder); err != nil {
		return 0, unusable(op, err)
	}
	if err := m.unindex(ctx, r, "owner = ?", r.owner); err != nil {
		return 0, err
	}
	return files, m.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw("DELETE FROM memory_users WHERE owner = ?", r.owner).Exec(ctx); err != nil {
			return err
		}
		if m.db.Postgres() {
			return nil
		}
		_, err := tx.NewRaw("INSERT INTO memory_terms (memory_terms) VALUES ('optimize')").Exec(ctx) // removed words are in the index until it is merged
		return err
	})
}

// count returns how many files a user has, of which Files may list too many to do so.
func (m *Memory) count(r *room) (files int64, err error) {
	err = m.walk(r, func(fs.DirEntry) error {
		files++
		return nil
	})
	return files, err
}

// walk calls do for each file of a user, in no particular order.
func (m *Memory) walk(r *room, do func(fs.DirEntry) error) error {
	root, err := m.open(r)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), notesDir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case strings.HasPrefix(path.Base(name), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.Type().IsRegular() && strings.EqualFold(path.Ext(name), ".md"):
			return do(entry)
		}
		return nil
	})
}

// Usage is how much memory there is.
type Usage struct {
	Files, Bytes int64
	Oldest       time.Time // when the file was changed that was left alone the longest; zero if there is none
}

// Usage counts the files of all users. It looks at each of them, and not at the index, which learns of a file by a search.
func (m *Memory) Usage(ctx context.Context) (used Usage, err error) {
	const op = "memory.Usage"
	entries, err := list(m.root, ".")
	if err != nil {
		return used, unusable(op, err)
	}
	for _, entry := range entries {
		if !entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if err := m.walk(&room{folder: entry.Name()}, used.add); err != nil {
			return used, unusable(op, err)
		}
		if ctx.Err() != nil {
			return used, fault.From(ctx.Err())
		}
	}
	return used, nil
}

// add counts a file. One that is gone meanwhile is not counted.
func (u *Usage) add(entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	u.Files++
	u.Bytes += info.Size()
	if u.Oldest.IsZero() || info.ModTime().Before(u.Oldest) {
		u.Oldest = info.ModTime()
	}
	return nil
}
