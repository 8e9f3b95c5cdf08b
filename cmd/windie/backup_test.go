package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/state/backup"
	"github.com/windieos/windie/state/journal"
)

// kept is the state of a gateway in a folder, until the test ends.
func kept(t *testing.T, dir string) *state {
	t.Helper()
	c := &config{DataDir: dir}
	s, err := openState(t.Context(), c, slog.New(slog.DiscardHandler), asMain)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sync.OnceFunc(s.close))
	return s
}

// written is what a writer had acknowledged.
type written struct {
	mu        sync.Mutex
	events    map[string]int64 // last number, by stream
	artifacts map[string]string
	values    int64
}

// write keeps events, artifacts and plugins' values until ctx ends.
func write(ctx context.Context, t *testing.T, s *state, done *written) {
	var all sync.WaitGroup
	for w := range 3 {
		stream := fmt.Sprintf("session/%d", w)
		all.Go(func() {
			for i := 1; ctx.Err() == nil; i++ {
				last, err := s.journal.Append(context.Background(), stream, journal.Event{Kind: "test", Data: json.RawMessage(fmt.Sprint(i))})
				if err != nil {
					t.Error(err)
					return
				}
				done.mu.Lock()
				done.events[stream] = last
				done.mu.Unlock()
			}
		})
	}
	all.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			id, text := fmt.Sprintf("a%06d.txt", i), strings.Repeat(fmt.Sprint("artifact ", i, " "), 50)
			if _, err := s.artifacts.For("ada").Put(context.Background(), id, "text/plain", strings.NewReader(text)); err != nil {
				t.Error(err)
				return
			}
			done.mu.Lock()
			done.artifacts[id] = text
			done.mu.Unlock()
		}
	})
	all.Go(func() {
		bucket := s.values.Plugin("notes", 10<<20)
		for i := 0; ctx.Err() == nil; i++ {
			if err := bucket.Set(context.Background(), fmt.Sprintf("key%06d", i), []byte("value")); err != nil {
				t.Error(err)
				return
			}
			done.mu.Lock()
			done.values = int64(i) + 1
			done.mu.Unlock()
		}
	})
	all.Wait()
}

// TestBackupUnderLoad backs up a folder that is written to, and finds in what is restored all that
// was acknowledged before the backup began.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	dir, file, fresh := t.TempDir(), filepath.Join(t.TempDir(), "windie.tar.zst"), filepath.Join(t.TempDir(), "restored")
	s := kept(t, dir)
	if _, err := s.memory.Write(t.Context(), "ada", memory.Entry{Kind: memory.LongTerm, Text: "The invoice is paid."}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "grants.json"), []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	done := &written{events: map[string]int64{}, artifacts: map[string]string{}}
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	writing.Go(func() { write(ctx, t, s, done) })
	snapshot := func() (events map[string]int64, files map[string]string, values int64) {
		done.mu.Lock()
		defer done.mu.Unlock()
		events, files = map[string]int64{}, map[string]string{}
		for k, v := range done.events {
			events[k] = v
		}
		for k, v := range done.artifacts {
			files[k] = v
		}
		return events, files, done.values
	}
	testkit.Eventually(t, "enough is written", func() (int, bool) {
		events, files, values := snapshot()
		return len(files), len(events) == 3 && len(files) > 20 && values > 5
	})
	events, files, values := snapshot()
	var said backedUp
	manage(t, dir, &said, "backup", file)
	stop()
	writing.Wait()
	if said.Artifacts < len(files) || said.Path != file || len(said.Warnings) > 0 {
		t.Errorf("%+v", said)
	}
	var back restored
	manage(t, fresh, &back, "restore", file)
	again := kept(t, fresh)
	for stream, last := range events {
		list, err := again.journal.Read(t.Context(), stream, last-1, 1)
		if err != nil || len(list) != 1 || string(list[0].Data) != fmt.Sprint(last) {
			t.Errorf("%s, event %d: %v, %v", stream, last, list, err)
		}
	}
	for id, text := range files {
		r, _, err := again.artifacts.For("ada").Get(t.Context(), id, 0, -1)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != text {
			t.Errorf("%s: %d bytes, %v", id, len(got), err)
		}
		_ = r.Close()
	}
	if _, n, err := again.values.Plugin("notes", 0).Usage(t.Context()); err != nil || n < values {
		t.Errorf("%d values, want %d: %v", n, values, err)
	}
	if text, err := os.ReadFile(filepath.Join(fresh, "memory", "ada", "memory", "MEMORY.md")); err != nil || !bytes.Contains(text, []byte("invoice")) {
		t.Errorf("the memory is %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(fresh, "grants.json")); err != nil {
		t.Error(err)
	}
}

