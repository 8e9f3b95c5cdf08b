package locate

import (
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// How likely a difference makes an element the selected one of its peers, 0 to 1.
const (
	otherGround = 0.75 // only its ground has another color
	otherInk    = 0.65 // only its text or icon has another color
)

// The minimum difference of different colors, 0 to 765, as elements.Apart returns it. The value for
// inks is higher because smoothing makes thin writing paler.
const (
	groundsApart = 24
	inksApart    = 130
)

// selected returns how likely an element is the selected one of its peers, 0 to 1. For example, the
// open page of a menu has a text or icon in another color, or on another ground.
func (s *screen) selected(i int) float64 {
	if s.standouts == nil {
		s.standouts = map[int]float64{}
		for leaf := range s.list {
			s.addStandout(leaf)
		}
	}
	return s.standouts[i]
}

// addStandout marks a text or icon that differs from its peers, and the containers with it alone.
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

// holdsAny reports whether element p contains one of others except leaf.
func (s *screen) holdsAny(p, leaf int, others []int) bool {
	return slices.ContainsFunc(others, func(o int) bool { return o != leaf && isIn(s.list[o].Box, s.list[p].Box) > 0.5 })
}

// maxPeers is the maximum number of peers in a row or column that are compared.
const maxPeers = 16

// peers returns the texts or icons similar to a leaf beside it, and those above or below it.
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

// oddness returns how likely a leaf is the selected one of its peers: otherGround, otherInk or 0.
// It returns 0 for fewer than two peers.
func (s *screen) oddness(leaf int, peers []int) float64 {
	if len(peers) < 2 {
		return 0
	}
	ground := func(i int) *elements.Color { _, c := elements.GroundOf(s.list, i); return c }
	grounds, inks := 0, 0
	for _, p := range peers {
		if apart(ground(p), ground(leaf)) > groundsApart {
			grounds++
		}
		if far := apart(s.list[p].Ink, s.list[leaf].Ink); far > inksApart || far > inksApart/2 && isVivid(s.list[leaf].Ink) && !isVivid(s.list[p].Ink) {
			inks++
		}
	}
	switch {
	case grounds == len(peers) && s.alike(peers, ground, groundsApart):
		return otherGround
	case inks == len(peers) && s.alike(peers, func(i int) *elements.Color { return s.list[i].Ink }, inksApart) && s.isLouder(leaf, peers[0]):
		return otherInk
	}
	return 0
}

// isOfBar reports whether a leaf is part of a bar, or the head of a column.
func (s *screen) isOfBar(leaf int, row, column []int) bool {
	n := 0
	if !slices.ContainsFunc(column, func(o int) bool { return s.list[o].Box.Min.Y < s.list[leaf].Box.Min.Y }) {
		n++
	}
	face, _ := elements.GroundOf(s.list, leaf)
	for _, o := range row {
		if p, _ := elements.GroundOf(s.list, o); p == face {
			n++
		}
	}
	return n >= 2
}

// isLouder reports whether a leaf's color is vivid, or contrasts more than a peer's.
func (s *screen) isLouder(leaf, peer int) bool {
	ink := s.list[leaf].Ink
	_, ground := elements.GroundOf(s.list, leaf)
	return isVivid(ink) || apart(ink, ground) > apart(s.list[peer].Ink, ground)
}

// alike reports whether the colors of elements differ from the first one's by at most most.
func (s *screen) alike(list []int, color func(int) *elements.Color, most int) bool {
	return !slices.ContainsFunc(list, func(i int) bool { return apart(color(list[0]), color(i)) > most })
}

// apart returns the difference of two colors, 0 to 765. If only one is nil, it returns a number
// just above groundsApart.
func apart(a, b *elements.Color) int {
	switch {
	case a == b:
		return 0
	case a == nil || b == nil:
		return groundsApart + 1
	}
	return elements.Apart(*a, *b)
}

// isVivid reports whether a color is colorful enough for the face of a button. Faces of fields are
// not.
func isVivid(c *elements.Color) bool {
	return c != nil && max(c.R, c.G, c.B)-min(c.R, c.G, c.B) > 40
}
