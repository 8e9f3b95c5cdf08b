//go:build unix

package files_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/windieos/windie/client/computer/files"
)

// secret is what files outside of the folder, and of git, hold.
const secret = "the-secret-of-another-folder"

// playground makes a working folder with all kinds of ways out, beside a folder that nothing may reach.
func playground(t *testing.T) (work, outside string) {
	t.Helper()
	base := t.TempDir()
	work, outside = filepath.Join(base, "work"), filepath.Join(base, "outside")
	put(t, outside, "secret", secret)
	put(t, outside, "folder/secret", secret)
	put(t, base, "work2/secret", secret) // begins as the working folder does
	put(t, work, "mine", "mine")
	put(t, work, "sub/mine", "mine")
	put(t, work, ".git/config", secret)
	put(t, work, ".git/hooks/pre-commit", secret)
	put(t, work, "sub/.git/config", secret)
	for name, to := range map[string]string{
		"link": outside, "file-link": filepath.Join(outside, "secret"), "up": "..", "up-twice": "sub/../..", "relative": "../outside",
		"sub/up": "../../outside", "chain": "chain2", "chain2": "relative", "loop": "loop", "proc": "/proc/self/root", "cwd": "/proc/self/cwd",
		"fd": "/dev/fd", "dangling": filepath.Join(outside, "new"), "to-git": ".git", "sub/to-git": "../.git/hooks", "root": "/",
	} {
		if err := os.Symlink(to, filepath.Join(work, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(work, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mknod(filepath.Join(work, "device"), syscall.S_IFCHR|0o600, 1<<8|3); err != nil { // as root alone
		if err := os.Symlink("/dev/null", filepath.Join(work, "device")); err != nil {
			t.Fatal(err)
		}
	}
	return work, outside
}

// ways are paths that no tool may read or change, as the absolute folder outside is named.
func ways(work, outside string) []string {
	return []string{
		"../outside/secret", "sub/../../outside/secret", "./../outside/secret", "sub/./.././../outside/secret", outside + "/secret",
		work + "/../outside/secret", work + "2/secret", "link/secret", "link/folder/secret", "file-link", "up/outside/secret", "up-twice/outside/secret",
		"relative/secret", "sub/up/secret", "chain/secret", "loop", "proc" + outside + "/secret", "cwd/files.go", "fd/0", "root" + outside + "/secret",
		"dangling", "pipe", "device", "pipe/x", "..", "../work2/secret", "sub/../../work2/secret", "secret\x00", "..\x00/outside/secret", "//" + outside + "/secret",
		"file:///etc/passwd", "~/.bashrc", "$HOME/.bashrc", "<(cat " + outside + "/secret)", `..\outside\secret`,
	}
}

// keeps calls a tool that must not give the secret, nor wait for a pipe.
func (m *machine) keeps(t *testing.T, tool string, in arguments) {
	t.Helper()
	got := m.call(t.Context(), t, tool, in)
	if strings.Contains(got, secret) {
		t.Errorf("%s %v: %.100s", tool, in, got)
	}
}

// Of all attempts to leave the folder none succeeds: nothing outside is read, made or changed.
func TestNothingLeaves(t *testing.T) {
	t.Parallel()
	work, outside := playground(t)
	m := open(t, work, files.Rules{Remove: true})
	before := listing(t, filepath.Dir(work), "work")
	attempts := 0
	for _, way := range ways(work, outside) {
		for name, in := range map[string]arguments{
			"file.list": {"path": way}, "file.read": {"path": way}, "file.stat": {"path": way, "sum": true}, "file.find": {"pattern": "*", "path": way},
			"file.grep": {"pattern": "secret", "path": way}, "file.write": {"path": way, "text": "x"},
			"file.write_chunk": {"path": way, "size": 1, "sha256": sumOf("x"), "offset": 0, "content": "x"},
			"file.edit":        {"path": way, "old": "the", "new": "x"}, "file.mkdir": {"path": way + "/made"},
		} {
			attempts++
			m.keeps(t, name, in)
		}
		attempts += 2
		for _, in := range []arguments{{"from": way, "to": "moved"}, {"from": "mine", "to": way, "replace": true}} {
			m.keeps(t, "file.move", in)
			put(t, work, "mine", "mine")
			m.keeps(t, "file.read", arguments{"path": "moved"})
			_ = os.RemoveAll(filepath.Join(work, "moved"))
		}
		if after := listing(t, filepath.Dir(work), "work"); after != before {
			t.Fatalf("%q changed what is outside:\n%s\nbefore:\n%s", way, after, before)
		}
	}
	if attempts < 200 {
		t.Errorf("only %d attempts", attempts)
	}
	t.Logf("%d attempts", attempts)
}

// What git keeps is not changed, however it is spelled and reached.
func TestGitIsNotChanged(t *testing.T) {
	t.Parallel()
	work, _ := playground(t)
	m := open(t, work, files.Rules{Remove: true})
	before := listing(t, filepath.Join(work, ".git"), "") + listing(t, filepath.Join(work, "sub/.git"), "")
	attempts := 0
	for _, folder := range []string{".git", ".GIT", ".Git", "./.git", "sub/../.git", "sub/.git", ".git/.", ".g\u200cit", ".git ", ".git.", "GIT~1", ".git::$INDEX_ALLOCATION", "to-git", "sub/to-git", "./sub/to-git/.", work + "/.git"} {
		for _, file := range []string{"config", "hooks/pre-commit", "hooks/post-checkout", "info/attributes", "new/file"} {
			way := folder + "/" + file
			for name, in := range map[string]arguments{
				"file.write": {"path": way, "text": "x"}, "file.write_chunk": {"path": way, "size": 1, "sha256": sumOf("x"), "offset": 0, "content": "x"},
				"file.edit": {"path": way, "old": "the", "new": "x"}, "file.mkdir": {"path": way + "/made"}, "file.remove": {"path": way},
			} {
				attempts++
				m.is(t, "failed: ", name, in)
			}
			attempts += 2
			for _, in := range []arguments{{"from": "mine", "to": way, "replace": true}, {"from": way, "to": "moved"}} {
				m.is(t, "failed: ", "file.move", in)
			}
		}
	}
	for _, in := range []arguments{{"from": "sub", "to": ".git", "replace": true}, {"from": ".git", "to": "x"}, {"from": "mine", "to": ".git", "replace": true}} {
		m.is(t, "failed: ", "file.move", in)
	}
	if after := listing(t, filepath.Join(work, ".git"), "") + listing(t, filepath.Join(work, "sub/.git"), ""); after != before {
		t.Errorf("git's folder has changed:\n%s\nbefore:\n%s", after, before)
	}
	if _, err := os.Lstat(filepath.Join(work, ".git ")); err == nil {
		t.Error("a folder was made that some file systems take for git's")
	}
	t.Logf("%d attempts", attempts)
}

// While a folder is exchanged for a link out, again and again, nothing outside is read or written.
func TestRaces(t *testing.T) {
	t.Parallel()
	work, outside := playground(t)
	put(t, work, "real/secret", "mine")
	flip := filepath.Join(work, "flip")
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			stays := time.After(0)
			if n%2 == 1 { // the link of before leads inside: a read must have the time to follow it, more on a busy machine
				stays = time.After(time.Duration(200+n) * time.Microsecond)
			}
			select {
			case <-done:
				return
			case <-stays:
			}
			_ = os.RemoveAll(flip) // a write between the two makes a folder of that name
			_ = os.Symlink([]string{"real", outside, "real", "pipe", "real", "../outside"}[n%6], flip)
		}
	}()
	m := open(t, work, files.Rules{Remove: true})
	before := listing(t, outside, "")
	read := 0
	for i := 0; i < 200 || read == 0 && i < 5000; i++ {
		for range 10 {
			got := m.call(t.Context(), t, "file.read", arguments{"path": "flip/secret"})
			if strings.Contains(got, secret) {
				t.Fatalf("round %d: %s", i, got)
			}
			if strings.Contains(got, "mine") {
				read++
			}
		}
		m.call(t.Context(), t, "file.write", arguments{"path": fmt.Sprintf("flip/new-%d", i%7), "text": "x"})
		m.call(t.Context(), t, "file.edit", arguments{"path": "flip/secret", "old": "the-secret", "new": "x"})
		m.call(t.Context(), t, "file.remove", arguments{"path": "flip/folder/secret"})
	}
	close(done)
	<-ended
	if after := listing(t, outside, ""); after != before {
		t.Errorf("what is outside has changed:\n%s\nbefore:\n%s", after, before)
	}
	if read == 0 {
		t.Error("the file inside was never read: the race is no race")
	}
}

// listing returns all below a folder but one entry of it, with contents.
func listing(t *testing.T, dir, but string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if but != "" && name == filepath.Join(dir, but) {
			return fs.SkipDir
		}
		content := ""
		if d.Type().IsRegular() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			content = string(data)
		}
		fmt.Fprintf(&b, "%s %s %q\n", name, d.Type(), content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A new file has the permissions that the umask leaves, as of any other program; a file that is replaced keeps its own.
func TestUmask(t *testing.T) { // not parallel: the umask is of the whole process
	defer syscall.Umask(syscall.Umask(0o027))
	dir := t.TempDir()
	m := open(t, dir, files.Rules{})
	put(t, dir, "old", "o")
	if err := os.Chmod(filepath.Join(dir, "old"), 0o606); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"new", "old"} {
		want := map[string]string{"new": `*"mode":"-rw-r-----"`, "old": `*"mode":"-rw----rw-"`}[name]
		m.is(t, `{"size":1}`, "file.write", arguments{"path": name, "text": "x"})
		m.is(t, want, "file.stat", arguments{"path": name})
		if name == "new" {
			name = "chunked"
		}
		m.is(t, `{"received":1,"done":true}`, "file.write_chunk", arguments{"path": name, "size": 1, "sha256": sumOf("x"), "offset": 0, "content": "x"})
		m.is(t, want, "file.stat", arguments{"path": name})
	}
}
