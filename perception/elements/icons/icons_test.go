package icons_test

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/perception/elements/icons"
)

// maskOf makes a mask of lines, from blank to #.
func maskOf(lines string) *image.Alpha {
	rows := strings.Split(strings.Trim(lines, "\n"), "\n")
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	mask := image.NewAlpha(image.Rect(0, 0, width, len(rows)))
	for y, row := range rows {
		for x, c := range row {
			mask.Pix[y*mask.Stride+x] = uint8(255 * strings.IndexRune(" .:o#", c) / 4)
		}
	}
	return mask
}

// golden are icons as they are on screens.
var golden = map[string]string{
	"search": `
   :o##o:
  o##oo##o
 o#:    :#o
:#o      o#:
o#        #o
o#        #o
:#o      o#:
 o#:    :##
  o##oo###o
   :o##o:o#o
          o#o
           o#o
            o#o
             o#`,
	"menu": `
############
############


############
############


############
############`,
	"close": `
#o        o#
o#o      o#o
 o#o    o#o
  o#o  o#o
   o#oo#o
    o##o
    o##o
   o#oo#o
  o#o  o#o
 o#o    o#o
o#o      o#o
#o        o#`,
	"chevron right": `
#o
o#o
 o#o
  o#o
   o#o
    o#
   o#o
  o#o
 o#o
o#o
#o`,
	"dots horizontal": `
:o:   :o:   :o:
o#o   o#o   o#o
:o:   :o:   :o:`,
	"play": `
#o
###o
#####o
#######o
#########o
##########o
##########o
#########o
#######o
#####o
###o
#o`,
	"download": `
     ##
     ##
     ##
     ##
 ##  ##  ##
  ## ## ##
   ######
    ####
#    ##    #
#          #
#          #
############`,
}

func TestMatchGolden(t *testing.T) {
	for name, lines := range golden {
		found := icons.Match(maskOf(lines))
		if len(found) == 0 || found[0].Name != name || found[0].Score < icons.Sure {
			t.Errorf("%s is %v", name, found)
		}
	}
}

// A mask that is part of another is looked at where it is.
func TestMatchPartOfAMask(t *testing.T) {
	icon := maskOf(golden["search"])
	large := image.NewAlpha(image.Rect(-5, -5, 60, 60))
	for i := range large.Pix {
		large.Pix[i] = 200
	}
	box := icon.Rect.Add(image.Pt(11, 7))
	part := large.SubImage(box).(*image.Alpha)
	for y := range icon.Rect.Dy() {
		copy(part.Pix[y*part.Stride:][:icon.Rect.Dx()], icon.Pix[y*icon.Stride:])
	}
	if got, want := icons.Match(part), icons.Match(icon); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMatchLimits(t *testing.T) {
	dark := func(w, h int) *image.Alpha {
		mask := image.NewAlpha(image.Rect(0, 0, w, h))
		for i := range mask.Pix {
			mask.Pix[i] = 255
		}
		return mask
	}
	for _, c := range []struct {
		name  string
		mask  *image.Alpha
		names bool
	}{
		{"empty", dark(0, 0), false},
		{"no wide", dark(0, 12), false},
		{"too small", dark(icons.MinSide-1, icons.MinSide-1), false},
		{"smallest", dark(icons.MinSide, 1), true},
		{"largest", dark(icons.MaxSide, icons.MaxSide), true},
		{"too large", dark(icons.MaxSide+1, 8), false},
		{"too high", dark(8, icons.MaxSide+1), false},
		{"blank", image.NewAlpha(image.Rect(0, 0, 16, 16)), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if found := icons.Match(c.mask); len(found) > 0 != c.names {
				t.Errorf("%s: %v", c.name, found)
			}
		})
	}
}

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"search", []string{"search"}},
		{"the Magnifying Glass icon", []string{"search"}},
		{"cog", []string{"settings"}},
		{"hamburger-menu", []string{"menu"}},
		{"bin", []string{"trash"}},
		{"bins", []string{"trash"}},
		{"users", []string{"users"}},
		{"wi-fi", []string{"wifi"}},
		{"e-mail", []string{"mail"}},
		{"forward", []string{"redo", "fast forward"}},
		{"target", []string{"target"}},
		{"letter", []string{"mail"}},
		{"", nil},
		{"icon", nil},
		{"no such thing", nil},
		{strings.Repeat("search ", 20), nil},
	} {
		t.Run(fmt.Sprintf("%.50q", c.text), func(t *testing.T) {
			if got := icons.Lookup(c.text); !slices.Equal(got, c.want) {
				t.Errorf("%q is %q, want %q", c.text, got, c.want)
			}
		})
	}
}

// Each concept is found by its name and by all that it is called.
func TestConcepts(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range icons.Concepts() {
		if seen[c.Name] {
			t.Errorf("%s is there twice", c.Name)
		}
		seen[c.Name] = true
		if names := icons.Lookup(c.Name); len(names) == 0 || names[0] != c.Name {
			t.Errorf("%s looked up is %q", c.Name, names)
		}
		for _, text := range c.Say {
			if !slices.Contains(icons.Lookup(text), c.Name) {
				t.Errorf("%q looked up is %q, without %s", text, icons.Lookup(text), c.Name)
			}
		}
	}
	if len(seen) < 70 {
		t.Errorf("there are %d concepts", len(seen))
	}
}

func FuzzMatch(f *testing.F) {
	for _, lines := range golden {
		mask := maskOf(lines)
		f.Add(uint8(mask.Rect.Dx()), uint8(mask.Rect.Dy()), mask.Pix)
	}
	f.Add(uint8(128), uint8(1), []byte{255})
	f.Fuzz(func(t *testing.T, w, h uint8, pix []byte) {
		mask := image.NewAlpha(image.Rect(0, 0, int(w), int(h)))
		copy(mask.Pix, pix)
		found := icons.Match(mask)
		if len(found) > icons.MaxCandidates {
			t.Fatalf("%d candidates", len(found))
		}
		last := 1.0
		for _, c := range found {
			if !(c.Score >= 0 && c.Score <= last) || c.Name == "" || c.Name == "letter" {
				t.Fatalf("%v", found)
			}
			last = c.Score
		}
	})
}

func FuzzLookup(f *testing.F) {
	f.Add("the magnifying glass icon")
	f.Add("\xff\x00-- s")
	f.Fuzz(func(t *testing.T, text string) {
		if names := icons.Lookup(text); len(names) > 8 {
			t.Fatalf("%q may be %q", text, names)
		}
	})
}
