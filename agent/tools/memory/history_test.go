package memory_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// What a file said before a change is kept, and putting it back takes the change back; of others nothing is listed, and what is
// deleted is gone with what it said before.
func TestChanges(t *testing.T) {
	t.Parallel()
	n := remember(t, sqlite(t), memory.Options{})
	n.put("ada/memory/MEMORY.md", "Ada likes tea.\n")
	n.put("ada/memory/other.md", "Bea likes milk.\n")
	change := func(path, was, text, by string) {
		t.Helper()
		if _, err := n.Change(t.Context(), "ada", path, memory.Edit{LineStart: 1, Was: was, Text: text, By: by}); err != nil {
			t.Fatal(err)
		}
	}
	change("memory/MEMORY.md", "Ada likes tea.\n", "Ada likes coffee.\n", "console")
	change("memory/other.md", "Bea likes milk.\n", "Bea likes water.\n", "console")
	change("memory/MEMORY.md", "Ada likes coffee.\n", "Ada likes cocoa.\n", "client")
	list, err := n.Changes(t.Context(), "ada", "memory/MEMORY.md", 10)
	if err != nil || len(list) != 2 || list[0].Was != "Ada likes coffee.\n" || list[0].By != "client" || list[1].Was != "Ada likes tea.\n" || list[1].At.IsZero() {
		t.Fatalf("%+v, %v", list, err)
	}
	if newest, err := n.Changes(t.Context(), "ada", "memory/MEMORY.md", 1); err != nil || len(newest) != 1 || newest[0].By != "client" {
		t.Errorf("the newest: %+v, %v", newest, err)
	}
	for _, c := range list {
		change("memory/MEMORY.md", c.Text, c.Was, "console")
	}
	if text, _ := os.ReadFile(filepath.Join(n.dir, "ada", "memory", "MEMORY.md")); string(text) != "Ada likes tea.\n" {
		t.Errorf("taken back: %q", text)
	}
	if found := n.search("ada", "coffee"); len(found) != 0 {
		t.Errorf("what a file said before is found: %+v", found)
	}
	for path, user := range map[string]string{"memory/MEMORY.md": "eve", "memory/none.md": "ada", "memory/.changes.jsonl": "ada", "../x.md": "ada"} {
		t.Run(path, func(t *testing.T) {
			if list, err := n.Changes(t.Context(), user, path, 10); fault.CodeOf(err) != sdkapi.MemoryNotFound {
				t.Errorf("%s of %s: %+v, %v", path, user, list, err)
			}
		})
	}
	if err := n.Delete(t.Context(), "ada", "memory/other.md"); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(filepath.Join(n.dir, "ada", "memory", ".changes.jsonl"))
	if err != nil || strings.Contains(string(kept), "Bea") || !strings.Contains(string(kept), "Ada") {
		t.Errorf("after a file is deleted: %v\n%s", err, kept)
	}
}

// A deleted file takes what it said before with it, also before it was archived, and leaves other files of its name theirs.
func TestDeleteForgetsOneFile(t *testing.T) {
	t.Parallel()
	const day = "2026-01-02.md"
	all := []string{"memory/a/todo.md", "memory/b/todo.md", "memory/a/" + day, "memory/" + day, "memory/archive/" + day}
	for _, tt := range []struct {
		deleted string
		gone    []string
	}{
		{"memory/a/todo.md", []string{"memory/a/todo.md"}},
		{"memory/a/" + day, []string{"memory/a/" + day}},
		{"memory/" + day, []string{"memory/" + day}},
		{"memory/archive/" + day, []string{"memory/archive/" + day, "memory/" + day}}, // it was that before it was archived
	} {
		t.Run(tt.deleted, func(t *testing.T) {
			t.Parallel()
			n := remember(t, sqlite(t), memory.Options{})
			for _, name := range all {
				n.put("ada/"+name, "old\n")
				if _, err := n.Change(t.Context(), "ada", name, memory.Edit{LineStart: 1, Was: "old\n", Text: "new\n"}); err != nil {
					t.Fatal(err)
				}
			}
			if err := n.Delete(t.Context(), "ada", tt.deleted); err != nil {
				t.Fatal(err)
			}
			want := slices.DeleteFunc(slices.Sorted(slices.Values(all)), func(name string) bool { return slices.Contains(tt.gone, name) })
			if kept := n.changed("ada"); !slices.Equal(kept, want) {
				t.Errorf("changes are kept of %v, want %v", kept, want)
			}
		})
	}
}

// A history that is too large to be read does not keep a file from being deleted: it goes with it.
func TestDeleteWithHistoryTooLarge(t *testing.T) {
	t.Parallel()
	n := remember(t, sqlite(t), memory.Options{})
	n.put("ada/memory/a.md", "nothing\n")
	n.put("ada/memory/.changes.jsonl", strings.Repeat(`{"path":"memory/a.md","was":"a secret"}`+"\n", memory.MaxFile/40+1))
	if err := n.Delete(t.Context(), "ada", "memory/a.md"); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(n.dir, "ada", "memory", "*")); len(left) > 0 {
		t.Errorf("there are still %v", left)
	}
	if _, err := os.Stat(filepath.Join(n.dir, "ada", "memory", ".changes.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the history: %v", err)
	}
}

// changed returns the paths of the changes that are kept of a user's files, sorted.
func (n notes) changed(user string) (paths []string) {
	n.t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, user, "memory", ".changes.jsonl"))
	if err != nil {
		n.t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var c memory.Changed
		if err := json.Unmarshal(line, &c); err != nil {
			n.t.Fatal(err)
		}
		paths = append(paths, c.Path)
	}
	slices.Sort(paths)
	return paths
}
