// Package reader is Windie's own text reader. It finds the rows of text of a screen (package
// textmap) and the letters in them (package textline), and reads them with Windie's network (package
// convnet), which is in the binary. Languages that it does not know need Tesseract's network of the
// language (package lstm), which is a file.
//
//	engine := reader.New(reader.Config{})
//	rows, err := engine.Read(ctx, screen, sdkapi.Reading{})
//
// The cache identifies a line only by its look and by how it is read. A new frame of a screen
// therefore costs only the reading of its new lines, and no cached text is outdated.
//
// If the network is unsure of a line, it reads the line again in another geometry. The reader
// compares the text with the ink to find spaces (spelling.go). It corrects characters by their
// neighbours (tidy.go). It drops short rows that are unlikely to be
// text (sift.go).
package reader

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"image"
	"slices"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/textline"
	"github.com/windieos/windie/perception/textmap"
	"github.com/windieos/windie/sdkapi"
)

// Config configures an Engine. The zero value reads English with Windie's network.
type Config struct {
	Languages string // languages to read, for example "eng" or "eng+deu"; default "eng"
	// DataDir is the folder of the *.traineddata files of languages that Windie's network does not
	// know. If it is empty, they come from the folders of system packages.
	DataDir    string
	CacheBytes int64  // maximum bytes of cached lines; default 64 MiB
	Kernel     string // a name from lstm.Kernels; default the fastest kernel
}

// Engine implements perception.Engine. It caches the networks that it has loaded. Its methods are
// safe for concurrent use.
type Engine struct {
	cfg    Config
	models models
	lines  lineCache
}

var (
	_ perception.Engine    = (*Engine)(nil)
	_ perception.Measured  = (*Engine)(nil)
	_ perception.Forgetter = (*Engine)(nil)
)

const defaultCacheBytes = 64 << 20

// New returns an engine. The engine loads a network at its first use, so networks may be installed
// later.
func New(cfg Config) *Engine {
	cfg.Languages = cmp.Or(cfg.Languages, "eng")
	cfg.CacheBytes = cmp.Or(cfg.CacheBytes, defaultCacheBytes)
	cfg.Kernel = cmp.Or(cfg.Kernel, lstm.Kernels()[0])
	return &Engine{cfg: cfg, models: models{dir: cfg.DataDir, kernel: cfg.Kernel}, lines: lineCache{perception.NewRecent[lineKey](cfg.CacheBytes)}}
}

// Name returns the kernel and the languages, for example "windie avx2 (eng)".
func (e *Engine) Name() string { return fmt.Sprintf("windie %s (%s)", e.cfg.Kernel, e.cfg.Languages) }

// Ready implements perception.Engine. It loads the networks of the configured languages.
func (e *Engine) Ready(context.Context) error {
	_, err := e.models.load(e.cfg.Languages)
	return err
}

// Read implements perception.Engine.
func (e *Engine) Read(ctx context.Context, screen perception.Screen, how sdkapi.Reading) ([]perception.Row, error) {
	if how.Languages == "" {
		if err := e.Ready(ctx); err != nil {
			return nil, err
		}
		how.Languages = e.cfg.Languages
	} else if err := e.models.check(how.Languages); err != nil {
		return nil, err
	}
	networks, err := e.models.load(how.Languages)
	if err != nil {
		return nil, err
	}
	screen, halves, err := undoubled(ctx, screen)
	if err != nil {
		return nil, err
	}
	texts, found, err := e.find(ctx, screen.NRGBA)
	if err != nil {
		return nil, err
	}
	lines, err := e.cut(ctx, screen.Before, found, how)
	if err != nil {
		return nil, err
	}
	if err := e.read(ctx, networks, lines); err != nil {
		return nil, err
	}
	if lines, err = e.readApart(ctx, networks, screen.Before, found, lines, how); err != nil {
		return nil, err
	}
	rows := enlarged(withoutFalseScripts(rowsOf(lines, texts), screen.Before), halves)
	calibrate(rows)
	return rows, nil
}

