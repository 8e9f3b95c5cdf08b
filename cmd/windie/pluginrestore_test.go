package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What list says puts a plugin back is a command that brings the very version that was there, also where its
// source has another by now.
func TestPluginListSaysHowToPutBack(t *testing.T) {
	t.Parallel()
	a, file := newSharer(t)
	archive := filepath.Join(a.dir, "sample.tar")
	a.plugin(0, nil, "pack", file, "--out", archive)
	a.plugin(0, nil, "add", archive, "--as", "second")
	own := a.put("own/third.js", sample)
	a.plugin(0, nil, "add", own)
	a.put("sample.json", `{"name":"sample","version":"1.1.0"}`)
	a.plugin(0, nil, "pack", file, "--out", archive)
	a.put("own/third.js", strings.Replace(sample, "a <word>", "another <word>", 1))
	for _, name := range []string{"second", "third"} {
		t.Run(name, func(t *testing.T) {
			a := a
			a.t = t
			at := filepath.Join(a.dir, "data", "plugins", name, name)
			a.putsBack(name, "its file is missing", at+".js", nil)
			a.putsBack(name, "differ from those that came from", at+".js", []byte("changed"))
			a.putsBack(name, ".source; run windie plugin list", at+".source", []byte("{"))
		})
	}
	a.plugin(exitFailed, []string{`no plugin "other" was added from a reference`}, "restore", "other")
}

// putsBack spoils a file of a plugin, by other content or, if content is nil, by its removal, and does what list says of it.
func (a writer) putsBack(name, problem, file string, content []byte) {
	a.t.Helper()
	was, err := os.ReadFile(file)
	if err != nil {
		a.t.Fatal(err)
	}
	if content == nil {
		err = os.Remove(file)
	} else {
		err = os.WriteFile(file, content, 0o600)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	_, command, _ := strings.Cut(a.plugin(0, []string{problem}, "list"), "put it back with: windie plugin ")
	command, _, _ = strings.Cut(command, "\n")
	a.plugin(0, []string{"pinned to sha256:"}, strings.Fields(command)...)
	if out := a.plugin(0, nil, "list"); strings.Contains(out, "put it back") {
		a.t.Errorf("%s is not put back:\n%s", name, out)
	}
	if is, err := os.ReadFile(file); err != nil || !bytes.Equal(is, was) {
		a.t.Errorf("%s of %s is put back as %.200s, %v", filepath.Base(file), name, is, err)
	}
}
