package locate

import (
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// How much a difference says that an element is the selected one of its peers.
const (
	otherGround = 1.0 // it alone has a face
	otherInk    = 0.7 // it alone is written in another color
)

// How far apart colors are at least that are not one, 0 to 765. Smoothing makes
// thin writing paler than it is.
const (
	groundsApart = 24
	inksApart    = 130
)

// selected tells how well an element is the one that stands out of its peers,
// as the open page in a menu does: by its text or icon, which alone has another
// color, or is on another one.
func (s *screen) selected(i int) float64 {
	if s.standouts == nil {
		s.standouts = map[int]float64{}
		for leaf := range s.list {
			s.addStandout(leaf)
		}
	}
	return s.standouts[i]
}

// addStandout marks a text or icon that stands out, and what it is in as far as
// none of its peers is.
func (s *screen) addStandout(leaf int) {
	if !isLeaf(s.list[leaf].Role) || s.list[leaf].Ink == nil {
		return
	}
	row, column := s.peers(leaf)
	for n, peers := range [][]int{row, column} {
		odd := s.oddness(leaf, peers)
		if n > 0 && odd == otherGround && s.isOfBar(leaf, row, peers) {
			continue // it is one of a bar above or below a list
		}
		for p := leaf; p >= 0 && odd > 0 && !s.holdsAny(p, leaf, peers); p = s.list[p].Parent {
			s.standouts[p] = max(s.standouts[p], odd)
		}
	}
}

func isLeaf(role elements.Role) bool {
	return role == elements.Text || role == elements.Link || role == elements.Icon
}

// holdsAny reports whether an element holds one of others than leaf.
func (s *screen) holdsAny(p, leaf int, others []int) bool {
	for _, o := range others {
		if o != leaf && isIn(s.list[o].Box, s.list[p].Box) > 0.5 {
			return true
		}
	}
	return false
}

// maxPeers is how many peers are looked at on a line.
const maxPeers = 16

// peers returns what is beside and what is below or above a text or icon, and
// like it.
func (s *screen) peers(leaf int) (row, column []int) {
	a := &s.list[leaf]
	for i := range s.list {
		if len(row) == maxPeers || len(column) == maxPeers {
			break
		}
		b := &s.list[i]
		if i == leaf || b.Ink == nil || !isLeaf(b.Role) || (a.Role == elements.Icon) != (b.Role == elements.Icon) ||
			10*geo.Abs(a.Box.Dy()-b.Box.Dy()) > 4*max(a.Box.Dy(), b.Box.Dy()) {
			continue
		}
		far := geo.Center(a.Box).Sub(geo.Center(b.Box))
		switch {
		case s.near(far.Y, 5) && s.near(far.X, 320):
			row = append(row, i)
		case (s.near(a.Box.Min.X-b.Box.Min.X, 5) || s.near(far.X, 5)) && s.near(far.Y, 150):
			column = append(column, i)
		}
	}
	return row, column
}

// near reports whether a distance is at most so many pixels of a usual screen.
func (s *screen) near(d, most int) bool { return float64(geo.Abs(d)) <= float64(most)*s.unit }

// oddness tells how much a leaf stands out of two or more peers that do not
// stand out of each other.
func (s *screen) oddness(leaf int, peers []int) float64 {
	if len(peers) < 2 {
		return 0
	}
	ground, ink := 0, 0
	for _, p := range peers {
		if apart(s.groundOf(p), s.groundOf(leaf)) > groundsApart {
			ground++
		}
		if far := apart(s.list[p].Ink, s.list[leaf].Ink); far > inksApart || far > inksApart/2 && isVivid(s.list[leaf].Ink) && !isVivid(s.list[p].Ink) {
			ink++
		}
	}
	switch {
	case ground == len(peers) && s.alike(peers, s.groundOf, groundsApart):
		return otherGround
	case ink == len(peers) && s.alike(peers, func(i int) *elements.Color { return s.list[i].Ink }, inksApart) && s.isLouder(leaf, peers[0]):
		return otherInk
	}
	return 0
}

// isOfBar reports whether a leaf is one of a bar, or the head of a column: what
// is beside it is on the same ground, and it is above its peers.
func (s *screen) isOfBar(leaf int, row, column []int) bool {
	n := 0
	if !slices.ContainsFunc(column, func(o int) bool { return s.list[o].Box.Min.Y < s.list[leaf].Box.Min.Y }) {
		n++
	}
	for _, o := range row {
		if s.faceOf(o) == s.faceOf(leaf) {
			n++
		}
	}
	return n >= 2
}

// isLouder reports whether a leaf has a color, or can be told better from its
// ground than a peer. What is paler than its peers cannot be used.
func (s *screen) isLouder(leaf, peer int) bool {
	ink, ground := s.list[leaf].Ink, s.groundOf(leaf)
	return isVivid(ink) || apart(ink, ground) > apart(s.list[peer].Ink, ground)
}

// alike reports whether elements have one color.
func (s *screen) alike(list []int, color func(int) *elements.Color, most int) bool {
	for _, i := range list[1:] {
		if apart(color(list[0]), color(i)) > most {
			return false
		}
	}
	return true
}

// groundOf returns the color that an element is on, nil for none.
func (s *screen) groundOf(i int) *elements.Color {
	if p := s.faceOf(i); p >= 0 {
		return s.list[p].Fill
	}
	return nil
}

// faceOf returns what has a color and an element on it, -1 for none.
func (s *screen) faceOf(i int) int {
	p := s.list[i].Parent
	for p >= 0 && s.list[p].Fill == nil {
		p = s.list[p].Parent
	}
	return p
}

// apart is how far two colors are from each other, of which one may be missing.
func apart(a, b *elements.Color) int {
	if a == nil || b == nil {
		if a == b {
			return 0
		}
		return groundsApart + 1
	}
	return elements.Apart(*a, *b)
}
