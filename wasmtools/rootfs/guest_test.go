package rootfs_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"go.uber.org/goleak"

	"github.com/windieos/windie/wasmtools/rootfs"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if runtime != nil {
			_ = runtime.Close(context.Background())
		}
		os.Exit(code)
	}))
}

// The guest program is built and compiled once for all tests.
var (
	runtime wazero.Runtime
	guest   = sync.OnceValues(buildGuest)
)

func buildGuest() (wazero.CompiledModule, error) {
	dir, err := os.MkdirTemp("", "guest")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	out := filepath.Join(dir, "guest.wasm")
	if err := tool([]string{"GOOS=wasip1", "GOARCH=wasm"}, "build", "-o", out, "./testdata/guest"); err != nil {
		return nil, err
	}
	const asInTests = "-ldflags=-X github.com/tetratelabs/wazero/internal/version.version=dev" // which is part of the cache's key
	if err := tool(nil, "run", asInTests, "./testdata/compile", out, dir); err != nil {
		return nil, err
	}
	module, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		return nil, err
	}
	return runtime.CompileModule(ctx, module)
}

// tool runs the go command.
func tool(env []string, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	text, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("go %s: %w: %s", args[0], err, text)
	}
	return nil
}

// run runs the guest with m at /data and more mounts at /more, and returns
// the lines it prints.
func run(t *testing.T, m *rootfs.Mount, args ...string) []string {
	t.Helper()
	return runWith(t, map[string]*rootfs.Mount{"/data": m}, args...)
}

func runWith(t *testing.T, mounts map[string]*rootfs.Mount, args ...string) []string {
	t.Helper()
	module, err := guest()
	if err != nil {
		t.Fatalf("building the guest: %v", err)
	}
	folders := wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(mounts["/data"].FS(), "/data")
	if more := mounts["/more"]; more != nil {
		folders = folders.(sysfs.FSConfig).WithSysFSMount(more.FS(), "/more")
	}
	var out bytes.Buffer
	config := wazero.NewModuleConfig().WithName("").WithArgs(append([]string{"guest"}, args...)...).
		WithFSConfig(folders).WithStdout(&out).WithStderr(&out).WithSysWalltime()
	instance, err := runtime.InstantiateModule(t.Context(), module, config)
	if err != nil {
		t.Fatalf("the guest fails: %v\n%s", err, &out)
	}
	if err := instance.Close(t.Context()); err != nil {
		t.Errorf("closing the guest: %v", err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func open(t *testing.T, dir string, opts rootfs.Options) *rootfs.Mount {
	t.Helper()
	m, err := rootfs.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Errorf("closing the mount: %v", err)
		}
	})
	return m
}

// lay writes files below dir; a name that ends in a slash is a folder.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		var err error
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(full, 0o700)
		} else {
			err = os.WriteFile(full, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// must fails the test unless lines are as wanted.
func must(t *testing.T, got []string, want ...string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

func TestGuestWorks(t *testing.T) {
	t.Parallel()
	m := open(t, t.TempDir(), rootfs.Options{Write: true})
	must(t, run(t, m, "work"), "worked")
	if m.Used() != 0 {
		t.Errorf("%d bytes are left on the books of an empty folder", m.Used())
	}
	if err := m.Exceeded(); err != nil {
		t.Errorf("a limit was met: %v", err)
	}
}

func TestGuestListsLargeFolders(t *testing.T) {
	t.Parallel()
	m := open(t, t.TempDir(), rootfs.Options{Write: true})
	must(t, run(t, m, "list", "1000"), "1000 1000 1000")
}

// TestGuestSeesAFileSystem runs Go's own suite for file systems in the guest.
func TestGuestSeesAFileSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lay(t, dir, map[string]string{"a.txt": "a", "b/c.txt": "c", "b/d/e.txt": strings.Repeat("e", 5_000), "empty/": ""})
	must(t, run(t, open(t, dir, rootfs.Options{}), "walk", "a.txt", "b/c.txt", "b/d/e.txt", "empty"), "walked true false")
}

// TestGuestReadOnly tries each change in a mount that allows no changes.
func TestGuestReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lay(t, dir, map[string]string{"a": "here", "d/": ""})
	const rofs = "error 69 Read-only file system"
	must(t, run(t, open(t, dir, rootfs.Options{}), "try", "read:/data/a", "readdir:/data", "write:/data/a", "write:/data/new",
		"truncate:/data/a", "mkdir:/data/e", "remove:/data/a", "remove:/data/d", "rename:/data/a:/data/b", "symlink:a:/data/l",
		"link:/data/a:/data/l", "chtimes:/data/a", "read:/data/a"),
		"read:/data/a = ok here",
		"readdir:/data = ok 2",
		"write:/data/a = "+rofs,
		"write:/data/new = "+rofs,
		"truncate:/data/a = "+rofs,
		"mkdir:/data/e = "+rofs,
		"remove:/data/a = "+rofs,
		"remove:/data/d = "+rofs,
		"rename:/data/a:/data/b = "+rofs,
		"symlink:a:/data/l = "+rofs,
		"link:/data/a:/data/l = "+rofs,
		"chtimes:/data/a = "+rofs,
		"read:/data/a = ok here",
	)
}

// TestGuestRenamesBetweenMounts expects wazero's answer for two mounts, and
// none at all for one mount in two places.
func TestGuestRenamesBetweenMounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lay(t, dir, map[string]string{"a": "here"})
	m, other := open(t, dir, rootfs.Options{Write: true}), open(t, t.TempDir(), rootfs.Options{Write: true})
	must(t, runWith(t, map[string]*rootfs.Mount{"/data": m, "/more": other}, "try", "rename:/data/a:/more/a"),
		"rename:/data/a:/more/a = error 52 Not implemented on wasip1")
	must(t, runWith(t, map[string]*rootfs.Mount{"/data": m, "/more": m}, "try", "rename:/data/a:/more/b", "read:/data/b"),
		"rename:/data/a:/more/b = ok ", "read:/data/b = ok here")
}

// TestGuestsAppendTogether runs two guests that append to one file.
func TestGuestsAppendTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := open(t, dir, rootfs.Options{Write: true})
	run(t, m, "append", "first", "0") // so that the guest is built
	var wait sync.WaitGroup
	for _, word := range []string{"one", "two"} {
		wait.Go(func() { run(t, m, "append", word, "200") })
	}
	wait.Wait()
	text, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), "one\n") != 200 || strings.Count(string(text), "two\n") != 200 || len(text) != 1600 {
		t.Errorf("the file has %d bytes, %d of one and %d of two", len(text), strings.Count(string(text), "one\n"), strings.Count(string(text), "two\n"))
	}
	if want := int64(len(text)) + rootfs.EntryCost; m.Used() != want {
		t.Errorf("%d bytes are on the books, want %d", m.Used(), want)
	}
}
