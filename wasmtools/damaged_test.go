package wasmtools_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// A plugin opens although its machine code on disk is damaged, or cannot be kept; what was damaged is made anew.
func TestCompiledPluginThatIsDamaged(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string, b []byte) error{
		"empty":   func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o600) },
		"zeros":   func(path string, b []byte) error { return os.WriteFile(path, make([]byte, len(b)), 0o600) },
		"cut":     func(path string, b []byte) error { return os.WriteFile(path, b[:len(b)/2], 0o600) },
		"one bit": func(path string, b []byte) error { b[len(b)/2] ^= 1; return os.WriteFile(path, b, 0o600) },
		"a file where the folder should be": func(path string, b []byte) error {
			folder := filepath.Dir(filepath.Dir(path))
			return firstError(os.RemoveAll(folder), os.WriteFile(folder, b, 0o600))
		},
		"no folder": func(path string, _ []byte) error {
			all := filepath.Dir(filepath.Dir(filepath.Dir(path)))
			return firstError(os.RemoveAll(all), os.WriteFile(all, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			e := newEngine(t, wasmtools.Config{CacheDir: dir})
			open := func() {
				t.Helper()
				p, err := e.Open(t.Context(), wasmtools.Source{Name: "echo", Module: wasmtest.Echo()}, wasmtools.Grant{})
				if err != nil {
					t.Fatal(err)
				}
				p.Close()
			}
			open()
			for _, path := range filesOf(t, dir) {
				b, err := os.ReadFile(path)
				if err == nil {
					err = damage(path, b)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			open()
			open()
		})
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// filesOf lists the files below dir.
func filesOf(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files in %s: %v", len(files), dir, err)
	}
	return files
}
