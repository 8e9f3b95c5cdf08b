//go:build unix

package rootfs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	experimental "github.com/tetratelabs/wazero/experimental/sys"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools/rootfs"
)

// These tests attack: nothing outside the mount may be read or changed.

// secret fails the test if the guest printed what lies outside.
func secret(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		if strings.Contains(line, "SECRET") {
			t.Errorf("the secret is out: %s", line)
		}
	}
}

func TestGuestFollowsLinks(t *testing.T) {
	t.Parallel()
	dir, outside := furnish(t)
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	const perm = "error 63 "
	steps := [][2]string{ // what the guest tries, and how its answer begins
		{"read:/data/in", "ok here"},
		{"read:/data/into/file", "ok deep"},
		{"readdir:/data/into", "ok 2"},
		{"read:/data/pipe", perm},
		{"write:/data/pipe", perm},
		{"read:/data/socket", perm},
		{"read:/data/out", perm},
		{"read:/data/absolute", perm},
		{"read:/data/chain", perm},
		{"read:/data/outto/secret", perm},
		{"read:/data/into/up", perm},
		{"stat:/data/outto/secret", perm},
		{"readdir:/data/outto", perm},
		{"readdir:/data/rootlink", perm},
		{"read:/data/rootlink/etc/passwd", perm},
		{"mkdir:/data/outto/new", perm},
		{"remove:/data/outto/secret", perm},
		{"rename:/data/file:/data/outto/new", perm},
		{"rename:/data/outto/secret:/data/new", perm},
		{"write:/data/out", perm},
		{"write:/data/outnew", perm},
		{"chtimes:/data/out", perm},
		{"truncate:/data/out", perm},
		{"symlink:../outside/secret:/data/new", perm},
		{"symlink:file:/data/new", perm},
		{"link:/data/file:/data/new", perm},
		{"link:/data/out:/data/new", perm},
		{"read:/data/new", "error 44 "}, // there is none
		{"read:/data/../outside/secret", "error "},
		{"read:/../../../../../../etc/passwd", "error "},
		{"read:/dev/zero", "error "},
		{"read:/proc/self/environ", "error "},
		{"read:/data/" + longName, "error 37 "},
		{"rename:/data/out:/data/full/out", "ok"}, // the link itself, to where it leads nowhere
		{"read:/data/full/out", "error 44 "},
		{"rename:/data/full/up:/data/up", "ok"}, // and to where it leads further out
		{"read:/data/up", perm},
		{"remove:/data/outto", "ok"},
	}
	args := []string{"try"}
	for _, step := range steps {
		args = append(args, step[0])
	}
	got := run(t, open(t, dir, rootfs.Options{Write: true}), args...)
	secret(t, got)
	for i, step := range steps {
		if i >= len(got) || !strings.HasPrefix(got[i], step[0]+" = "+step[1]) {
			t.Fatalf("got %q, want %q", got[min(i, len(got)-1)], step)
		}
	}
	untouched(t, "all", outside)
}

// TestGuestSpeaksWASI passes paths as they are, past Go's library.
func TestGuestSpeaksWASI(t *testing.T) {
	t.Parallel()
	dir, outside := furnish(t)
	got := run(t, open(t, dir, rootfs.Options{Write: true}), "raw", "file", "../outside/secret", "..", "./..", "full/../../outside/secret",
		"into/../../outside/secret", "outto/secret", "outto/../../outside/secret", "/../outside/secret", outside+"/secret",
		"out", "out/", "out/.", "./out", "into//up", "absolute", "rootlink/etc/passwd", "pipe", "outnew", "fileNUL", "../NULoutside/secret",
		longName, longPath, deepPath)
	secret(t, got)
	opened := 0
	for _, line := range got {
		if strings.Contains(line, "OPENED") {
			opened++
			if !strings.HasPrefix(line, `"file" `) {
				t.Errorf("this should not open: %s", line)
			}
		}
		if strings.HasPrefix(line, "link to") && strings.HasSuffix(line, "errno 0") {
			t.Errorf("this link should not be: %s", line)
		}
	}
	if opened != 4 { // all but as a folder
		t.Errorf("the file opened %d times:\n%s", opened, strings.Join(got, "\n"))
	}
	if _, err := os.Lstat(filepath.Join(dir, "new-link")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the guest made a link: %v", err)
	}
	untouched(t, "all", outside)
}