// find returns the rows of text of a screen, and their lines that are high enough to read.
func (e *Engine) find(ctx context.Context, screen *image.NRGBA) ([]textmap.Row, []textline.Line, error) {
	finder, err := e.models.finder()
	if err != nil {
		return nil, nil, err
	}
	rows, err := finder.Find(ctx, screen)
	if err != nil {
		return nil, nil, err
	}
	lines, err := textline.Find(ctx, screen, rows)
	return rows, slices.DeleteFunc(lines, func(l textline.Line) bool { return l.Box.Dy() < minRowHeight }), err
}

// WorkingBytes implements perception.Measured. The result includes the memory for finding rows
// and lines, and for reading them.
func (e *Engine) WorkingBytes(size image.Point) int64 {
	return textmap.WorkingBytes(size) + textline.WorkingBytes(size) + patchBytes
}

// patchBytes is the approximate maximum memory of the lines of a screen while they are read, and of
// the networks' workspaces.
const patchBytes = 8 << 20

// Forget implements perception.Forgetter.
func (e *Engine) Forget(user string) {
	e.lines.Drop(func(key lineKey) bool { return key.owner == user })
}

// line is a line of a screen before it becomes a row.
type line struct {
	origin    image.Point     // of the patch on the screen
	patch     *textline.Patch // nil if the cache has the text of its pixels
	parted    bool            // an upright line is before it
	key, seen lineKey         // cache keys by the ink and by the pixels
	text      *lineText
}

// lineKey identifies the look of a line, the way to read it, and the owner.
type lineKey struct {
	owner string // the user of the screen; empty if users share a cache
	look  [16]byte
}

// cut returns a line for each of found, with its text if that is cached by its pixels or by its
// ink, which may be on another ground. Only lines with new pixels have a patch.
func (e *Engine) cut(ctx context.Context, screen *image.NRGBA, found []textline.Line, how sdkapi.Reading) ([]line, error) {
	lines, owner, way := make([]line, len(found)), perception.Owner(ctx), wayOf(how)
	err := fair.Each(ctx, len(found), func(i int) {
		h := sha256.New()
		h.Write(way)
		found[i].Look(h, screen)
		l := line{origin: found[i].Origin(), parted: found[i].Parted, seen: keyOf(h, owner)}
		if l.text = e.lines.get(l.seen); l.text == nil {
			l.patch = found[i].Patch(screen)
			l.key = inkKey(l.patch, way, owner)
			if l.text = e.lines.get(l.key); l.text != nil {
				e.lines.add(l.seen, l.text)
			}
		}
		lines[i] = l
	})
	return lines, err
}

// wayOf encodes the parameters of reading for keys.
func wayOf(how sdkapi.Reading) []byte { return fmt.Appendf(nil, "%#v", how) }

// keyOf returns a key with the first 16 bytes of the hash. The same look has another key for each
// owner.
func keyOf(h hash.Hash, owner string) lineKey { return lineKey{owner, [16]byte(h.Sum(nil))} }

// inkKey returns the key of a line by its ink and the way to read it. Lines with the same ink on
// different grounds share one key.
func inkKey(p *textline.Patch, way []byte, owner string) lineKey {
	h := sha256.New()
	size := binary.LittleEndian.AppendUint32(nil, uint32(p.Width))
	h.Write(binary.LittleEndian.AppendUint32(size, uint32(p.Height)))
	h.Write(p.Ink)
	for _, other := range []*textline.Patch{p.Turned(), p.Stood()} {
		if other != nil {
			h.Write(other.Ink)
		}
	}
	h.Write(way)
	return keyOf(h, owner)
}

// read sets the missing texts of lines. It reads lines that look the same once.
func (e *Engine) read(ctx context.Context, networks []network, lines []line) error {
	first := map[lineKey]*textline.Patch{}
	var keys []lineKey
	var patches []*textline.Patch
	for i := range lines {
		if l := &lines[i]; l.text == nil && first[l.key] == nil {
			first[l.key] = l.patch
			keys, patches = append(keys, l.key), append(patches, l.patch)
		}
	}
	spellings, err := readPatches(ctx, networks, patches)
	if err != nil {
		return err
	}
	texts := make(map[lineKey]*lineText, len(keys))
	for i, key := range keys {
		texts[key] = spellings[i].text()
		e.lines.add(key, texts[key])
	}
	for i := range lines {
		if l := &lines[i]; l.text == nil {
			l.text = texts[l.key]
			e.lines.add(l.seen, l.text)
		}
	}
	return nil
}
