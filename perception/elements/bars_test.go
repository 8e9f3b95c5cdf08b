package elements_test

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
)

// read adds a row of words that a reader was not sure of, or was.
func (p *page) read(sure float64, words ...perception.Word) {
	for i := range words {
		words[i].Confidence = sure
	}
	p.rows = append(p.rows, perception.NewRow(words))
}

// word is a word in a box.
func word(text string, x0, y0, x1, y1 int) perception.Word {
	return perception.Word{Text: text, Box: image.Rect(x0, y0, x1, y1)}
}

// An icon that stands alone has room around it to click on; one in a button
// has not; nor have what rounds a panel's corners and what a large letter
// encloses.
func TestIconsAlone(t *testing.T) {
	t.Parallel()
	p := newPage(600, 400)
	p.fill(p.img.Rect, blue)
	p.fill(image.Rect(40, 40, 560, 360), white)
	for _, corner := range []image.Point{{40, 40}, {552, 40}, {40, 352}, {552, 352}} {
		p.fill(image.Rect(corner.X, corner.Y, corner.X+8, corner.Y+8), blue)
	}
	for _, c := range []image.Point{{48, 48}, {552, 48}, {48, 352}, {552, 352}} {
		p.disc(float64(c.X), float64(c.Y), 8, color.NRGBA{128, 189, 255, 255}) // smoothing
		p.disc(float64(c.X), float64(c.Y), 6.5, white)
	}
	p.cross(image.Rect(500, 60, 514, 74), ink)
	p.outline(image.Rect(80, 100, 178, 136), line, ground)
	p.cross(image.Rect(94, 111, 108, 125), ink)
	p.write(116, 111, "Filter", ink)
	p.fill(image.Rect(80, 200, 116, 244), ink)
	p.fill(image.Rect(90, 210, 106, 234), white)
	p.read(1, word("Offer", 80, 200, 216, 244))
	list := listOf(t, p.img, p.rows)
	if e := find(t, list, elements.IconButton, image.Pt(494, 54)); overlap(e.Box, image.Rect(491, 51, 523, 83)) < 0.8 {
		t.Errorf("the icon's room is %v", e.Box)
	}
	find(t, list, elements.Button, image.Pt(84, 104))
	absent(t, list, elements.IconButton, image.Pt(101, 118))
	absent(t, list, elements.MenuItem, image.Pt(130, 118))
	for _, e := range list {
		if e.Role == elements.Icon && e.Box.Max.X < 60 {
			t.Errorf("there is an icon in a corner, at %v", e.Box)
		}
	}
	for _, e := range list {
		if e.Box.In(image.Rect(85, 205, 111, 239)) {
			t.Errorf("there is a %s in a letter, at %v", e.Role, e.Box)
		}
	}
}

// Words that are icons are not writing, and dots and signs are no letters.
func TestWriting(t *testing.T) {
	t.Parallel()
	p := newPage(600, 300)
	p.cross(image.Rect(40, 40, 58, 58), ink)
	p.read(0.8, word("e", 40, 40, 58, 58))
	p.cross(image.Rect(100, 40, 120, 60), ink)
	p.cross(image.Rect(150, 40, 170, 60), ink)
	p.read(0.99, word("ee", 100, 40, 170, 60))
	p.write(40, 100, "B", ink)
	p.write(66, 100, "U", ink)
	p.rows = p.rows[:2]
	p.read(1, word("B", 40, 100, 48, 113), word("U", 66, 100, 74, 113))
	p.write(40, 140, "Enter", ink)
	p.fill(image.Rect(86, 151, 96, 153), pale)
	p.rows = p.rows[:3]
	p.read(1, word("Enter", 40, 140, 80, 153), word("...", 86, 151, 96, 153))
	p.fill(image.Rect(300, 100, 560, 280), ground)
	p.cross(image.Rect(320, 240, 332, 252), ink)
	p.write(340, 240, "Add", ink)
	p.rows = p.rows[:4]
	p.read(1, word("+", 320, 240, 332, 252), word("Add", 340, 240, 364, 253))
	list := checkRoles(t, p, []roleCase{
		{elements.Icon, image.Pt(49, 49), "", nil}, {elements.Icon, image.Pt(110, 50), "", nil},
		{elements.Text, image.Pt(44, 106), "B", nil}, {elements.Text, image.Pt(70, 106), "U", nil}, {elements.Text, image.Pt(60, 146), "Enter ...", nil},
		{elements.MenuItem, image.Pt(500, 246), "Add", nil},
	})
	absent(t, list, elements.Text, image.Pt(110, 50))
}

// The items of a bar are found: icons among texts, icons above texts, and the
// one that is pressed.
func TestBars(t *testing.T) {
	t.Parallel()
	p := newPage(480, 400)
	p.fill(image.Rect(0, 20, 480, 64), ground)
	p.cross(image.Rect(60, 35, 74, 49), ink)
	p.cross(image.Rect(100, 35, 114, 49), ink)
	p.write(400, 36, "1 of 9", ink)
	p.fill(image.Rect(0, 120, 480, 180), ground)
	for i, label := range []string{"Home", "Find", "Me"} {
		p.cross(image.Rect(73+160*i, 128, 87+160*i, 142), ink)
		c := ink
		if i == 2 {
			c = blue
		}
		p.write(80+160*i-4*len(label), 154, label, c)
	}
	p.fill(image.Rect(0, 240, 480, 284), ground)
	p.fill(image.Rect(87, 247, 117, 277), blue)
	for i := range 4 {
		c := ink
		if i == 1 {
			c = white
		}
		p.cross(image.Rect(55+40*i, 255, 69+40*i, 269), c)
	}
	list := checkRoles(t, p, []roleCase{
		{elements.IconButton, image.Pt(60, 30), "", nil}, {elements.IconButton, image.Pt(110, 30), "", nil},
		{elements.MenuItem, image.Pt(80, 148), "Home", nil}, {elements.MenuItem, image.Pt(400, 148), "Me", []elements.State{elements.Selected}},
		{elements.IconButton, image.Pt(92, 252), "", []elements.State{elements.Selected}},
	})
	if e := find(t, list, elements.IconButton, image.Pt(62, 262)); slices.Contains(e.States, elements.Selected) {
		t.Error("an icon without a face is selected")
	}
}
