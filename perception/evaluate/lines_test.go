//go:build !race

package evaluate

import (
	"context"
	"errors"
	"image"
	"os"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
)

// Lines in typefaces and with texts that nothing was trained with are read. scripts/screens/lines.py made them, and makes
// more of them.
func TestTrueLines(t *testing.T) {
	t.Parallel()
	engine := reader.New(reader.Config{})
	list, err := Lines(t.Context(), "../testdata/lines", All, engine, func() *perception.Scenes { return perception.NewScenes(engine, perception.Options{}) })
	if err != nil {
		t.Fatal(err)
	}
	if last := list[len(list)-1]; last.Lang != "all" || last.Lines < 300 {
		t.Errorf("the last is %+v, want all lines", last)
	}
	for _, l := range list {
		t.Run(l.Lang, func(t *testing.T) {
			t.Logf("%+v", l)
			if l.WordRecall < 0.9 || l.Found < 0.9 || l.CER > 0.02 {
				t.Errorf("%.3f of the words are read, %.3f of those that have to be found, CER %.4f", l.WordRecall, l.Found, l.CER)
			}
		})
	}
}

// said reads any box as the same text.
type said string

func (s said) ReadGiven(_ context.Context, _ *image.NRGBA, boxes []image.Rectangle) ([]string, error) {
	list := make([]string, len(boxes))
	for i := range list {
		list[i] = string(s)
	}
	return list, nil
}

func TestCountLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		is, read            string
		exact, right, wrong int
	}{
		{"Save all", "Save all", 1, 2, 0},
		{"Save all", "Saveall", 0, 0, 0},
		{"Save all now", "Save now", 0, 2, 3},
		{"Save – all", "Save - all", 1, 2, 0},
		{"Save", "", 0, 0, 4},
		{"a b", "b a", 0, 1, 2},
	} {
		t.Run(tt.is+"/"+tt.read, func(t *testing.T) {
			var l TrueLines
			if l.count(tt.is, tt.read); l.exact != tt.exact || l.right != tt.right || l.wrong != tt.wrong {
				t.Errorf("exact %d, right %d, wrong %d; want %d, %d, %d", l.exact, l.right, l.wrong, tt.exact, tt.right, tt.wrong)
			}
		})
	}
}

// A recall comes back as the number of words that it was computed from.
func TestFoundWords(t *testing.T) {
	t.Parallel()
	for words := range 200 {
		for hit := range words + 1 {
			if got := (score{hit: hit, words: words}).found(words); got != hit {
				t.Errorf("%d of %d words are counted as %d", hit, words, got)
			}
		}
	}
	if got := (score{hit: 2, words: 3}).found(4); got != 3 {
		t.Errorf("2 of 3 words are counted as %d of 4, want 3", got)
	}
}

// Lines of screens that are not there cannot be read.
func TestLinesWithoutScreens(t *testing.T) {
	t.Parallel()
	if _, err := Lines(t.Context(), t.TempDir(), All, said(""), nil); err == nil {
		t.Error("an empty folder has lines")
	}
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(dir+"/a.json", []byte(`{"words":[]}`), 0o600), os.WriteFile(dir+"/a.png", []byte("no picture"), 0o600)); err != nil {
		t.Fatal(err)
	}
	engine := reader.New(reader.Config{})
	if _, err := Lines(t.Context(), dir, All, engine, func() *perception.Scenes { return perception.NewScenes(engine, perception.Options{}) }); err == nil {
		t.Error("what is no picture has lines")
	}
}
