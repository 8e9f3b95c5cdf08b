package dirstore_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// TestFiles looks at what a Put leaves in the folder.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "if", "need", "be")
	info := mustPut(t, open(t, dir), "0b0f3c1e.png", "content")
	perm := map[string]fs.FileMode{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		stat, err := d.Info()
		if err != nil {
			return err
		}
		name, err = filepath.Rel(dir, name)
		perm[filepath.ToSlash(name)] = stat.Mode()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{
		".": fs.ModeDir | 0o700, "tmp": fs.ModeDir | 0o700, "0b": fs.ModeDir | 0o700, "0b/0b0f3c1e.png": 0o600, "0b/0b0f3c1e.png.json": 0o600,
	} {
		t.Run(name, func(t *testing.T) {
			if perm[name] != want {
				t.Errorf("%s is %v, want %v", name, perm[name], want)
			}
			delete(perm, name)
		})
	}
	if len(perm) > 0 {
		t.Errorf("there is more: %v", perm)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "0b", "0b0f3c1e.png")); err != nil || string(data) != "content" {
		t.Errorf("the data are %q, %v", data, err)
	}
	var about map[string]any
	text, _ := os.ReadFile(filepath.Join(dir, "0b", "0b0f3c1e.png.json"))
	if err := json.Unmarshal(text, &about); err != nil {
		t.Fatal(err)
	}
	if about["content_type"] != "image/png" || about["sha256"] != info.SHA256 || about["size_bytes"] != 7.0 ||
		about["created_at"] != info.CreatedAt.Format(time.RFC3339) {
		t.Errorf("the sidecar says %s, Put returned %+v", text, info)
	}
}

// TestFailuresLeaveNoFiles fails Puts in several ways and counts files.
func TestFailuresLeaveNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	mustPut(t, s, "first.png", "first")
	before := files(t, dir)
	for id, r := range map[string]io.Reader{
		"broken.png": io.MultiReader(strings.NewReader("half"), brokenReader{}),
		"first.png":  strings.NewReader("second"),
		"no id":      strings.NewReader("x"),
	} {
		t.Run(id, func(t *testing.T) {
			if info, err := s.Put(t.Context(), id, "image/png", r); err == nil {
				t.Errorf("Put of %s: %+v", id, info)
			}
		})
	}
	if after := files(t, dir); !slices.Equal(before, after) {
		t.Errorf("the files were %q and are now %q", before, after)
	}
}

// TestDeleteLeavesNoFiles counts files after a Delete.
func TestDeleteLeavesNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	mustPut(t, s, "first.png", "first")
	if err := s.Delete(t.Context(), "first.png"); err != nil {
		t.Fatal(err)
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("there is still %q", left)
	}
}

// TestDamage changes an artifact's files behind the store's back.
func TestDamage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		damage func(data string) error
		want   sdkapi.Code
	}{
		{"data gone", os.Remove, sdkapi.ArtifactNotFound},
		{"sidecar gone", func(data string) error { return os.Remove(data + ".json") }, sdkapi.ArtifactNotFound},
		{"data cut short", func(data string) error { return os.Truncate(data, 3) }, sdkapi.ArtifactDamaged},
		{"sidecar cut short", func(data string) error { return os.Truncate(data+".json", 20) }, sdkapi.ArtifactDamaged},
		{"another's sidecar", func(data string) error { // as where a.png and A.png are one file
			text, err := os.ReadFile(data + ".json")
			if err != nil {
				return err
			}
			return os.WriteFile(data+".json", bytes.ReplaceAll(text, []byte("first.png"), []byte("FIRST.png")), 0o600)
		}, sdkapi.ArtifactNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			mustPut(t, s, "first.png", "first")
			if err := c.damage(filepath.Join(dir, "fi", "first.png")); err != nil {
				t.Fatal(err)
			}
			if info, err := s.Stat(t.Context(), "first.png"); fault.CodeOf(err) != c.want {
				t.Errorf("%s: Stat: %+v, %v; want %s", c.name, info, err, c.want)
			}
			r, info, err := s.Get(t.Context(), "first.png", 0, -1)
			if fault.CodeOf(err) != c.want {
				t.Errorf("%s: Get: %+v, %v; want %s", c.name, info, err, c.want)
			}
			if r != nil {
				_ = r.Close()
			}
		})
	}
}

