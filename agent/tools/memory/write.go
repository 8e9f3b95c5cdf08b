package memory

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Written is the result of Write and of Change.
type Written struct {
	Path    string `json:"path"`
	Warning string `json:"warning,omitempty" doc:"A problem with the memory files that a person should fix."`
}

// Write adds an entry to the file for entries of this kind in the user's memory. When Write
// returns, the entry is on disk, and the next search finds it. After an error the file is
// unchanged.
func (m *Memory) Write(ctx context.Context, user string, e Entry) (Written, error) {
	const op = "memory.Write"
	r, err := m.roomOf(op, user)
	if err != nil {
		return Written{}, err
	}
	if err := e.check(op); err != nil {
		return Written{}, err
	}
	root, leave, err := m.toChange(ctx, r)
	if err != nil {
		return Written{}, unusable(op, err)
	}
	defer leave()
	if err := m.fits(ctx, root, len(e.Text)); err != nil {
		return Written{}, unusable(op, err)
	}
	now := m.opts.now()
	name := e.path(now)
	text, _, err := read(root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = []byte(e.title(now))
	case errors.Is(err, errTooLarge):
		return Written{}, fullFile(op, name)
	case errors.Is(err, errNoFile):
		return Written{}, fault.New(op, sdkapi.StorageUnavailable, "%s is a link or not a regular file; the gateway did not change it", name).Because(err)
	case err != nil:
		return Written{}, unusable(op, err)
	}
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	if text = append(text, e.render(now)...); len(text) > MaxFile {
		return Written{}, fullFile(op, name)
	}
	if err := replace(root, name, text); err != nil {
		return Written{}, unusable(op, err)
	}
	r.stale()
	if err := m.Ready(); err != nil {
		return Written{}, err
	}
	return Written{Path: name, Warning: m.warn(name, len(text))}, nil
}

// fits returns QUOTA_EXCEEDED if more bytes are too much for a user.
func (m *Memory) fits(ctx context.Context, root *os.Root, more int) error {
	if m.opts.MaxBytes <= 0 {
		return nil
	}
	files, err := look(ctx, root)
	if err != nil {
		return err
	}
	var used int64
	for _, f := range files {
		used += f.size
	}
	if used+int64(more) > m.opts.MaxBytes {
		return fault.Exceeded("memory.Write", "memory_bytes", used, m.opts.MaxBytes, "delete some memory files with DELETE "+sdkapi.V1MemoryFilesPath)
	}
	return nil
}

// stale makes the next search compare the files with the index.
func (r *room) stale() {
	r.mu.Lock()
	r.looked = time.Time{}
	r.mu.Unlock()
}

// toChange enters a room, and creates, opens and locks its folder. The caller calls leave to close, unlock and leave
// it.
func (m *Memory) toChange(ctx context.Context, r *room) (root *os.Root, leave func(), err error) {
	out, err := r.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err = m.root.MkdirAll(filepath.FromSlash(r.folder+"/"+notesDir), dirPerm); err == nil {
		root, err = m.open(r)
	}
	if err != nil {
		out()
		return nil, nil, err
	}
	held, err := lock(ctx, root)
	if err != nil {
		_ = root.Close() // it was only read
		out()
		return nil, nil, err
	}
	return root, func() {
		_ = held.Close() // which releases the lock
		_ = root.Close()
		out()
	}, nil
}

// fullFile returns the fault for a file that a change would make too large.
func fullFile(op, name string) error {
	return fault.New(op, sdkapi.PayloadTooLarge, "%s would exceed the limit of %d bytes; shorten it, or move a part to another file", name, MaxFile)
}

// warn returns a warning if name is MEMORY.md and it is longer than SoftBytes, as models read it whole. Otherwise it
// returns "".
func (m *Memory) warn(name string, size int) string {
	if name != longTermPath || m.opts.SoftBytes < 0 || int64(size) <= m.opts.SoftBytes {
		return ""
	}
	return fmt.Sprintf("%s has %d bytes and should have at most %d: delete outdated text, or move a part to another file", name, size, m.opts.SoftBytes)
}

// replace replaces a file atomically, even if the power fails.
func replace(root *os.Root, name string, text []byte) error {
	dir := path.Dir(name)
	temp := filepath.FromSlash(dir + "/" + tempPrefix + rand.Text())
	if err := writeNew(root, temp, text); err != nil {
		return err
	}
	if err := root.Rename(temp, filepath.FromSlash(name)); err != nil {
		_ = root.Remove(temp) // otherwise sweep removes it
		return err
	}
	return syncDir(root, dir)
}

// writeNew writes a new file and syncs it to the disk. It fails with fs.ErrExist if the name is taken.
func writeNew(root *os.Root, name string, text []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = root.Remove(name) // otherwise sweep removes it
	}
	return err
}

// syncDir syncs a folder, so that its entries survive a power failure.
func syncDir(root *os.Root, name string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows cannot sync folders, and need not
	}
	dir, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
