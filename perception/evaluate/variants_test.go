//go:build system && !race

package evaluate

import (
	"image"
	"os"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
)

// What is true of a screen is so of its variants, where it stands there.
func TestTruthOfVariants(t *testing.T) {
	t.Parallel()
	was := truth{DPR: 2, Words: []trueWord{{Text: "Save", X: 10, Y: 20, W: 30, H: 10}}, Ignore: [][4]float64{{1, 2, 3, 4}}}
	got := was.on(variant{scale: 1.5, moved: image.Pt(4, 6)})
	if got.DPR != 3 || got.Words[0].X != 12 || got.Words[0].Y != 23 || got.Words[0].W != 30 || got.Ignore[0] != [4]float64{3, 5, 3, 4} {
		t.Errorf("%+v", got)
	}
	if was.Words[0].X != 10 || was.Ignore[0][0] != 1 {
		t.Errorf("the truth itself changed: %+v", was)
	}
}

// A few screens stay readable whatever they went through.
func TestVariantsAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"preferences", "mail"} {
		for _, ending := range []string{".png", ".json"} {
			if err := os.Link("../testdata/screens/"+name+ending, dir+"/"+name+ending); err != nil {
				data, err := os.ReadFile("../testdata/screens/" + name + ending)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(dir+"/"+name+ending, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	engine := reader.New(reader.Config{})
	list, err := Variants(t.Context(), dir, All, func() *perception.Scenes { return perception.NewScenes(engine, perception.Options{}) })
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		t.Run(v.Name, func(t *testing.T) {
			t.Logf("recall %.3f, precision %.3f, located %.3f %s", v.WordRecall, v.Precision, v.Located, v.Skipped)
			if v.Skipped != "" {
				testkit.Skip(t, "cwebp", "make deps-system")
			}
			if v.WordRecall < list[0].WordRecall-0.12 {
				t.Errorf("%.3f of the words are read, and %.3f of the screens as they are", v.WordRecall, list[0].WordRecall)
			}
		})
	}
}
