//go:build unix

package terminal

import (
	"encoding/json"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe in the folder is not waited for, and no change of it is shown.
func TestPipeIsNotOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "p"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := filesOf(t, dir)
	read := make(chan *change, 1)
	go func() {
		note := f.watch("c1", json.RawMessage(`{"path":"p","text":"x"}`))
		note()
		read <- f.planned(json.RawMessage(`{"path":"p","text":"x"}`))
	}()
	select {
	case c := <-read:
		if c == nil || c.diff() != "" || c.kind() != "changed" {
			t.Errorf("%+v", c)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for somebody who writes into the pipe")
	}
}
