package elements

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/windieos/windie/perception/elements/icons"
	"github.com/windieos/windie/perception/geo"
)

// lined is a screen with lines on white, each from a point to another.
func lined(width, height int, lines ...[4]int) *finder {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for _, l := range lines {
		from, to := image.Pt(l[0], l[1]), image.Pt(l[2], l[3])
		steps := max(1, abs(to.X-from.X), abs(to.Y-from.Y))
		for i := range steps + 1 {
			x, y := from.X+(to.X-from.X)*i/steps, from.Y+(to.Y-from.Y)*i/steps
			img.Set(x, y, color.Black)
			img.Set(x+1, y, color.Black)
		}
	}
	return &finder{ctx: context.Background(), img: img, unit: 1}
}

func abs(n int) int { return max(n, -n) }

func TestCrossesAndTicks(t *testing.T) {
	t.Parallel()
	box := image.Rect(4, 4, 16, 16)
	for name, tt := range map[string]struct {
		lines       [][4]int
		cross, tick bool
	}{
		"cross":    {[][4]int{{5, 5, 14, 14}, {14, 5, 5, 14}}, true, false},
		"plus":     {[][4]int{{9, 5, 9, 14}, {5, 9, 14, 9}}, false, false},
		"square":   {[][4]int{{5, 5, 14, 5}, {5, 14, 14, 14}, {5, 5, 5, 14}, {13, 5, 13, 14}}, false, false},
		"tick":     {[][4]int{{6, 10, 8, 13}, {8, 13, 14, 6}}, false, true},
		"dash":     {[][4]int{{6, 10, 13, 10}}, false, true},
		"backward": {[][4]int{{5, 6, 11, 13}, {11, 13, 14, 10}}, false, false},
		"nothing":  {nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := lined(20, 20, tt.lines...)
			if got := f.isCross(box); got != tt.cross {
				t.Errorf("a cross: %v", got)
			}
			if got := f.isTick(box); got != tt.tick {
				t.Errorf("a tick: %v", got)
			}
		})
	}
}

// The last buttons of a bar that end with a cross are named; a cross amid the bar names nothing.
func TestTitleBarsAreNamed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		at   []int // where the three symbols are
		want []string
	}{
		"at the end": {[]int{320, 350, 380}, []string{"minus", "maximize", "close"}},
		"two":        {[]int{250, 345, 380}, []string{"", "minus", "close"}},
		"amid":       {[]int{100, 130, 160}, []string{"", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := lined(400, 300)
			for i, x := range tt.at {
				e := Element{Role: Icon, Box: image.Rect(x-6, 12, x+6, 24), kind: symbol, Parent: -1}
				if i == len(tt.at)-1 {
					e.Icons = []icons.Candidate{{Name: "close", Score: 0.3}}
				}
				f.list = append(f.list, e)
			}
			f.nameTitleBars()
			for i, want := range tt.want {
				if got := f.list[i].Icon(); got != want {
					t.Errorf("symbol %d is %q, want %q", i, got, want)
				}
			}
		})
	}
}

// A bar that is paler at its top is no face. Its cross, square and dash are buttons all the same; without the cross they are not.
func TestButtonsOfShadedBars(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		crossed bool
		want    []string
	}{
		"with a cross": {true, []string{"close", "maximize", "minus"}},
		"without one":  {false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := image.NewNRGBA(image.Rect(0, 0, 500, 300))
			draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
			for y := range 24 {
				draw.Draw(img, image.Rect(0, y, 500, y+1), image.NewUniform(color.NRGBA{uint8(120 + 5*y), uint8(140 + 4*y), 240, 255}), image.Point{}, draw.Src)
			}
			box := func(x0, y0, x1, y1 int) {
				draw.Draw(img, image.Rect(x0, y0, x1, y1), image.Black, image.Point{}, draw.Src)
			}
			box(430, 15, 440, 17)
			box(453, 7, 463, 17)
			draw.Draw(img, image.Rect(455, 9, 461, 15), image.White, image.Point{}, draw.Src)
			for i := range 10 {
				box(476+i, 7+i, 478+i, 8+i)
				if tt.crossed {
					box(485-i, 7+i, 487-i, 8+i)
				}
			}
			list, err := Find(t.Context(), img, nil)
			if err != nil {
				t.Fatal(err)
			}
			named := map[string]image.Point{}
			for _, e := range list {
				if e.Role == IconButton && e.kind == control {
					named[e.Icon()] = geo.Center(e.Box)
				}
			}
			if len(named) != len(tt.want) {
				t.Errorf("found %v, want %v", named, tt.want)
			}
			for i, at := range tt.want {
				if p := named[at]; abs(p.X-(481-23*i)) > 4 || abs(p.Y-12) > 6 {
					t.Errorf("%s is at %v", at, p)
				}
			}
		})
	}
}
