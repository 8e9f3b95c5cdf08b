package memory

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
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

// Files lists a user's files, sorted by path. It does not read the files.
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
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// Delete removes one file of a user, the stored changes of this file, and the file's part of the
// index. It fails with MEMORY_NOT_FOUND if the user has no such file. If the stored changes cannot
// be removed, the file stays, so that it can be deleted later.
func (m *Memory) Delete(ctx context.Context, user, name string) error {
	const op = "memory.Delete"
	r, err := m.roomOf(op, user)
	if err != nil {
		return err
	}
	root, err := m.note(op, r, name)
	if err != nil {
		return err
	}
	_ = root.Close() // toChange would make a folder
	root, leave, err := m.toChange(ctx, r)
	if err != nil {
		return unusable(op, err)
	}
	defer leave()
	if err := forgetChanges(root, name); err != nil { // first: without the file nobody could ask for it again
		return unusable(op, err)
	}
	if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unusable(op, err)
	}
	return m.unindex(ctx, r, "owner = ? AND path = ?", r.owner, name)
}

// unindex removes files from the index. The caller must hold the room.
func (m *Memory) unindex(ctx context.Context, r *room, condition string, values ...any) error {
	err := m.change(ctx, r, func(ctx context.Context, tx bun.Tx) error {
		return removeFiles(ctx, tx, condition, values...)
	})
	r.records = nil
	r.stale()
	return err
}

// EraseUser removes a user's folder with all its files, and removes the user from the index. It
// returns the number of removed files.
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
	used, err := m.usage(r.folder)
	if err != nil {
		return 0, unusable(op, err)
	}
	if err := m.root.RemoveAll(r.folder); err != nil {
		return 0, unusable(op, err)
	}
	if err := m.unindex(ctx, r, "owner = ?", r.owner); err != nil {
		return 0, err
	}
	return used.Files, m.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
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

// Usage is the disk usage of the memory: the number of files and their size.
type Usage struct {
	Files, Bytes int64
	// Oldest is the oldest modification time of all files. It is zero if there are no files.
	Oldest time.Time
}

// Usage counts the files of all users. It counts files in the folder, because the index contains a
// new file only after a search.
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
		one, err := m.usage(entry.Name())
		if err != nil {
			return used, unusable(op, err)
		}
		if ctx.Err() != nil {
			return used, fault.From(ctx.Err())
		}
		used.Files, used.Bytes = used.Files+one.Files, used.Bytes+one.Bytes
		if used.Oldest.IsZero() || !one.Oldest.IsZero() && one.Oldest.Before(used.Oldest) {
			used.Oldest = one.Oldest
		}
	}
	return used, nil
}

// usage counts the files of one folder, of which look may refuse to list too many.
func (m *Memory) usage(folder string) (used Usage, err error) {
	root, err := m.open(&room{folder: folder})
	if errors.Is(err, fs.ErrNotExist) {
		return used, nil
	}
	if err != nil {
		return used, err
	}
	defer root.Close()
	return used, walk(root, func(_ string, info fs.FileInfo) error {
		used.Files++
		used.Bytes += info.Size()
		if used.Oldest.IsZero() || info.ModTime().Before(used.Oldest) {
			used.Oldest = info.ModTime()
		}
		return nil
	})
}