// TestShrinkingFile cuts a file short while it is read.
func TestShrinkingFile(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", artifacts.PieceSize/5) // two pieces
	for name, read := range map[string]func(io.Reader) (int64, error){
		"Read":    func(r io.Reader) (int64, error) { data, err := io.ReadAll(r); return int64(len(data)), err },
		"WriteTo": func(r io.Reader) (int64, error) { return io.Copy(io.Discard, r) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			mustPut(t, s, "first.png", text)
			r, _, err := s.Get(t.Context(), "first.png", 0, -1)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(filepath.Join(dir, "fi", "first.png"), artifacts.PieceSize+5); err != nil {
				t.Fatal(err)
			}
			if n, err := read(r); n != artifacts.PieceSize || fault.CodeOf(err) != sdkapi.ArtifactDamaged {
				t.Errorf("%s: %d bytes, then %v; want one piece and %s", name, n, err, sdkapi.ArtifactDamaged)
			}
			_ = r.Close()
		})
	}
}

// TestFileByHand puts a file into the folder by hand. It is no artifact, and
// no artifact replaces it.
func TestFileByHand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	mustPut(t, s, "hand1.png", "x") // makes the shard
	data := filepath.Join(dir, "ha", "hand2.png")
	if err := os.WriteFile(data, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), "hand2.png", "image/png", strings.NewReader("theirs")); fault.CodeOf(err) != sdkapi.Internal {
		t.Errorf("Put: %v", err)
	}
	if got, err := os.ReadFile(data); err != nil || string(got) != "mine" {
		t.Errorf("the file is now %q, %v", got, err)
	}
	if _, err := s.Stat(t.Context(), "hand2.png"); fault.CodeOf(err) != sdkapi.ArtifactNotFound {
		t.Errorf("Stat: %v", err)
	}
}

// TestStaleFiles opens a folder in which a crash left a file, and another
// process is writing one.
func TestStaleFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir)
	for name, age := range map[string]time.Duration{"old": 61 * time.Minute, "new": 59 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "tmp", name)
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			at := time.Now().Add(-age)
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		})
	}
	open(t, dir)
	if left := files(t, dir); !slices.Equal(left, []string{"tmp/new"}) {
		t.Errorf("what is left: %q", left)
	}
}

// TestRelativeFolder changes the working directory under an open store.
func TestRelativeFolder(t *testing.T) {
	parent := t.TempDir()
	t.Chdir(parent)
	s := open(t, "relative")
	mustPut(t, s, "before.png", "before")
	t.Chdir(t.TempDir())
	if _, err := s.Stat(t.Context(), "before.png"); err != nil {
		t.Errorf("Stat: %v", err)
	}
	mustPut(t, s, "after.png", "after")
	if _, err := os.Stat(filepath.Join(parent, "relative", "af", "after.png")); err != nil {
		t.Error(err)
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dirstore.Open(file); err == nil {
		t.Error("Open took a file for a folder")
	}
}

// TestLostFolder takes the folder away from an open store. The store must not
// make it again: most likely a disk is not mounted.
func TestLostFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "artifacts")
	s := open(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_, putErr := s.Put(t.Context(), "a.png", "image/png", strings.NewReader("x"))
	for call, err := range map[string]error{"Put": putErr, "Ready": s.Ready(t.Context())} {
		t.Run(call, func(t *testing.T) {
			f := fault.From(err)
			if fault.CodeOf(err) != sdkapi.StorageUnavailable || !strings.Contains(f.Message, "check that it exists") || strings.Contains(f.Message, dir) {
				t.Errorf("%s: %v", call, err)
			}
		})
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is back: %v", err)
	}
}

