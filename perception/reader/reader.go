// Package reader is Windie's own text reader: it finds the lines of a screen
// (package textline) and reads them with Tesseract's networks (package lstm), or
// with Windie's own (package convnet). Windie's and that of English are in the
// binary; those of other languages are files.
//
//	engine := reader.New(reader.Config{})
//	rows, err := engine.Read(ctx, screen, sdkapi.Reading{})
//
// Texts are cached by what their lines look like, and by nothing else: the next frame of a screen
// costs only its new lines, and no text is stale.
//
// A line that the network is not sure of is read again in another geometry. The text is compared
// with the ink (spelling.go) to find spaces, wrong marks and icons; characters are mended by those
// around them (mend.go, tidy.go); short rows that are hardly text are left out (sift.go).
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
	"github.com/windieos/windie/sdkapi"
)

// Config chooses the networks. The zero value reads English.
type Config struct {
	Languages  string // as "eng" or "eng+deu"; default "eng"
	DataDir    string // folder of *.traineddata files; default where packages install them, and for English the binary
	Tesseract  bool   // read English with Tesseract's network, not with Windie's own
	CacheBytes int64  // of lines kept; default 64 MiB
	Kernel     string // one of lstm.Kernels; default the fastest
}

// Engine is a perception.Engine. It keeps the networks it has used.
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

// New returns an engine. Networks are loaded when needed, so they may be installed later.
func New(cfg Config) *Engine {
	cfg.Languages = cmp.Or(cfg.Languages, "eng")
	cfg.CacheBytes = cmp.Or(cfg.CacheBytes, defaultCacheBytes)
	cfg.Kernel = cmp.Or(cfg.Kernel, lstm.Kernels()[0])
	return &Engine{cfg: cfg, models: models{dir: cfg.DataDir, kernel: cfg.Kernel, own: !cfg.Tesseract}, lines: lineCache{perception.NewRecent[lineKey](cfg.CacheBytes)}}
}

// Name returns "lstm" with the kernel in use and the languages, as "lstm avx2 (eng)".
func (e *Engine) Name() string {
	name := "lstm"
	if e.models.own {
		name = "windie"
	}
	return fmt.Sprintf("%s %s (%s)", name, e.cfg.Kernel, e.cfg.Languages)
}

// Ready loads the networks of the engine's own languages.
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
	layout, err := textline.Find(ctx, screen.NRGBA)
	if err != nil {
		return nil, err
	}
	layout.Mend(screen.Before)
	large := slices.DeleteFunc(layout.Lines, func(l textline.Line) bool { return l.Box.Dy() < minRowHeight })
	lines, err := e.cut(ctx, screen.Before, large, how)
	if err != nil {
		return nil, err
	}
	if err := e.read(ctx, networks, lines); err != nil {
		return nil, err
	}
	if lines, err = e.readApart(ctx, networks, screen.Before, large, lines, how); err != nil {
		return nil, err
	}
	rows := enlarged(withoutFalseScripts(rowsOf(lines, &layout), screen.Before), halves)
	if e.models.own {
		calibrate(rows)
	}
	return rows, nil
}

// WorkingBytes implements perception.Measured: what finding lines takes, and reading them.
func (e *Engine) WorkingBytes(size image.Point) int64 {
	return textline.WorkingBytes(size) + patchBytes
}

// patchBytes is about the most that the lines of a screen take that are being read, and the networks'
// workspaces.
const patchBytes = 8 << 20

// Forget implements perception.Forgetter.
func (e *Engine) Forget(user string) {
	e.lines.Drop(func(key lineKey) bool { return key.owner == user })
}

// line is a line of a screen on its way to be a row.
type line struct {
	origin    image.Point     // of its patch on the screen
	patch     *textline.Patch // nil if its pixels have been read before
	key, seen lineKey         // of its ink, and of its pixels
	text      *lineText
}

// lineKey names what a line looks like and how it is read, the start of a SHA-256, and whose it is.
type lineKey struct {
	owner string // whose screen it was on; empty where users share a cache
	look  [16]byte
}

// cut returns the lines with the texts of those that are cached: by their pixels, or by their ink, as on another ground.
// Only lines whose pixels are new have a patch.
func (e *Engine) cut(ctx context.Context, screen *image.NRGBA, found []textline.Line, how sdkapi.Reading) ([]line, error) {
	lines, owner, way := make([]line, len(found)), perception.Owner(ctx), wayOf(how)
	err := fair.Each(ctx, len(found), func(i int) {
		h := sha256.New()
		h.Write(way)
		found[i].Look(h, screen)
		l := line{origin: found[i].Origin(), seen: keyOf(h, owner)}
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

// wayOf names a way to read, for keys.
func wayOf(how sdkapi.Reading) []byte { return fmt.Appendf(nil, "%#v", how) }

func keyOf(h hash.Hash, owner string) lineKey { return lineKey{owner, [16]byte(h.Sum(nil))} }

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

// read sets the missing texts of lines. Lines that look the same are read once.
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
