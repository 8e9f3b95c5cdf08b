package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
)

var (
	at      = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	members = []member{{"windie-1.2.0/windie", 0o755, []byte("program")}, {"windie-1.2.0/LICENSE", 0o644, bytes.Repeat([]byte("text "), 1000)}}
	extras  = []extra{
		{"LICENSE", []byte("licence")}, {"man/man1/windie.1", []byte("page")}, {"completions/_windie", []byte("zsh")},
		{"completions/windie.bash", []byte("bash")}, {"completions/windie.fish", []byte("fish")}, {"completions/windie.ps1", []byte("powershell")},
	}
)

// Whatever order members come in, an archive is the same, and holds them with their modes.
func TestArchives(t *testing.T) {
	t.Parallel()
	t.Run("tar", func(t *testing.T) {
		t.Parallel()
		data := twice(t, writeTar)
		unpacked, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		in, got := tar.NewReader(unpacked), []member{}
		for {
			head, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if !head.ModTime.Equal(at) || head.Uname != "root" || head.Uid != 0 {
				t.Errorf("%+v", head)
			}
			text, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, member{head.Name, head.Mode, text})
		}
		same(t, got)
	})
	t.Run("zip", func(t *testing.T) {
		t.Parallel()
		data := twice(t, writeZip)
		in, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		var got []member
		for _, f := range in.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil || !f.Modified.Equal(at) {
				t.Errorf("%v, %v", f.Modified, err)
			}
			got = append(got, member{f.Name, int64(f.Mode()), text})
		}
		same(t, got)
	})
}

func twice(t *testing.T, write func(io.Writer, []member, time.Time) error) []byte {
	t.Helper()
	var first, second bytes.Buffer
	other := slices.Clone(members)
	slices.Reverse(other)
	if err := errors.Join(write(&first, members, at), write(&second, other, at)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two archives of the same files differ")
	}
	return first.Bytes()
}

func same(t *testing.T, got []member) {
	t.Helper()
	want := sorted(members)
	if !slices.EqualFunc(got, want, func(a, b member) bool { return a.path == b.path && a.mode == b.mode && bytes.Equal(a.data, b.data) }) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// The notes hold each entry once, what matters most first.
func TestNotes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.md", "Bugfix: Read the last row\n\nIt was left out.\n")
	write("b.md", "Enhancement: Read WebP\n\nIt was refused.\n\n#### How\n- As PNG.\n")
	write("c.md", "Security: Refuse a path\n")
	write("d.md", "Change: Name a field\n\nWrite `b` for `a`.\n")
	write("e.md", "Enhancement: Read BMP\n\nIt was refused, too.")
	write("TEMPLATE", "# No entry\n")
	got, err := notesOf(dir, "1.2.0")
	if err != nil {
		t.Fatal(err)
	}
	want := "# Windie 1.2.0\n\n" +
		"## Security\n\n### Refuse a path\n\n" +
		"## Change\n\n### Name a field\n\nWrite `b` for `a`.\n\n" +
		"## Enhancement\n\n### Read WebP\n\nIt was refused.\n\n#### How\n- As PNG.\n\n### Read BMP\n\nIt was refused, too.\n\n" +
		"## Bugfix\n\n### Read the last row\n\nIt was left out.\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	write("f.md", "Feature: All\n")
	if _, err := notesOf(dir, "1.2.0"); err == nil || !strings.Contains(err.Error(), "f.md must begin with one of Security: Change:") {
		t.Errorf("an entry of another kind: %v", err)
	}
}

// The entries of this repository are in the notes, each under its title. There
// may be none, as after a release.
func TestUnreleased(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../docs/changelog/unreleased/*.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := notesOf("../../docs/changelog/unreleased", "1.2.0")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text, "\n### "); n != len(files) {
		t.Errorf("%d entries of %d files", n, len(files))
	}
}

// The list of what is in a program has each module once, and the files of others with their sums.
func TestBOM(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, embedded[0].file)); err != nil {
		testkit.Skip(t, "the script of the API page", "make deps")
	}
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := release{version: "1.2.0", root: root, time: at}
	b, err := r.bomOf(program{file: file, title: "windie-1.2.0-linux-amd64"})
	if err != nil {
		t.Fatal(err)
	}
	refs := map[string]bool{}
	for _, c := range b.Components {
		if refs[c.Ref] || c.Name == "" || c.Version == "" {
			t.Errorf("%+v is there twice, or lacks something", c)
		}
		refs[c.Ref] = true
	}
	for _, part := range []string{"preact@", "%40preact/signals@", "scalar", "golang/std@1."} {
		if !slices.ContainsFunc(b.Components, func(c component) bool { return strings.Contains(c.Ref, part) }) {
			t.Errorf("%s is missing", part)
		}
	}
	text, err := json.Marshal(b)
	if err != nil || !bytes.Contains(text, []byte(`"specVersion":"1.6"`)) || !bytes.Contains(text, []byte(`"timestamp":"2026-03-01T12:00:00Z"`)) {
		t.Errorf("%.300s, %v", text, err)
	}
}

// What goes with a program lies in a package where Linux looks for it.
func TestLayOut(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	if err := layOut(tree, extras); err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := filepath.WalkDir(tree, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, err = filepath.Rel(tree, name)
			got = append(got, filepath.ToSlash(name))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{"share/bash-completion/completions/windie", "share/doc/windie/LICENSE", "share/fish/vendor_completions.d/windie.fish", "share/man/man1/windie.1.gz", "share/zsh/vendor-completions/_windie"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// sha256sum takes the file of checksums.
func TestChecksums(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"b.deb", "a.tar.gz"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	name, err := checksums(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("sha256sum"); err != nil {
		testkit.Skip(t, "sha256sum", "the package coreutils")
	}
	cmd := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", filepath.Base(name))
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), ": OK") != 2 {
		t.Errorf("%v: %s", err, out)
	}
}

// What cannot be built again, or has no name, is refused before anything is built.
func TestRefused(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"1.2.0": "is not a version", "v1.2": "is not a version", "v1.2.0; id": "is not a version"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			if _, err := begin(t.Context(), version, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}
