package perception

import (
	"encoding/binary"
	"image"
	"math"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/windieos/windie/sdkapi"
)

// cache stores recently used scenes: up to liveScenes as objects with their memos, and more of them
// packed into strings within a budget of bytes. It is not safe for concurrent use.
type cache struct {
	live   *simplelru.LRU[Key, *Scene]
	packed *Recent[Key]
}

const (
	liveScenes     = 32  // maximum number of live scenes; a dense one takes about 200 KB
	fullConfidence = 1e5 // the packed form of confidence 1: finer than any response shows
)

// newCache returns an empty cache whose packed scenes take about budget bytes. Live scenes do not count.
func newCache(budget int64) *cache {
	live, _ := simplelru.NewLRU[Key, *Scene](liveScenes, nil) // fails only for a size below one
	return &cache{live: live, packed: NewRecent[Key](budget)}
}

// get returns the scene of a key. A packed scene becomes live again, without its memos.
func (c *cache) get(key Key) (*Scene, bool) {
	if s, ok := c.live.Get(key); ok {
		return s, true
	}
	packed, ok := c.packed.Get(key)
	if !ok {
		return nil, false
	}
	s := unpack(key, packed)
	c.live.Add(key, s)
	return s, true
}

// add stores a scene as a live one and packed, so that the packed form is there when the live one is discarded.
func (c *cache) add(s *Scene) {
	c.live.Add(s.Key(), s)
	c.packed.Put(s.Key(), s.pack())
}

// pack encodes s as a string for unpack. It omits the hash, the reading, texts of rows and other
// fields that unpack derives.
func (s *Scene) pack() string {
	p := packer{}
	p.text(s.ContentType)
	p.numbers(s.Width, s.Height, len(s.Rows))
	for _, r := range s.Rows {
		p.text(string(r.Script))
		p.numbers(len(r.Words))
		for _, w := range r.Words {
			p.text(w.Text)
			p.numbers(w.Box.Min.X, w.Box.Min.Y, w.Box.Dx(), w.Box.Dy())
			p.numbers(int(math.Round(w.Confidence * fullConfidence)))
		}
	}
	return string(p.data)
}

// unpack decodes a scene from the result of pack. It panics on any other string.
func unpack(key Key, packed string) *Scene {
	p := packer{data: []byte(packed)}
	s := &Scene{user: key.User, SHA256: key.SHA256, Reading: key.Reading, again: key.Again}
	s.ContentType = p.nextText()
	s.Width, s.Height = p.next(), p.next()
	s.Rows = make([]Row, p.next())
	for i := range s.Rows {
		script := sdkapi.Script(p.nextText())
		words := make([]Word, p.next())
		for j := range words {
			w := &words[j]
			w.Text = p.nextText()
			w.Box.Min = image.Pt(p.next(), p.next())
			w.Box.Max = w.Box.Min.Add(image.Pt(p.next(), p.next()))
			w.Confidence = float64(p.next()) / fullConfidence
		}
		s.Rows[i] = NewRow(words)
		s.Rows[i].Script = script
		s.Rows[i].ID = rowID(s.SHA256, s.Rows[i])
	}
	return s
}

// packer appends values to data, or takes them off its front.
type packer struct{ data []byte }

// numbers appends numbers, small ones in few bytes.
func (p *packer) numbers(list ...int) {
	for _, n := range list {
		p.data = binary.AppendVarint(p.data, int64(n))
	}
}

// text appends the length and the bytes of a text.
func (p *packer) text(s string) {
	p.numbers(len(s))
	p.data = append(p.data, s...)
}

// next takes the next number off the front of data. It panics if data is too short.
func (p *packer) next() int {
	n, size := binary.Varint(p.data)
	p.data = p.data[size:]
	return int(n)
}

// nextText takes the next text off the front of data. It panics if data is too short.
func (p *packer) nextText() string {
	n := p.next()
	text := string(p.data[:n])
	p.data = p.data[n:]
	return text
}
