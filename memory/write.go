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

// Written is what became of an entry.
type Written struct {
	Path    string // of the file, in the user's folder
	Warning string // that somebody should tidy up; empty where nothing is wrong
}

// writing is an entry on its way into a file.
type writing struct {
	entry Entry
	done  chan struct{} // closed when the rest is known
	wrote Written
	err   error
}

// writeTime bounds writing what waits for it.
const writeTime = 30 * time.Second

// Write adds an entry to the user's file of its kind, and returns when it is on
// the disk: the next search finds it. After an error the file is as it was.
// Entries that come while another is being written are written together.
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
	case <-w.done: // by somebody who was there first
	case <-ctx.Done():
		if r.withdraw(w) {
			return Written{}, fault.From(ctx.Err())
		}
	}
	<-w.done // it is being written, which ends soon
	return w.wrote, w.err
}

// withdraw takes back what nobody has begun to write.
func (r *room) withdraw(w *writing) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.pending, w)
	if i >= 0 {
		r.pending = slices.Delete(r.pending, i, i+1)
	}
	return i >= 0
}

// writePending writes all that waits, for those who wait too: that the caller
// leaves is no reason to stop.
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

// stale has the next search look at the files.
func (r *room) stale() {
	r.mu.Lock()
	r.looked = time.Time{}
	r.mu.Unlock()
}

// toChange makes and opens a room's folder, and locks it until the caller calls
// what is returned.
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

// appendTo adds entries to one file, and notes at each what became of it. One
// that does not fit leaves room for smaller ones.
func (m *Memory) appendTo(root *os.Root, name string, now time.Time, list []*writing) {
	const op = "memory.Write"
	fail := func(err error) {
		for _, w := range list {
			w.err = err
		}
	}
	text, _, err := read(root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = []byte(list[0].entry.title(now))
	case errors.Is(err, errTooLarge):
		fail(fullFile(op, name))
		return
	case errors.Is(err, errNoFile):
		fail(fault.New(op, sdkapi.StorageUnavailable, "%s is a link, or no file at all; it was left as it is", name).Because(err))
		return
	case err != nil:
		fail(unusable(op, err))
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

// warn says that a file which is given to models whole has become long.
func (m *Memory) warn(name string, size int) string {
	if name != longTermPath || m.opts.SoftBytes < 0 || int64(size) <= m.opts.SoftBytes {
		return ""
	}
	return fmt.Sprintf("%s has %d bytes, and should have at most %d: keep in it what is still true, and move the rest to another file", name, size, m.opts.SoftBytes)
}

// replace puts a new file in the place of one, which is there as a whole before
// and after, also when the power fails in between.
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

// writeNew writes a file that is not there yet, to the disk.
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
