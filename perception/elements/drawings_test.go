package elements_test

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/windieos/windie/perception/elements"
)

// Lines below each other are one icon, and an upright line is no icon; what the
// lines of an icon enclose is no face.
func TestDrawings(t *testing.T) {
	t.Parallel()
	p := newPage(600, 300)
	p.fill(image.Rect(0, 0, 600, 50), dark)
	for _, y := range []int{19, 25, 31} {
		p.fill(image.Rect(20, y, 38, y+2), white)
	}
	p.fill(image.Rect(80, 14, 81, 36), white)
	p.fill(image.Rect(120, 15, 140, 35), white)
	p.fill(image.Rect(122, 17, 138, 33), dark)
	for _, corner := range []image.Point{{120, 15}, {139, 15}, {120, 34}, {139, 34}} {
		p.img.Set(corner.X, corner.Y, dark)
	}
	list := listOf(t, p.img, p.rows)
	if e := find(t, list, elements.Icon, image.Pt(29, 26)); e.Box != image.Rect(20, 19, 38, 33) || len(e.Icons) == 0 || e.Icons[0].Name != "menu" {
		t.Errorf("three lines are %+v", e)
	}
	absent(t, list, elements.Icon, image.Pt(80, 25))
	absent(t, list, elements.IconButton, image.Pt(80, 25))
	if e := find(t, list, elements.Icon, image.Pt(130, 25)); e.Box != image.Rect(120, 15, 140, 35) {
		t.Errorf("the square is %+v", e)
	}
	for _, e := range list {
		if e.Role == elements.Panel && e.Box.Dy() < 50 {
			t.Errorf("there is a panel at %v", e.Box)
		}
	}
}

// The round ends of a button are no icons.
func TestRoundEnds(t *testing.T) {
	t.Parallel()
	p := newPage(400, 200)
	pale := color.NRGBA{128, 189, 255, 255}
	for _, c := range []float64{118, 218} {
		p.disc(c, 88, 18, pale)
		p.disc(c, 88, 17, blue)
	}
	p.fill(image.Rect(118, 70, 218, 106), blue)
	p.write(146, 82, "Check", white)
	list := listOf(t, p.img, p.rows)
	find(t, list, elements.Button, image.Pt(168, 88))
	for _, e := range list {
		if e.Role == elements.Icon || e.Role == elements.IconButton {
			t.Errorf("there is a %s at %v", e.Role, e.Box)
		}
	}
}

// The one row of a list that has another color is selected. Of rows that
// alternate none is.
func TestSelectedRow(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]int{"selected": 3, "alternating": 0} {
		t.Run(name, func(t *testing.T) {
			p := newPage(600, 400)
			p.fill(image.Rect(0, 0, 200, 400), dark)
			for i := range 10 {
				if i == 3 || from == 0 && i%2 == 1 {
					p.fill(image.Rect(0, 40*i, 200, 40*i+40), blue)
				}
				p.write(20, 40*i+13, "A thing", white)
			}
			selected := 0
			for _, e := range listOf(t, p.img, p.rows) {
				if slices.Contains(e.States, elements.Selected) {
					if selected++; e.Box != image.Rect(0, 120, 200, 160) {
						t.Errorf("%s: %s at %v is selected", name, e.Role, e.Box)
					}
				}
			}
			if want := min(1, from); selected != want {
				t.Errorf("%s: %d are selected", name, selected)
			}
		})
	}
}

// A row of text that a reader read over several buttons, with the lines around
// them, is what is written on each.
func TestWordsOnButtons(t *testing.T) {
	t.Parallel()
	p := newPage(500, 200)
	p.outline(image.Rect(40, 60, 108, 88), dark, line)
	p.outline(image.Rect(111, 60, 171, 88), dark, line)
	p.write(50, 67, "Restore", ink)
	p.write(120, 67, "Delete", ink)
	p.rows = nil
	p.read(1, word("Restore", 50, 67, 106, 80), word("—Delete", 111, 62, 168, 84))
	list := listOf(t, p.img, p.rows)
	for _, want := range []struct {
		label string
		at    image.Point
	}{{"Restore", image.Pt(74, 74)}, {"Delete", image.Pt(141, 74)}} {
		t.Run(want.label, func(t *testing.T) {
			if e := find(t, list, elements.Button, want.at); e.Label != want.label {
				t.Errorf("%q is on the button %s", e.Label, want.label)
			}
		})
	}
}

// A thin bar whose one part is far lighter than the rest shows progress.
func TestPaleProgress(t *testing.T) {
	t.Parallel()
	p := newPage(500, 200)
	p.fill(p.img.Rect, color.NRGBA{18, 18, 18, 255})
	p.fill(image.Rect(50, 100, 400, 104), color.NRGBA{77, 77, 77, 255})
	p.fill(image.Rect(50, 100, 180, 104), white)
	if e := find(t, listOf(t, p.img, p.rows), elements.Progress, image.Pt(225, 102)); e.Box != image.Rect(50, 100, 400, 104) {
		t.Errorf("the bar is at %v", e.Box)
	}
}
