package reader

import (
	"fmt"
	"image"
	"reflect"
	"strings"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/textline"
	"github.com/windieos/windie/sdkapi"
)

// TestLineCache checks that the cache returns a line unchanged.
func TestLineCache(t *testing.T) {
	t.Parallel()
	c := lineCache{perception.NewRecent[lineKey](1 << 16)}
	for i, text := range []*lineText{
		{},
		{capital: 11.5, baseline: 13.25},
		{pitch: 8.4, markedZeros: true, words: []word{{text: "A0", hollowZeros: true}, {text: "B"}}},
		{capital: 8, words: []word{{text: "Größe", confidence: 0.5, x0: 1, y0: 2, x1: 300, y1: 14}, {text: "", x0: -1}}},
		{words: []word{{text: strings.Repeat("x", maxWord)}}},
	} {
		key := lineKey{look: [16]byte{byte(i)}}
		if c.get(key) != nil {
			t.Errorf("%d was there before", i)
		}
		c.add(key, text)
		if got := c.get(key); !reflect.DeepEqual(got, text) {
			t.Errorf("%+v became %+v", text, got)
		}
	}
	c.add(lineKey{look: [16]byte{99}}, &lineText{words: []word{{text: strings.Repeat("x", maxWord+1)}}})
	if c.get(lineKey{look: [16]byte{99}}) != nil {
		t.Error("a word too long to pack is kept")
	}
}

// TestForgetLines checks that Forget removes the lines of one user, and no others.
func TestForgetLines(t *testing.T) {
	t.Parallel()
	e := New(Config{})
	for _, owner := range []string{"ada", "ben"} {
		e.lines.add(lineKey{owner: owner}, &lineText{})
	}
	if e.Forget("ada"); e.lines.get(lineKey{owner: "ada"}) != nil || e.lines.get(lineKey{owner: "ben"}) == nil {
		t.Error("ada's line is kept, or ben's is gone")
	}
}

// TestKeys checks that lines with other ink, sizes, languages or owners have different keys.
func TestKeys(t *testing.T) {
	t.Parallel()
	seen := map[lineKey]int{}
	for i, l := range []struct {
		size      image.Point
		ink       string
		languages string
		owner     string
	}{
		{image.Pt(2, 3), "abcdef", "eng", ""},
		{image.Pt(3, 2), "abcdef", "eng", ""},
		{image.Pt(2, 3), "abcdeg", "eng", ""},
		{image.Pt(2, 3), "abcdef", "deu", ""},
		{image.Pt(2, 3), "abcdef", "eng", "ada"},
	} {
		t.Run(fmt.Sprint(l.ink, " ", l.languages), func(t *testing.T) {
			key := inkKey(patchOf(l.size, l.ink), wayOf(sdkapi.Reading{Languages: l.languages}), l.owner)
			if j, ok := seen[key]; ok {
				t.Errorf("%d has the key of %d", i, j)
			}
			seen[key] = i
		})
	}
}

func patchOf(size image.Point, ink string) *textline.Patch {
	return &textline.Patch{Width: size.X, Height: size.Y, Ink: []uint8(ink)}
}
