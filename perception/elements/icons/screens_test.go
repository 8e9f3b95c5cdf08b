package icons

import (
	"image"
	"image/color"
	_ "image/png"
	"os"
	"path/filepath"
	"testing"
)

// onScreens are icons of real pages, by the middle of a square and half of its
// side. AdminLTE and SB Admin use Font Awesome 5.
var onScreens = []struct {
	screen     string
	x, y, half int
	name       string
}{
	{"lte-mailbox", 281, 28, 12, "menu"},
	{"lte-mailbox", 1218, 28, 12, "search"},
	{"lte-mailbox", 1361, 28, 12, "expand"},
	{"lte-mailbox", 1408, 28, 12, "grid"},
	{"lte-mailbox", 219, 159, 12, "search"},
	{"lte-mailbox", 37, 205, 12, "gauge"},
	{"lte-mailbox", 37, 248, 12, "grid"},
	{"lte-mailbox", 37, 291, 12, "copy"},
	{"lte-mailbox", 37, 335, 12, "pie chart"},
	{"lte-mailbox", 37, 421, 12, "edit"},
	{"lte-mailbox", 37, 464, 12, "table"},
	{"lte-mailbox", 37, 545, 12, "calendar"},
	{"lte-mailbox", 37, 588, 12, "image"},
	{"lte-mailbox", 37, 631, 12, "columns"},
	{"lte-mailbox", 37, 674, 12, "mail"},
	{"lte-mailbox", 222, 674, 10, "chevron down"},
	{"lte-mailbox", 222, 205, 10, "chevron left"},
	{"lte-mailbox", 37, 847, 12, "book"},
	{"lte-mailbox", 37, 890, 10, "plus"},
	{"lte-mailbox", 283, 252, 11, "inbox"},
	{"lte-mailbox", 282, 293, 11, "mail"},
	{"lte-mailbox", 280, 334, 10, "text file"},
	{"lte-mailbox", 282, 375, 11, "filter"},
	{"lte-mailbox", 281, 416, 10, "trash"},
	{"lte-mailbox", 515, 207, 10, "minus"},
	{"lte-mailbox", 1406, 154, 11, "search"},
	{"lte-mailbox", 610, 199, 11, "trash"},
	{"lte-mailbox", 640, 199, 11, "undo"},
	{"lte-mailbox", 671, 199, 11, "redo"},
	{"lte-mailbox", 708, 199, 11, "refresh"},
	{"lte-mailbox", 1388, 198, 9, "chevron left"},
	{"lte-mailbox", 1413, 198, 9, "chevron right"},
	{"lte-mailbox", 641, 244, 12, "star"},
	{"lte-mailbox", 1284, 317, 12, "attach"},
	{"lte-index", 440, 256, 11, "arrow right"},
	{"lte-index", 977, 314, 12, "map pin"},
	{"lte-index", 1364, 319, 11, "calendar"},
	{"lte-index", 1399, 319, 10, "minus"},
	{"lte-index", 295, 314, 12, "pie chart"},
	{"lte-index", 876, 727, 12, "chats"},
	{"lte-index", 911, 727, 10, "close"},
	{"sb-index", 636, 34, 12, "search"},
	{"sb-index", 24, 99, 10, "gauge"},
	{"sb-index", 24, 188, 10, "settings"},
	{"sb-index", 24, 244, 10, "wrench"},
	{"sb-index", 24, 332, 10, "folder"},
	{"sb-index", 24, 388, 10, "area chart"},
	{"sb-index", 24, 444, 10, "table"},
	{"sb-index", 1292, 111, 8, "download"},
	{"sb-index", 487, 200, 20, "calendar"},
	{"sb-index", 790, 200, 20, "dollar"},
	{"sb-index", 1085, 201, 20, "clipboard"},
	{"sb-index", 1377, 200, 22, "chats"},
	{"sb-index", 989, 305, 10, "dots vertical"},
	{"sb-buttons", 333, 341, 11, "check"},
	{"sb-buttons", 378, 341, 11, "info"},
	{"sb-buttons", 422, 341, 11, "warning"},
	{"sb-buttons", 467, 341, 11, "trash"},
	{"sb-buttons", 886, 356, 12, "flag"},
	{"sb-buttons", 885, 585, 11, "arrow right"},
	{"lte-timeline-small", 298, 194, 10, "mail"},
	{"lte-timeline-small", 934, 198, 7, "clock"},
	{"lte-timeline-small", 298, 390, 10, "user"},
	{"lte-timeline-small", 298, 665, 10, "camera"},
}

// TestScreens names icons of real pages, with what the library has of Font
// Awesome and without it.
func TestScreens(t *testing.T) {
	folder := os.Getenv("EVAL_DIR")
	if _, err := os.Stat(filepath.Join(folder, onScreens[0].screen+".png")); err != nil {
		t.Skip("EVAL_DIR has no screens of AdminLTE")
	}
	for _, c := range []struct {
		kind    string
		library *library
		least   int
	}{
		{"with Font Awesome", theLibrary(), 63},
		{"without", without(drawings(t), "fontawesome"), 54},
	} {
		t.Run(c.kind, func(t *testing.T) {
			sum, screens := tally{}, map[string]image.Image{}
			for _, icon := range onScreens {
				if screens[icon.screen] == nil {
					screens[icon.screen] = readScreen(t, filepath.Join(folder, icon.screen+".png"))
				}
				s, ok := shapeOf(cut(screens[icon.screen], image.Rect(icon.x-icon.half, icon.y-icon.half, icon.x+icon.half, icon.y+icon.half)))
				if !ok {
					t.Errorf("%v is blank", icon)
					continue
				}
				found := c.library.match(&s)
				sum.add(found, icon.name)
				if found[0].Name != icon.name {
					t.Logf("%s: %v is %v", c.kind, icon, found)
				}
			}
			t.Logf("%s: %v", c.kind, &sum)
			if sum.first < c.least {
				t.Errorf("%s: %d are named rightly, and should be %d", c.kind, sum.first, c.least)
			}
		})
	}
}

func readScreen(t *testing.T, file string) image.Image {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	screen, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return screen
}

// cut returns the ink in a box: how far each pixel is from what is most often
// at the box's edge, against the farthest.
func cut(screen image.Image, box image.Rectangle) *image.Alpha {
	counts, ground := map[color.NRGBA]int{}, color.NRGBA{}
	at := func(x, y int) color.NRGBA { return color.NRGBAModel.Convert(screen.At(x, y)).(color.NRGBA) }
	count := func(x, y int) {
		c := at(x, y)
		counts[c]++
		if counts[c] > counts[ground] {
			ground = c
		}
	}
	for i := range box.Dx() {
		count(box.Min.X+i, box.Min.Y)
		count(box.Min.X+i, box.Max.Y-1)
		count(box.Min.X, box.Min.Y+i)
		count(box.Max.X-1, box.Min.Y+i)
	}
	apart := func(a, b uint8) int { return max(int(a), int(b)) - min(int(a), int(b)) }
	mask, most := image.NewAlpha(image.Rect(0, 0, box.Dx(), box.Dy())), 1
	far := make([]int, len(mask.Pix))
	for i := range far {
		c := at(box.Min.X+i%box.Dx(), box.Min.Y+i/box.Dx())
		far[i] = apart(c.R, ground.R) + apart(c.G, ground.G) + apart(c.B, ground.B)
		most = max(most, far[i])
	}
	for i, d := range far {
		mask.Pix[i] = uint8(255 * d / most)
	}
	return mask
}
