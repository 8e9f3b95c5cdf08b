package unet

import (
	"context"
	"slices"
	"sync"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/layers"
)

// border is the number of empty places around a plane: half of the largest window.
const border = 2

// plane has the activations of a layer by rows, then columns, then channels, with a border of
// zeros.
type plane struct {
	at                      []int8
	width, height, channels int
}

// reset makes an empty plane. It reuses the memory.
func (p *plane) reset(width, height, channels int) {
	p.width, p.height, p.channels = width, height, channels
	n := (height + 2*border) * p.stride()
	p.at = slices.Grow(p.at[:0], n)[:n]
	clear(p.at)
}

// stride returns the number of activations from one row to the next.
func (p *plane) stride() int { return (p.width + 2*border) * p.channels }

// row returns the activations of a row.
func (p *plane) row(y int) []int8 {
	return p.at[(y+border)*p.stride()+border*p.channels:][:p.width*p.channels]
}

// workspace has the buffers of a run. They grow to the largest picture so far.
type workspace struct {
	quarter, eighth, sixteenth [2]plane
	parts                      []cells // of each part
	groups                     grouper
}

// scratch has the buffers of a row of places.
type scratch struct {
	windows            []int8
	sums, twice, extra []int32
	on                 []uint8
}

// scratches reuses them.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// rowOf returns room for the windows of a row of places, and for those of the batch beyond it.
func (s *scratch) rowOf(places, window int) []int8 {
	n := (places + layers.Batch) * window
	s.windows = slices.Grow(s.windows[:0], n)[:n]
	return s.windows
}

// blockRows is how many rows of places one task computes.
const blockRows = 8

// eachRow calls do for n rows of places in blocks, in parallel. It starts no more blocks after ctx ends.
func eachRow(ctx context.Context, n int, do func(s *scratch, y int)) {
	// Find returns the error of ctx
	_ = fair.Each(ctx, (n+blockRows-1)/blockRows, func(block int) {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		for y := block * blockRows; y < min(n, (block+1)*blockRows); y++ {
			do(s, y)
		}
	})
}

// run computes the cells of a picture. They are incomplete after ctx ends.
func (m *Model) run(ctx context.Context, w *workspace, p picture) {
	across, down := p.cells()
	q, e, s := &w.quarter, &w.eighth, &w.sixteenth
	for i := range 2 {
		q[i].reset(across, down, m.patch.Outputs)
		e[i].reset(across/2, down/2, m.down8.point.Outputs)
		s[i].reset(across/4, down/4, m.down16.point.Outputs)
	}
	eachRow(ctx, down, func(s *scratch, y int) {
		windows := s.rowOf(across, patchBytes)
		p.patches(windows, y, across)
		m.kernel.Activate(&m.patch, m.multiply(s, &m.patch, windows, patchBytes, across), q[0].row(y))
	})
	m.mix(ctx, &m.first, &q[0], &q[1])
	m.mix(ctx, &m.down8, &q[1], &e[0])
	at8 := m.mixes(ctx, m.mixes8, e, 0)
	m.mix(ctx, &m.down16, &e[at8], &s[0])
	at16 := m.mixes(ctx, m.mixes16, s, 0)
	m.up(ctx, &m.up8, &s[at16], &e[at8])
	m.mix(ctx, &m.join8, &e[at8], &e[1-at8])
	m.up(ctx, &m.up4, &e[1-at8], &q[1])
	m.mix(ctx, &m.join4, &q[1], &q[0])
	m.mix(ctx, &m.last, &q[0], &q[1])
	m.score(ctx, w, &q[1], (p.width+1)/2, (p.height+1)/2)
}

// mixes runs mixes one after the other, between two planes. at is the plane with the input; mixes
// returns the plane with the output.
func (m *Model) mixes(ctx context.Context, list []mix, planes *[2]plane, at int) int {
	for i := range list {
		m.mix(ctx, &list[i], &planes[at], &planes[1-at])
		at = 1 - at
	}
	return at
}

// multiply returns the sums of n windows, which begin stride bytes apart.
func (m *Model) multiply(s *scratch, l *layers.Layer, windows []int8, stride, n int) []int32 {
	each := l.Sums()
	s.sums = slices.Grow(s.sums[:0], (n+layers.Batch)*each)[:(n+layers.Batch)*each]
	for i := 0; i < n; i += layers.Batch {
		m.kernel.Multiply(l, windows[i*stride:], stride, s.sums[i*each:])
	}
	return s.sums
}

// mix runs a mix from one plane to another.
func (m *Model) mix(ctx context.Context, x *mix, in, out *plane) {
	c := in.channels
	var at []int
	for column := range x.window {
		for row := range x.window {
			at = append(at, row*in.stride()+column*c)
		}
	}
	places, reach := x.deep.Places(at), x.window/2
	eachRow(ctx, out.height, func(s *scratch, y int) {
		windows := s.rowOf(out.width, c)
		from := in.at[(y*x.step+border-reach)*in.stride()+(border-reach)*c:]
		m.kernel.Depthwise(&x.deep, from, places, x.step*c, windows[:out.width*c])
		sums := m.multiply(s, &x.point, windows, c, out.width)
		if x.adds {
			m.kernel.ActivateOn(&x.point, sums, in.row(y), out.row(y))
		} else {
			m.kernel.Activate(&x.point, sums, out.row(y))
		}
	})
}

// up adds a layer of a plane to the plane of twice its size: each sum to four places.
func (m *Model) up(ctx context.Context, l *layers.Layer, in, out *plane) {
	each := l.Sums()
	eachRow(ctx, in.height, func(s *scratch, y int) {
		windows := s.rowOf(in.width, in.channels)
		copy(windows, in.row(y))
		sums := m.multiply(s, l, windows, in.channels, in.width)
		s.twice = slices.Grow(s.twice[:0], 2*in.width*each)[:2*in.width*each]
		for x := range in.width {
			own := sums[x*each:][:each]
			copy(s.twice[2*x*each:], own)
			copy(s.twice[(2*x+1)*each:], own)
		}
		for below := range 2 {
			row := out.row(2*y + below)
			m.kernel.ActivateOn(l, s.twice, row, row)
		}
	})
}
