package reader_test

import (
	"os"
	"slices"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
)

// TestReadAgain reads a menu a second time. The second reading must find the access keys, whose
// underlines make F look like E, and their boxes.
func TestReadAgain(t *testing.T) {
	data, err := os.ReadFile("testdata/access-keys.png")
	if err != nil {
		t.Fatal(err)
	}
	scenes := perception.NewScenes(reader.New(reader.Config{Kernel: testkit.Kernel()}), perception.Options{})
	src := perception.SourceOf(data)
	first, err := scenes.Scene(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	src.Again, src.First = true, first.Rows
	second, err := scenes.Scene(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, row := range second.Rows {
		for _, w := range row.Words {
			if words = append(words, w.Text); w.Text == "File" && (w.Box.Min.X < 8 || w.Box.Max.X > 36 || w.Box.Min.Y < 27 || w.Box.Max.Y > 46) {
				t.Errorf("File is at %v", w.Box)
			}
		}
	}
	for _, want := range []string{"File", "Edit", "View", "Bookmarks", "Go", "Tools", "Help"} {
		if !slices.Contains(words, want) {
			t.Errorf("%s is not read: %q", want, words)
		}
	}
	if first == second || second.Width != first.Width || second.Height != first.Height {
		t.Errorf("the second look is of %dx%d pixels, the first of %dx%d", second.Width, second.Height, first.Width, first.Height)
	}
}
