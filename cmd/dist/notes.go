package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kinds are the kinds of changes, most important for an upgrade first.
var kinds = []string{"Security", "Change", "Enhancement", "Bugfix"}

// notes writes the release notes: the entries of docs/changelog/VERSION, or of
// docs/changelog/unreleased if that folder is missing.
func (r *release) notes() error {
	dir := filepath.Join(r.root, "docs", "changelog", r.version)
	if _, err := os.Stat(dir); err != nil {
		dir = filepath.Join(r.root, "docs", "changelog", "unreleased")
	}
	text, err := notesOf(dir, r.version)
	if err != nil {
		return err
	}
	return r.file("windie-"+r.version+"-notes.md", func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// notesOf joins the entries of a folder, grouped by kind.
func notesOf(dir, version string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return "", err
	}
	entries := map[string][]string{}
	for _, file := range files { // sorted by name
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		kind, rest, ok := strings.Cut(string(data), ": ")
		if !ok || !slices.Contains(kinds, kind) {
			return "", fmt.Errorf("%s must begin with one of %s", file, strings.Join(kinds, ": ")+": ")
		}
		title, body, _ := strings.Cut(rest, "\n")
		entries[kind] = append(entries[kind], strings.TrimSpace("### "+title+"\n\n"+strings.TrimSpace(body)))
	}
	out := []string{"# Windie " + version}
	for _, kind := range kinds {
		if len(entries[kind]) > 0 {
			out = append(out, "## "+kind)
			out = append(out, entries[kind]...)
		}
	}
	return strings.Join(out, "\n\n") + "\n", nil
}
