package dirstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// TestFullDisk fills disks of 24 pages with artifacts of every size, so that
// there is no room for the data, for its last page, for the sidecar, for the
// shard. What does not fit is refused as a whole, and what was there stays.
//
// The disks are real ones, in memory, which takes a process that may mount: one
// with name spaces of its own. TestFullDiskIsTold does where there is none.
func TestFullDisk(t *testing.T) {
	if !testkit.MayMount(t) {
		return
	}
	refused := map[string]int{}
	for pages := 1; pages <= 24; pages++ {
		dir := t.TempDir()
		options := fmt.Sprintf("size=%d,nr_inodes=%d", 24*os.Getpagesize(), 14+pages%3) // three inodes for each artifact
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
			t.Fatal(err)
		}
		refused[fillDisk(t, open(t, dir), dir, pages)]++
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}
	for _, step := range []string{"open data", "write data", "mkdir", "open sidecar", "write sidecar"} {
		if refused[step] == 0 {
			t.Errorf("nothing was refused at the step %q: %v", step, refused)
		}
	}
}

// fillDisk puts artifacts of so many pages until one does not fit, and looks
// at what there is then. It returns the step at which there was no room.
func fillDisk(t *testing.T, s *dirstore.Store, dir string, pages int) (step string) {
	t.Helper()
	data := bytes.Repeat([]byte("p"), pages*os.Getpagesize())
	var err error
	stored := 0
	for ; err == nil && stored < 100; stored++ {
		before := files(t, dir)
		if _, err = s.Put(t.Context(), fmt.Sprintf("%da.png", stored), "image/png", bytes.NewReader(data)); err == nil {
			continue
		}
		if f := fault.From(err); f.Code != sdkapi.StorageFull || !strings.Contains(f.Message, "free space there") {
			t.Errorf("%d pages: Put: %v; want %s that says what to do", pages, err, sdkapi.StorageFull)
		}
		if after := files(t, dir); strings.Join(after, " ") != strings.Join(before, " ") {
			t.Errorf("%d pages: a Put that failed left %q where there was %q", pages, after, before)
		}
	}
	for i := range stored - 1 {
		got := new(bytes.Buffer)
		r, _, err := s.Get(t.Context(), fmt.Sprintf("%da.png", i), 0, -1)
		if err == nil {
			_, err = got.ReadFrom(r)
			_ = r.Close()
		}
		if err != nil || !bytes.Equal(got.Bytes(), data) {
			t.Errorf("%d pages: artifact %d of %d: %d bytes, %v", pages, i, stored-1, got.Len(), err)
		}
	}
	if err := s.Ready(t.Context()); err != nil && fault.CodeOf(err) != sdkapi.StorageFull {
		t.Errorf("%d pages: Ready: %v", pages, err)
	}
	if stored > 1 {
		if err := s.Delete(t.Context(), "0a.png"); err != nil {
			t.Errorf("%d pages: Delete: %v", pages, err)
		}
		mustPut(t, s, "0a.png", string(data)) // there is room again
	}
	return stepOf(err)
}

// stepOf returns at which step of a Put there was no room.
func stepOf(err error) string {
	var at *fs.PathError
	switch {
	case !errors.As(err, &at):
		return "unknown"
	case at.Op == "mkdir":
		return at.Op
	case strings.HasSuffix(at.Path, ".json"):
		return at.Op + " sidecar"
	}
	return at.Op + " data"
}
