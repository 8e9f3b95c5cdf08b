package memory_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// TestFullDisk writes entries of every size to a small disk until one does not
// fit: it is refused, the file is as it was before, and nothing else is left.
//
// The disks are real ones, in memory, which takes a process that may mount: one
// with name spaces of its own.
func TestFullDisk(t *testing.T) {
	if !testkit.MayMount(t) {
		return
	}
	db := sqlite(t)
	for i := range 12 {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", 24*os.Getpagesize())); err != nil {
			t.Fatal(err)
		}
		m, err := memory.Open(db, memory.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		fillDisk(t, m, dir, 1000*(i+1))
		if err := errors.Join(m.Close(), syscall.Unmount(dir, 0)); err != nil {
			t.Error(err)
		}
	}
}

// TestDeleteOnFullDisk deletes a file while its history cannot be written anew: nothing is removed, so that the file can be
// deleted, with the words of its history, once there is room.
func TestDeleteOnFullDisk(t *testing.T) {
	if !testkit.MayMount(t) {
		return
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", 32*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	n := remember(t, sqlite(t), memory.Options{Dir: dir})
	change := func(name, text string) {
		n.put("ada/"+name, "a secret\n")
		if _, err := n.Change(t.Context(), "ada", name, memory.Edit{LineStart: 1, Was: "a secret\n", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	change("memory/a.md", "nothing\n")
	change("memory/b.md", strings.Repeat("b", 4*os.Getpagesize())) // more than what goes with the other
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 33*os.Getpagesize()), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	wantCode(t, "on a full disk", n.Delete(t.Context(), "ada", "memory/a.md"), sdkapi.StorageFull)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := n.Delete(t.Context(), "ada", "memory/a.md"); err != nil {
		t.Errorf("once there is room: %v", err)
	}
	if kept := n.changed("ada"); !slices.Equal(kept, []string{"memory/b.md"}) {
		t.Errorf("changes are kept of %v", kept)
	}
}

func fillDisk(t *testing.T, m *memory.Memory, dir string, size int) {
	t.Helper()
	entry := memory.Entry{Kind: memory.LongTerm, Text: strings.Repeat("f", size)}
	name := filepath.Join(dir, "ada", "memory", "MEMORY.md")
	for n := 0; ; n++ {
		before, _ := os.ReadFile(name) // there is none at first
		_, err := m.Write(t.Context(), "ada", entry)
		if err == nil && n < 1000 {
			continue
		}
		if f := fault.From(err); f == nil || f.Code != sdkapi.StorageFull || !strings.Contains(f.Message, "free some space") {
			t.Errorf("%d bytes: %v; want %s that says what to do", size, err, sdkapi.StorageFull)
		}
		after, err := os.ReadFile(name)
		if err != nil || n == 0 || !bytes.Equal(before, after) || strings.Count(string(after), "\n## ") != n {
			t.Errorf("%d bytes: after %d entries, %d bytes became %d, %v", size, n, len(before), len(after), err)
		}
		if entries, err := os.ReadDir(filepath.Dir(name)); err != nil || len(entries) != 1 {
			t.Errorf("%d bytes: %v, %v", size, entries, err)
		}
		return
	}
}