// TestReplacedFolder puts into a folder that took the place of the one that was opened.
func TestReplacedFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "artifacts")
	s := open(t, dir)
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	open(t, dir) // as another gateway does, or whoever restores a backup
	_, putErr := s.Put(t.Context(), "a.png", "image/png", strings.NewReader("x"))
	for call, err := range map[string]error{"Put": putErr, "Ready": s.Ready(t.Context())} {
		t.Run(call, func(t *testing.T) {
			if f := fault.From(err); fault.CodeOf(err) != sdkapi.StorageUnavailable || !strings.Contains(f.Message, "removed or replaced") {
				t.Errorf("%s: %v", call, err)
			}
		})
	}
}

// TestBytesChanged overwrites four bytes of an artifact, with sums of its pieces and without, and
// reads it. A part without damage can be read if there are sums.
func TestBytesChanged(t *testing.T) {
	t.Parallel()
	const size, at = 1_000_000, 600_000
	for _, sums := range []bool{true, false} {
		t.Run(fmt.Sprintf("sums %v", sums), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := open(t, dir)
			text := strings.Repeat("0123456789", size/10)
			mustPut(t, s, "first.png", text)
			if !sums {
				withoutSums(t, dir, "first.png")
			}
			file, err := os.OpenFile(filepath.Join(dir, "fi", "first.png"), os.O_RDWR, 0)
			if err == nil {
				_, err = file.WriteAt([]byte("oops"), at)
			}
			if err != nil {
				t.Fatal(err)
			}
			_ = file.Close()
			for _, part := range []struct {
				offset, length int64
				fine           bool
			}{{0, -1, false}, {at, 4, false}, {at - 1, 1, false}, {0, 1000, sums}, {size - 1000, -1, sums}} {
				t.Run(fmt.Sprint(part.offset, " ", part.length), func(t *testing.T) {
					r, _, err := s.Get(t.Context(), "first.png", part.offset, part.length)
					var got []byte
					if err == nil {
						got, err = io.ReadAll(r)
						_ = r.Close()
					}
					if (err == nil) != part.fine || err != nil && fault.CodeOf(err) != sdkapi.ArtifactDamaged {
						t.Errorf("Get: %v", err)
					}
					// Without sums only the last piece is withheld.
					if sums && !strings.HasPrefix(text[part.offset:], string(got)) || len(got) == size {
						t.Error("wrong bytes were handed out")
					}
				})
			}
			if _, err := s.AddPieces(t.Context(), "first.png"); !sums && fault.CodeOf(err) != sdkapi.ArtifactDamaged {
				t.Errorf("AddPieces: %v", err)
			}
		})
	}
}

// withoutSums makes the sidecar that an older version would have written.
func withoutSums(t *testing.T, dir, id string) {
	t.Helper()
	name := filepath.Join(dir, id[:2], id+".json")
	var about map[string]any
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &about)
	}
	if about["pieces_xxh64"] == nil {
		t.Fatalf("there were no sums: %s", text)
	}
	delete(about, "pieces_xxh64")
	if err == nil {
		text, err = json.Marshal(about)
	}
	if err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAddPieces makes sums for an artifact of an older version, which can be read before and after.
func TestAddPieces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	text := strings.Repeat("0123456789", 100_000)
	put := mustPut(t, s, "first.png", text)
	withoutSums(t, dir, "first.png")
	for round, want := range []bool{true, false} {
		if info, err := s.Stat(t.Context(), "first.png"); err != nil || info != put {
			t.Errorf("round %d: Stat: %+v, %v", round, info, err)
		}
		r, _, err := s.Get(t.Context(), "first.png", 300_000, 500_000)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != text[300_000:800_000] {
			t.Errorf("round %d: %d bytes, %v", round, len(got), err)
		}
		_ = r.Close()
		if added, err := s.AddPieces(t.Context(), "first.png"); added != want || err != nil {
			t.Errorf("round %d: AddPieces: %v, %v", round, added, err)
		}
	}
	if left := files(t, filepath.Join(dir, "tmp")); len(left) > 0 {
		t.Errorf("there is still %q", left)
	}
}

func mustPut(t *testing.T, s artifacts.Store, id, text string) artifacts.Info {
	t.Helper()
	info, err := s.Put(t.Context(), id, "image/png", strings.NewReader(text))
	if err != nil {
		t.Fatalf("Put of %s: %v", id, err)
	}
	return info
}

// files lists the files below dir.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// brokenReader is a sender that breaks off.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