// TestRestoreRefuses changes nothing where it must not.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "windie.tar.zst")
	s := kept(t, dir)
	if _, err := s.journal.Append(t.Context(), "session/a", journal.Event{Kind: "test"}); err != nil {
		t.Fatal(err)
	}
	if code, _, complaint := windie(t, nil, "backup", file, "--data-dir", dir); code != 0 {
		t.Fatal(complaint)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged, cut := filepath.Join(t.TempDir(), "damaged"), filepath.Join(t.TempDir(), "cut")
	wrong := bytes.Clone(whole)
	wrong[len(wrong)/2] ^= 1
	if err := errors.Join(os.WriteFile(damaged, wrong, 0o600), os.WriteFile(cut, whole[:len(whole)-20], 0o600)); err != nil {
		t.Fatal(err)
	}
	stopped := t.TempDir()
	if err := os.WriteFile(filepath.Join(stopped, "mine.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		says string
		args []string
	}{
		"a gateway runs":    {"stop the gateway first", []string{file, "--data-dir", dir, "--replace"}},
		"not empty":         {"--replace", []string{file, "--data-dir", stopped}},
		"damaged":           {"damaged", []string{damaged, "--data-dir", stopped, "--replace"}},
		"cut short":         {"damaged", []string{cut, "--data-dir", stopped, "--replace"}},
		"no such file":      {"no such file", []string{cut + ".not", "--data-dir", stopped, "--replace"}},
		"the name is taken": {"already exists", nil},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"restore"}, c.args...)
			if c.args == nil {
				args = []string{"backup", file, "--data-dir", dir}
			}
			if code, _, complaint := windie(t, nil, args...); code != exitFailed || !strings.Contains(complaint, c.says) {
				t.Errorf("%d %s", code, complaint)
			}
			if text, err := os.ReadFile(filepath.Join(stopped, "mine.txt")); err != nil || string(text) != "mine" {
				t.Errorf("what was there is %q, %v", text, err)
			}
		})
	}
	if code, _, complaint := windie(t, nil, "restore", file, "--data-dir", stopped, "--replace"); code != 0 {
		t.Fatal(complaint)
	}
	if left, err := namesOf(stopped, append(locks, databaseName, "memory", artifactsDir)...); err != nil || len(left) > 0 {
		t.Errorf("besides what was restored there is %q, %v", left, err)
	}
}

// TestHalfRestored refuses a folder in which a restore was broken off, until it is done again.
func TestHalfRestored(t *testing.T) {
	t.Parallel()
	dir, file, fresh := t.TempDir(), filepath.Join(t.TempDir(), "windie.tar.zst"), t.TempDir()
	kept(t, dir)
	if code, _, complaint := windie(t, nil, "backup", file, "--data-dir", dir); code != 0 {
		t.Fatal(complaint)
	}
	if err := os.WriteFile(filepath.Join(fresh, restoringName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, complaint := windie(t, nil, "user", "list", "--data-dir", fresh); code == 0 || !strings.Contains(complaint, "was interrupted") {
		t.Errorf("%d %s", code, complaint)
	}
	if code, _, complaint := windie(t, nil, "restore", file, "--data-dir", fresh, "--replace"); code != 0 {
		t.Fatal(complaint)
	}
	if code, _, complaint := windie(t, nil, "user", "list", "--data-dir", fresh); code != 0 {
		t.Errorf("%d %s", code, complaint)
	}
}

// A small backup is not said to be empty.
func TestBackupSaysItsSize(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	if err := (backedUp{Path: "b.tar.zst", Files: 8, Bytes: 84, Artifacts: 1}).print(&said); err != nil {
		t.Fatal(err)
	}
	if want := "b.tar.zst has 84 bytes; files: 8, artifacts among them: 1\n"; said.String() != want {
		t.Errorf("%q; expected %q", said.String(), want)
	}
}

// A log that is truncated, and an artifact that is deleted, while the backup adds them are in the
// backup as they were.
func TestBackupOfChangingFiles(t *testing.T) {
	t.Parallel()
	const size = 8 << 20 // half of it is more than the rest of the folder
	log, data, sidecar := "agent.log", filepath.Join(artifactsDir, "a0", "a000001.txt"), filepath.Join(artifactsDir, "a0", "a000001.txt.json")
	for name, tt := range map[string]struct {
		large  string // the file that is being added during the change
		change func(dir string) error
	}{
		"a log is truncated":   {log, func(dir string) error { return os.Truncate(filepath.Join(dir, log), 0) }},
		"a sidecar is deleted": {data, func(dir string) error { return os.Remove(filepath.Join(dir, sidecar)) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, to, fresh := t.TempDir(), filepath.Join(t.TempDir(), "windie.tar.zst"), filepath.Join(t.TempDir(), "restored")
			s, length := kept(t, dir), map[string]int{log: 1, data: 1, tt.large: size}
			if _, err := s.artifacts.For("ada").Put(t.Context(), "a000001.txt", "text/plain", strings.NewReader(strings.Repeat("x", length[data]))); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, log), make([]byte, length[log]), 0o600); err != nil {
				t.Fatal(err)
			}
			changed := false
			ctx := progress.To(t.Context(), func(step progress.Step) {
				if step.Bytes && step.Done > size/2 && !changed {
					changed = true
					if err := tt.change(dir); err != nil {
						t.Error(err)
					}
				}
			})
			done, err := (&config{DataDir: dir}).backup(ctx, to)
			if err != nil || !changed || done.Artifacts != 1 {
				t.Fatalf("%+v, %v; changed: %v", done, err, changed)
			}
			if _, err := backup.Extract(t.Context(), to, fresh); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{log, data, sidecar} {
				if info, err := os.Stat(filepath.Join(fresh, file)); err != nil || length[file] > 0 && info.Size() != int64(length[file]) {
					t.Errorf("%s: %v, want %d bytes: %v", file, info, length[file], err)
				}
			}
		})
	}
}

// A file with the reserved name of an archive's manifest is left out and named. The backup can be
// restored.
func TestBackupOfReservedName(t *testing.T) {
	t.Parallel()
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "windie.tar.zst")
	kept(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said, complaint := windie(t, nil, "backup", file, "--data-dir", dir); code != exitFailed || !strings.Contains(said, "manifest.json is not in the backup") {
		t.Errorf("%d %s %s", code, said, complaint)
	}
	if code, _, complaint := windie(t, nil, "restore", file, "--data-dir", filepath.Join(t.TempDir(), "fresh")); code != 0 {
		t.Errorf("%d %s", code, complaint)
	}
}
