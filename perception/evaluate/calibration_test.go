//go:build system && !race

package evaluate

import (
	"math"
	"os"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
)

// Of the words that the reader says .9 of nine of ten are right, and so on.
func TestCalibration(t *testing.T) {
	t.Parallel()
	const (
		enough = 40 // words for a bin to say anything
		off    = 0.07
	)
	without, err := ParsePart("without")
	if err != nil {
		t.Fatal(err)
	}
	var all confidences
	for _, dir := range []string{"native", "web", "screens", "lines"} {
		labels, err := readPart("../testdata/"+dir, without)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range labels {
			data, err := os.ReadFile(l.file)
			if err != nil {
				t.Fatal(err)
			}
			scene, err := perception.NewScenes(reader.New(reader.Config{}), perception.Options{}).Scene(t.Context(), perception.SourceOf(data))
			if err != nil {
				t.Fatal(err)
			}
			all.join(l.truth.score(scene.Rows).sure)
		}
	}
	bins := all.bins()
	if last := bins[len(bins)-1]; last.From != 0.98 || last.Words < 6000 {
		t.Errorf("the last bin is %+v, want most words in it", last)
	}
	checked := 0
	for _, b := range bins {
		t.Logf("%+v", b)
		if b.Words < enough {
			continue
		}
		checked++
		if math.Abs(b.Said-b.Right) > off {
			t.Errorf("of %d words %.3f is said, %.3f are right", b.Words, b.Said, b.Right)
		}
	}
	if checked < 4 {
		t.Errorf("%d bins have %d words", checked, enough)
	}
}
