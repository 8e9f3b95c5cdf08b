package memory_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// A person corrects lines of a file; where they are others by now, or there is no such file, nothing changes.
func TestChange(t *testing.T) {
	t.Parallel()
	n := remember(t, sqlite(t), memory.Options{MaxBytes: 200_000})
	file := filepath.Join(n.dir, "ada", "memory", "notes.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	const before = "# Notes\nAda likes tea.\nAda likes cake."
	longest := strings.Repeat("a", memory.MaxPassage)
	for name, tt := range map[string]struct {
		path string
		edit memory.Edit
		code sdkapi.Code
		want string
	}{
		"a line":                      {"memory/notes.md", memory.Edit{LineStart: 2, Was: "Ada likes tea.\n", Text: "Ada likes zephyrs.\n"}, "", "# Notes\nAda likes zephyrs.\nAda likes cake."},
		"a line that goes":            {"memory/notes.md", memory.Edit{LineStart: 2, Was: "Ada likes tea.\n"}, "", "# Notes\nAda likes cake."},
		"all of it":                   {"memory/notes.md", memory.Edit{LineStart: 1, Was: before, Text: longest}, "", longest},
		"more at the end":             {"memory/notes.md", memory.Edit{LineStart: 4, Text: "\nMore."}, "", before + "\nMore."},
		"lines that are others":       {"memory/notes.md", memory.Edit{LineStart: 2, Was: "Ada likes milk.\n", Text: "x"}, sdkapi.MemoryChanged, before},
		"lines that are elsewhere":    {"memory/notes.md", memory.Edit{LineStart: 3, Was: "Ada likes tea.\n", Text: "x"}, sdkapi.MemoryChanged, before},
		"lines that are not there":    {"memory/notes.md", memory.Edit{LineStart: 9, Was: "Ada", Text: "x"}, sdkapi.MemoryChanged, before},
		"more behind the end":         {"memory/notes.md", memory.Edit{LineStart: 5, Text: "More."}, sdkapi.MemoryChanged, before},
		"too much":                    {"memory/notes.md", memory.Edit{LineStart: 1, Text: longest + "a"}, sdkapi.ValidationError, before},
		"no text":                     {"memory/notes.md", memory.Edit{LineStart: 1, Text: "\xff"}, sdkapi.ValidationError, before},
		"line 0":                      {"memory/notes.md", memory.Edit{Text: "x"}, sdkapi.ValidationError, before},
		"a file that is not there":    {"memory/other.md", memory.Edit{LineStart: 1, Text: "x"}, sdkapi.MemoryNotFound, before},
		"a file out of the folder":    {"memory/../notes.md", memory.Edit{LineStart: 1, Text: "x"}, sdkapi.MemoryNotFound, before},
		"a file of the gateway's own": {"memory/.lock", memory.Edit{LineStart: 1, Text: "x"}, sdkapi.MemoryNotFound, before},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := n.Change(t.Context(), "ada", tt.path, tt.edit)
			if fault.CodeOf(err) != tt.code {
				t.Errorf("%v; want %q", err, tt.code)
			}
			if got, _ := os.ReadFile(file); string(got) != tt.want {
				t.Errorf("the file has %.80q; want %.80q", got, tt.want)
			}
		})
	}
}

// The line after the last one is the end of a file. Lines behind it do not exist.
func TestChangeAtTheEnd(t *testing.T) {
	t.Parallel()
	for before, lines := range map[string]int{"": 0, "One.": 1, "One.\n": 1, "One.\n\n": 2} {
		t.Run(fmt.Sprintf("%q", before), func(t *testing.T) {
			t.Parallel()
			n := remember(t, sqlite(t), memory.Options{})
			n.put("ada/memory/a.md", before)
			_, err := n.Change(t.Context(), "ada", "memory/a.md", memory.Edit{LineStart: lines + 2, Text: "More."})
			wantCode(t, "behind the end", err, sdkapi.MemoryChanged)
			_, err = n.Change(t.Context(), "ada", "memory/a.md", memory.Edit{LineStart: lines + 1, Text: "More."})
			wantCode(t, "at the end", err, "")
		})
	}
}

// The invalid fields of a change are listed in the order of the request.
func TestInvalidFieldsOfChange(t *testing.T) {
	t.Parallel()
	n := remember(t, sqlite(t), memory.Options{})
	for range 20 {
		_, err := n.Change(t.Context(), "ada", "memory/a.md", memory.Edit{Was: "\xff", Text: "\xff"})
		var got []string
		for _, f := range fault.From(err).Details.Fields {
			got = append(got, f.Path)
		}
		if want := []string{"line_start", "was", "text"}; !slices.Equal(got, want) {
			t.Fatalf("got the fields %v, want %v", got, want)
		}
	}
}

// ended is a context whose end only Err reports, as if it ended between two looks.
type ended struct{ context.Context }

func (ended) Err() error { return context.Canceled }

// A change that ends while the size of the memory is checked returns a fault.
func TestChangeCanceled(t *testing.T) {
	t.Parallel()
	n := remember(t, sqlite(t), memory.Options{MaxBytes: 1000})
	n.put("ada/memory/a.md", "One.\n")
	_, err := n.Change(ended{t.Context()}, "ada", "memory/a.md", memory.Edit{LineStart: 1, Text: "More.\n"})
	if f := (*fault.Error)(nil); !errors.As(err, &f) || f.Code != sdkapi.Canceled {
		t.Errorf("got %#v, want a fault with %s", err, sdkapi.Canceled)
	}
}

// Lines that are not UTF-8 are shown with replacement characters, and cannot be changed; the error says so, and not that they are
// others by now. Lines beside them can be changed.
func TestChangeOfWhatIsNotUTF8(t *testing.T) {
	t.Parallel()
	const before = "Ada likes tea.\nAda likes cr\xe8me.\n"
	for name, tt := range map[string]struct {
		start int
		was   string
		code  sdkapi.Code
	}{
		"the lines":               {2, "Ada likes cr\uFFFDme.\n", sdkapi.ValidationError},
		"with those before":       {1, "Ada likes tea.\nAda likes cr\uFFFDme.\n", sdkapi.ValidationError},
		"others than it has":      {2, "Ada likes cr\uFFFDpes.\n", sdkapi.MemoryChanged},
		"how a line begins":       {1, "Ada likes te", sdkapi.MemoryChanged},
		"the line before, itself": {1, "Ada likes tea.\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := remember(t, sqlite(t), memory.Options{})
			n.put("ada/memory/a.md", before)
			_, err := n.Change(t.Context(), "ada", "memory/a.md", memory.Edit{LineStart: tt.start, Was: tt.was, Text: "x\n"})
			if fault.CodeOf(err) != tt.code {
				t.Errorf("%v; want %q", err, tt.code)
			}
		})
	}
}
