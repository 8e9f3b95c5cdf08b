//go:build system

package overlay

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
)

// What can be acted on is marked once, and its number hides neither its text or icon nor another number.
func TestNumbersHideNothingOfTheirOwn(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/*/*.png")
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	var tags, ofOther, ofOwn, without int
	for _, file := range files {
		known := strings.TrimSuffix(file, ".png") + ".json"
		if _, err := os.Stat(known); err != nil {
			continue
		}
		rows, _ := rowsOf(t, known)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		img, _, err := perception.Decode(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		list, err := elements.Find(t.Context(), img, rows)
		if err != nil {
			t.Fatal(err)
		}
		var marks []Mark
		for _, m := range elements.Marks(list) {
			marks = append(marks, Mark{Box: list[m.Element].Box, Label: strconv.Itoa(m.Element), Keep: m.Keep})
		}
		shapes := laidOut(t, img, marks)
		for i, a := range shapes {
			tags++
			if a.tag.Empty() {
				without++
				continue
			}
			for _, k := range a.keep {
				if core(k).Overlaps(a.tag) {
					t.Logf("%s: the number %s at %v hides %v", filepath.Base(file), a.label, a.tag, k)
					ofOwn++
				}
			}
			for _, b := range shapes[:i] {
				if a.tag.Overlaps(b.tag) {
					t.Logf("%s: %s at %v hides %s at %v", filepath.Base(file), a.label, a.tag, b.label, b.tag)
					ofOther++
				}
			}
		}
	}
	t.Logf("%d numbers", tags)
	if ofOther+ofOwn+without > 0 {
		t.Errorf("of %d numbers %d hide their text or icon, %d another number, and %d have no place", tags, ofOwn, ofOther, without)
	}
}
