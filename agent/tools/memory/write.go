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
	"slices"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Written is the result of writing an entry.
type Written struct {
	Path    string `json:"path"`
	Warning string `json:"warning,omitempty" doc:"Problem of the memory that somebody should fix."`
}

// writing is an entry on its way into a file.
type writing struct {
	entry Entry
	done  chan struct{} // closed when wrote and err are set
	wrote Written
	err   error
}

// writeTime bounds writing a batch of entries.
const writeTime = 30 * time.Second

// Write adds an entry to the user's file of its kind, and returns when it is on
// the disk: the next search finds it. After an error the file is unchanged.
// Entries that come during another write are written together.
func (m *Memory) Write(ctx context.Context, user string, e Entry) (Written, error) {
	const op = "memory.Write"
	r, err := m.roomOf(op, user)
	if err != nil {
		return Written{}, err
	}
	if err := e.check(op); err != nil {
		return Written{}, err
	}
	w := &writing{entry: e, done: make(chan struct{})}
	r.mu.Lock()
	r.pending = append(r.pending, w)
	r.mu.Unlock()
	select {
	case r.busy <- struct{}{}:
		m.writePending(ctx, r)
		<-r.busy
	case <-w.done: // by another caller
	case <-ctx.Done():
		if r.withdraw(w) {
			return Written{}, fault.From(ctx.Err())
		}
	}
	<-w.done // it is being written, which ends soon
	return w.wrote, w.err
}

// withdraw takes an entry back, and reports whether no caller has begun to write it.
func (r *room) withdraw(w *writing) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.pending, w)
	if i >= 0 {
		r.pending = slices.Delete(r.pending, i, i+1)
	}
	return i >= 0
}

// writePending writes all pending entries. As other callers wait for them too, it
// does not stop when ctx ends.
func (m *Memory) writePending(ctx context.Context, r *room) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	r.mu.Lock()
	batch := r.pending
	r.pending = nil
	r.mu.Unlock()
	if len(batch) == 0 {
		return
	}
	root, unlock, err := m.toChange(ctx, r)
	if err == nil {
		defer unlock()
	}
	if err == nil {
		err = m.fits(ctx, root, batch)
	}
	now := m.opts.now()
	files := map[string][]*writing{}
	for _, w := range batch {
		name := w.entry.path(now)
		files[name] = append(files[name], w)
	}
	for name, list := range files {
		if err == nil {
			m.appendTo(root, name, now, list)
		}
		for _, w := range list {
			if err != nil {
				w.err = unusable("memory.Write", err)
			}
			close(w.done)
		}
	}
	r.stale()
}

// fits returns QUOTA_EXCEEDED if the entries of a batch are too much for a user.
func (m *Memory) fits(ctx context.Context, root *os.Root, batch []*writing) error {
	if m.opts.MaxBytes <= 0 {
		return nil
	}
	files, err := look(ctx, root)
	if err != nil {
		return err
	}
	var used, more int64
	for _, f := range files {
		used += f.size
	}
	for _, w := range batch {
		more += int64(len(w.entry.Text))
	}
	if used+more > m.opts.MaxBytes {
		return fault.Exceeded("memory.Write", "memory_bytes", used, m.opts.MaxBytes, "delete files of the memory with DELETE "+sdkapi.V1MemoryFilesPath)
	}
	return nil
}

// stale makes the next search look at the files.
func (r *room) stale() {
	r.mu.Lock()
	r.looked = time.Time{}
	r.mu.Unlock()
}

// toChange makes, opens and locks a room's folder, until the caller calls the
// function that it returns.
func (m *Memory) toChange(ctx context.Context, r *room) (*os.Root, func(), error) {
	if err := m.root.MkdirAll(filepath.FromSlash(r.folder+"/"+notesDir), dirPerm); err != nil {
		return nil, nil, err
	}
	root, err := m.open(r)
	if err != nil {
		return nil, nil, err
	}
	held, err := lock(ctx, root)
	if err != nil {
		_ = root.Close() // it was only read
		return nil, nil, err
	}
	return root, func() {
		_ = held.Close() // which ends the lock
		_ = root.Close()
	}, nil
}

// appendTo adds entries to one file, and sets the result of each. Smaller entries
// may fit after one that does not.
func (m *Memory) appendTo(root *os.Root, name string, now time.Time, list []*writing) {
	const op = "memory.Write"
	text, _, err := read(root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text, err = []byte(list[0].entry.title(now)), nil
	case errors.Is(err, errTooLarge):
		err = fullFile(op, name)
	case errors.Is(err, errNoFile):
		err = fault.New(op, sdkapi.StorageUnavailable, "%s is a link, or no file at all; it was left as it is", name).Because(err)
	case err != nil:
		err = unusable(op, err)
	}
	if err != nil {
		for _, w := range list {
			w.err = err
		}
		return
	}
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	var fit []*writing
	for _, w := range list {
		more := w.entry.render(now)
		if len(text)+len(more) > MaxFile {
			w.err = fullFile(op, name)
			continue
		}
		text, fit = append(text, more...), append(fit, w)
	}
	if len(fit) == 0 {
		return
	}
	err = replace(root, name, text)
	if err == nil {
		err = m.Ready()
	}
	for _, w := range fit {
		w.wrote = Written{Path: name, Warning: m.warn(name, len(text))}
		if err != nil {
			w.wrote, w.err = Written{}, unusable(op, err)
		}
	}
}

func fullFile(op, name string) error {
	return fault.New(op, sdkapi.PayloadTooLarge, "%s would have more than %d bytes; shorten it, or move a part of it to another file", name, MaxFile)
}

// warn says that MEMORY.md, which models read whole, has become long.
func (m *Memory) warn(name string, size int) string {
	if name != longTermPath || m.opts.SoftBytes < 0 || int64(size) <= m.opts.SoftBytes {
		return ""
	}
	return fmt.Sprintf("%s has %d bytes, and should have at most %d: keep in it what is still true, and move the rest to another file", name, size, m.opts.SoftBytes)
}

// replace replaces a file, which is whole before and after, also if the power fails in between.
func replace(root *os.Root, name string, text []byte) error {
	dir := path.Dir(name)
	temp := filepath.FromSlash(dir + "/" + tempPrefix + rand.Text())
	if err := writeNew(root, temp, text); err != nil {
		return err
	}
	if err := root.Rename(temp, filepath.FromSlash(name)); err != nil {
		_ = root.Remove(temp) // left behind, sweep will do it
		return err
	}
	return syncDir(root, dir)
}

// writeNew writes a new file to the disk.
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
		_ = root.Remove(name) // left behind, sweep will do it
	}
	return err
}

// syncDir makes the entries of a folder last through a power cut.
func syncDir(root *os.Root, name string) error {
	if runtime.GOOS == "windows" {
		return nil // where folders cannot be synced and need not be
	}
	dir, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