// TestMagicLinks mounts a folder whose links the kernel follows by itself.
func TestMagicLinks(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/root"); err != nil {
		testkit.Skip(t, "/proc", "Linux has it")
	}
	_, outside := furnish(t)
	held, err := os.Open(filepath.Join(outside, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Close() }()
	fsys := open(t, "/proc", rootfs.Options{}).FS()
	for _, name := range []string{"self/root", "self/root/etc/passwd", "self/cwd", "self/cwd/tree.go", "self/exe",
		fmt.Sprintf("self/fd/%d", held.Fd())} {
		if errno := opening(name, rdonly)(fsys); errno != experimental.EPERM {
			t.Errorf("%s: %v, want %v", name, errno, experimental.EPERM)
		}
	}
}

// flip makes name one thing and another by turns, until the test ends.
func flip(t *testing.T, name, one, other string) {
	t.Helper()
	stop := make(chan struct{})
	var wait sync.WaitGroup
	t.Cleanup(func() { close(stop); wait.Wait() })
	wait.Go(func() {
		for {
			for _, from := range []string{one, other} {
				select {
				case <-stop:
					return
				default:
				}
				if os.Rename(from, name) == nil {
					_ = os.Rename(name, from)
				}
			}
		}
	})
}

// race calls do many times, and on until each of the outcomes was seen in what
// it returns: otherwise the two sides never met.
func race(t *testing.T, do func() string, outcomes ...string) {
	t.Helper()
	seen := map[string]bool{}
	end := time.Now().Add(raceFor)
	for len(seen) < len(outcomes) || time.Until(end) > raceFor-raceAtLeast {
		got := do()
		for _, outcome := range outcomes {
			if strings.Contains(got, outcome) {
				seen[outcome] = true
			}
		}
		if time.Now().After(end) {
			t.Fatalf("saw %v, want each of %q", seen, outcomes)
		}
	}
}

// How long a race lasts, and how long it may take until all was seen.
const (
	raceAtLeast = 300 * time.Millisecond
	raceFor     = 30 * time.Second
)

// TestGuestRacesTheHost has a folder become a link out and back while the
// guest reads and writes in it. Both kinds of outcome must have been seen.
func TestGuestRacesTheHost(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	lay(t, base, map[string]string{"mount/one/file": "inside", "outside/file": "SECRET", "outside/secret": "SECRET"})
	if err := os.Symlink("../outside", filepath.Join(base, "mount", "other")); err != nil {
		t.Fatal(err)
	}
	m := open(t, filepath.Join(base, "mount"), rootfs.Options{Write: true})
	flip(t, filepath.Join(base, "mount", "dir"), filepath.Join(base, "mount", "one"), filepath.Join(base, "mount", "other"))
	race(t, func() string {
		got := run(t, m, "flip", "200")
		secret(t, got)
		all := strings.Join(got, "\n")
		if strings.Contains(all, "saw secret") {
			t.Fatalf("the guest saw\n%s", all)
		}
		return all
	}, "inside ", "error ")
	if entries, err := os.ReadDir(filepath.Join(base, "outside")); err != nil || len(entries) != 2 {
		t.Errorf("outside lies %v, %v", entries, err)
	}
}

// TestPipeInAFilesPlace has a file become a pipe and back while it is opened.
// A pipe must never be opened, and nobody may wait for its other end.
func TestPipeInAFilesPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lay(t, dir, map[string]string{"one": "inside"})
	if err := syscall.Mkfifo(filepath.Join(dir, "other"), 0o600); err != nil {
		t.Fatal(err)
	}
	fsys := open(t, dir, rootfs.Options{Write: true}).FS()
	flip(t, filepath.Join(dir, "name"), filepath.Join(dir, "one"), filepath.Join(dir, "other"))
	race(t, func() string {
		f, errno := fsys.OpenFile("name", rdonly, 0)
		if errno != 0 {
			return errno.Error()
		}
		if st, errno := f.Stat(); errno != 0 || !st.Mode.IsRegular() {
			t.Fatalf("opened %v, %v", st.Mode, errno)
		}
		return f.Close().Error()
	}, "success", "not permitted")
}

// TestLinkInAFilesPlace does so with a link, for a guest that does not follow
// links.
func TestLinkInAFilesPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lay(t, dir, map[string]string{"one": "one", "target": "target"})
	if err := os.Symlink("target", filepath.Join(dir, "other")); err != nil {
		t.Fatal(err)
	}
	fsys := open(t, dir, rootfs.Options{}).FS()
	flip(t, filepath.Join(dir, "name"), filepath.Join(dir, "one"), filepath.Join(dir, "other"))
	buf := make([]byte, 10)
	race(t, func() string {
		f, errno := fsys.OpenFile("name", rdonly|nolink, 0)
		if errno != 0 {
			return errno.Error()
		}
		defer f.Close()
		if n, _ := f.Read(buf); string(buf[:n]) != "one" {
			t.Fatalf("read %q", buf[:n])
		}
		return "one"
	}, "one", "symbolic link")
}
