package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/windieos/windie/state/backup"
)

// archive writes some files into an archive, and returns its path.
func archive(t *testing.T) (path string, texts map[string]string) {
	t.Helper()
	path, texts = filepath.Join(t.TempDir(), "a.tar.zst"), map[string]string{}
	out, err := backup.Create(path, backup.Manifest{Version: "test", Schema: 7})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	for i, name := range []string{"windie.db", "artifacts/0b/0b0f.png", "memory/ada/ü.md", "empty"} {
		texts[name] = strings.Repeat(name, 1000*i)
		if name == "empty" {
			texts[name] = ""
		}
		from := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(from, []byte(texts[name]), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := out.Add(t.Context(), name, from); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Add(t.Context(), "gone", filepath.Join(t.TempDir(), "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Add of a file that is gone: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the archive can be seen before its end: %v", err)
	}
	m, err := out.Finish()
	if err != nil || len(m.Files) != len(texts) {
		t.Fatalf("%+v, %v", m, err)
	}
	return path, texts
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	path, texts := archive(t)
	to := filepath.Join(t.TempDir(), "out")
	m, err := backup.Extract(t.Context(), path, to)
	if err != nil || m.Schema != 7 || m.Version != "test" || len(m.Files) != len(texts) {
		t.Fatalf("%+v, %v", m, err)
	}
	for name, want := range texts {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the archive there is %v, %v", left, err)
	}
	if _, err := backup.Create(path, backup.Manifest{}); err == nil {
		t.Error("an archive could be replaced")
	}
}

// TestDamagedArchive cuts an archive short and changes bytes, at many places: nothing comes out. A
// bit that says nothing of the files may change: then they come out as they were.
func TestDamagedArchive(t *testing.T) {
	t.Parallel()
	path, texts := archive(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(t *testing.T, text []byte) {
		t.Helper()
		from, to := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "out")
		if err := os.WriteFile(from, text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := backup.Extract(t.Context(), from, to)
		if err == nil && len(text) == len(whole) {
			for name, want := range texts {
				if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != want {
					t.Errorf("%s came out as %d bytes, %v", name, len(got), err)
				}
			}
			return
		}
		if !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("%v", err)
		}
		if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("something came out: %v", err)
		}
	}
	for i := range 20 {
		at := len(whole) * i / 20
		t.Run(fmt.Sprint("cut at ", at), func(t *testing.T) { try(t, whole[:at]) })
		t.Run(fmt.Sprint("changed at ", at), func(t *testing.T) {
			wrong := bytes.Clone(whole)
			wrong[at] ^= 0x10
			try(t, wrong)
		})
	}
}

// TestForeignArchive gets files out of no folder but its own.
func TestForeignArchive(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]tar.Header{
		"a way out":        {Name: "../evil", Typeflag: tar.TypeReg},
		"an absolute path": {Name: "/tmp/evil", Typeflag: tar.TypeReg},
		"a link":           {Name: "evil", Typeflag: tar.TypeSymlink, Linkname: "/etc"},
	} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			zip, err := zstd.NewWriter(&text)
			if err != nil {
				t.Fatal(err)
			}
			out := tar.NewWriter(zip)
			if err := errors.Join(out.WriteHeader(&header), out.Close(), zip.Close()); err != nil {
				t.Fatal(err)
			}
			from := filepath.Join(t.TempDir(), "a")
			if err := os.WriteFile(from, text.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := backup.Extract(t.Context(), from, filepath.Join(t.TempDir(), "out")); !errors.Is(err, backup.ErrDamaged) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	path, _ := archive(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := backup.Extract(ctx, path, filepath.Join(t.TempDir(), "out")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A folder that is not there is named, and not the file that is made first.
func TestCreateWithoutFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	_, err := backup.Create(filepath.Join(dir, "b.tar.zst"), backup.Manifest{})
	if err == nil || !strings.Contains(err.Error(), "the folder "+dir+": ") {
		t.Errorf("%v", err)
	}
}
