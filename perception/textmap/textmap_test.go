package textmap

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/perception/layers"
	"github.com/windieos/windie/perception/lstm"
)

// tiny is a small network with random weights.
func tiny(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "tiny.net"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// load returns the tiny network with a kernel.
func load(t testing.TB, kernel string) *Model {
	t.Helper()
	m, err := Load(tiny(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Use(kernel); err != nil {
		t.Fatal(err)
	}
	return m
}

// noise is a screen of random pixels, darker in its middle.
func noise(width, height int) *image.NRGBA {
	r := rand.New(rand.NewPCG(uint64(width), uint64(height)))
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = uint8(r.IntN(256))
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

// The maps are those of the training's simulation, to the bit, whatever the kernel. testdata has
// them for tiny.png and tiny.net, as windie_training.textmap.boxes.infer returns them.
func TestMapsOfTraining(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join("testdata", "tiny.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	decoded, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	screen := image.NewNRGBA(decoded.Bounds())
	draw.Draw(screen, screen.Rect, decoded, image.Point{}, draw.Src)
	raw, err := os.ReadFile(filepath.Join("testdata", "tiny.maps"))
	if err != nil {
		t.Fatal(err)
	}
	width, height := (screen.Rect.Dx()+1)/2, (screen.Rect.Dy()+1)/2
	want := func(part int, y, x int32) float32 {
		at := (part*height+int(y))*width + int(x)
		return math.Float32frombits(binary.LittleEndian.Uint32(raw[4*at:]))
	}
	on := 0
	for y := range int32(height) {
		for x := range int32(width) {
			if want(coreMap, y, x) > 0 && want(separationMap, y, x) < apart {
				on++
			}
		}
	}
	for _, kernel := range lstm.Kernels() {
		t.Run(kernel, func(t *testing.T) {
			t.Parallel()
			w := &workspace{}
			load(t, kernel).run(t.Context(), w, pictures(screen)[0])
			if on == 0 || len(w.scores.cells) != on {
				t.Fatalf("%d cells are on, want %d", len(w.scores.cells), on)
			}
			for _, r := range w.scores.runs {
				for x := r.x0; x < r.x1; x++ {
					got := w.scores.cells[r.first+x-r.x0]
					all := append([]float32{got.core}, append(got.kinds[:], got.top, got.bottom)...)
					for i, part := range []int{coreMap, kindMap, kindMap + 1, kindMap + 2, kindMap + 3, topMap, bottomMap} {
						if all[i] != want(part, r.y, x) {
							t.Fatalf("map %d at %d, %d: %g, want %g", part, x, r.y, all[i], want(part, r.y, x))
						}
					}
				}
			}
		})
	}
}

// All kernels find the same rows, also if a workspace was used for a larger screen before.
func TestKernelsFindAlike(t *testing.T) {
	t.Parallel()
	sizes := []image.Point{{200, 90}, {1, 1}, {3, 50}, {33, 34}, {64, 64}, {130, 17}}
	all := func(m *Model) (list [][]Row) {
		for _, size := range sizes {
			rows, err := m.Find(t.Context(), noise(size.X, size.Y))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, rows)
		}
		return list
	}
	want := all(load(t, "portable"))
	for _, kernel := range lstm.Kernels() {
		t.Run(kernel, func(t *testing.T) {
			if got := all(load(t, kernel)); !reflect.DeepEqual(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}

func TestFind_ReturnsTheErrorOfItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := load(t, "").Find(ctx, noise(40, 40)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if rows, err := load(t, "").Find(t.Context(), image.NewNRGBA(image.Rectangle{})); err != nil || len(rows) > 0 {
		t.Errorf("an empty screen: %v, %v", rows, err)
	}
}

// Halves are rounded down, and an odd last row or column counts twice.
func TestHalf(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 3, 3))
	for i := range 9 {
		img.SetNRGBA(i%3, i/3, color.NRGBA{uint8(i), uint8(255 - i), uint8(i * i), 255})
	}
	half := pictures(img)[0].half()
	if half.width != 2 || half.height != 2 {
		t.Fatalf("%d x %d", half.width, half.height)
	}
	at := func(x, y, c int) int { v := img.NRGBAAt(x, y); return int([]uint8{v.R, v.G, v.B, v.A}[c]) }
	for y := range 2 {
		for x := range 2 {
			for c := range 4 {
				right, below := min(2*x+1, 2), min(2*y+1, 2)
				want := (at(2*x, 2*y, c) + at(right, 2*y, c) + at(2*x, below, c) + at(right, below, c)) / 4
				if got := int(half.pix[y*half.stride+4*x+c]); got != want {
					t.Errorf("channel %d of %d, %d: %d, want %d", c, x, y, got, want)
				}
			}
		}
	}
	if n := len(pictures(noise(5000, 31))); n != 1 {
		t.Errorf("%d sizes of a flat screen, want 1", n)
	}
	if n := len(pictures(noise(256, 256))); n != maxSizes {
		t.Errorf("%d sizes, want %d", n, maxSizes)
	}
}

// Pixels beyond the edge are those at the edge.
func TestPatches(t *testing.T) {
	t.Parallel()
	img := noise(6, 5)
	p := pictures(img)[0]
	across, down := p.cells()
	if across != 4 || down != 4 {
		t.Fatalf("%d x %d cells, want 4 x 4", across, down)
	}
	to := make([]int8, across*patchBytes)
	for row := range down {
		p.patches(to, row, across)
		for i, got := range to {
			x, y := i/patchBytes*patchSide+i%16/4, row*patchSide+i%patchBytes/16
			v := img.NRGBAAt(min(x, 5), min(y, 4))
			if want := int8([]uint8{v.R, v.G, v.B, v.A}[i%4] >> 1); got != want {
				t.Fatalf("pixel %d, %d: %d, want %d", x, y, got, want)
			}
		}
	}
}

// A page draws scores by hand: rows of core cells.
type page struct{ scores }

// core adds a run of cells to the last row of the page or below it. The row of text is from top to
// bottom, in pixels.
func (p *page) core(y, x0, x1 int32, top, bottom float64, core float32, kind int) {
	p.runs = append(p.runs, run{y: y, x0: x0, x1: x1, first: int32(len(p.cells))})
	middle := float64(2*y + 1)
	for range x1 - x0 {
		c := cell{core: core, top: float32(math.Log2(middle - top)), bottom: float32(math.Log2(bottom - middle))}
		c.kinds[kind] = 1
		p.cells = append(p.cells, c)
	}
}

// found returns the boxes of a page's rows.
func (p *page) found() (list []image.Rectangle) {
	w := &workspace{scores: p.scores}
	for _, part := range w.parts() {
		list = append(list, part.box)
	}
	return list
}

func TestParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		draw func(p *page)
		want []image.Rectangle
	}{
		{"a row", func(p *page) {
			p.core(5, 10, 30, 4, 20, 3, textKind)
			p.core(6, 12, 20, 4, 20, 3, textKind)
		}, []image.Rectangle{image.Rect(20, 4, 60, 20)}},
		{"two rows side by side", func(p *page) {
			p.core(5, 10, 20, 4, 20, 3, textKind)
			p.core(5, 21, 30, 4, 20, 3, textKind)
		}, []image.Rectangle{image.Rect(20, 4, 40, 20), image.Rect(42, 4, 60, 20)}},
		{"arms that meet below", func(p *page) {
			p.core(5, 10, 14, 4, 20, 3, textKind)
			p.core(5, 20, 24, 4, 20, 3, textKind)
			p.core(6, 13, 21, 4, 20, 3, textKind)
		}, []image.Rectangle{image.Rect(20, 4, 48, 20)}},
		{"corners do not touch", func(p *page) {
			p.core(5, 10, 14, 4, 20, 3, textKind)
			p.core(6, 14, 18, 4, 20, 3, textKind)
		}, []image.Rectangle{image.Rect(20, 4, 28, 20), image.Rect(28, 4, 36, 20)}},
		{"the median of its tops", func(p *page) {
			p.core(5, 10, 13, 4, 20, 3, textKind)
			p.core(6, 10, 12, 1, 30, 3, textKind)
		}, []image.Rectangle{image.Rect(20, 4, 26, 20)}},
		{"one cell", func(p *page) { p.core(5, 10, 11, 4, 20, 3, textKind) }, nil},
		{"a letter on an icon", func(p *page) { p.core(5, 10, 30, 4, 20, 3, iconKind) }, []image.Rectangle{image.Rect(20, 4, 60, 20)}},
		{"a script that the reader does not know", func(p *page) { p.core(5, 10, 30, 4, 20, 3, scriptKind) }, []image.Rectangle{image.Rect(20, 4, 60, 20)}},
		{"too low", func(p *page) { p.core(5, 10, 30, 9, 14, 3, textKind) }, nil},
		{"too high", func(p *page) { p.core(20, 10, 30, 10, 80, 3, textKind) }, nil},
		{"nothing", func(*page) {}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &page{}
			tt.draw(p)
			if got := p.found(); !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// Of two sizes that have the same row, the one that suits its height decides.
func TestRows(t *testing.T) {
	t.Parallel()
	screen := image.Rect(0, 0, 400, 300)
	box := func(x0, y0, x1, y1 int) part { return part{box: image.Rect(x0, y0, x1, y1), sure: 900} }
	for _, tt := range []struct {
		name  string
		found [][]part
		want  []image.Rectangle
	}{
		{"a low row", [][]part{{box(10, 20, 90, 30)}, {box(5, 10, 45, 15)}}, []image.Rectangle{image.Rect(10, 20, 90, 30)}},
		{"a high row", [][]part{{box(10, 20, 90, 60)}, {box(5, 11, 46, 30)}}, []image.Rectangle{image.Rect(10, 22, 92, 60)}},
		{"rows of one size stay", [][]part{{box(10, 20, 90, 30), box(10, 24, 90, 34)}}, []image.Rectangle{image.Rect(10, 20, 90, 30), image.Rect(10, 24, 90, 34)}},
		{"a paragraph that a coarse size takes for a row", [][]part{{box(10, 20, 90, 40), box(10, 44, 90, 64)}, nil, {{box: image.Rect(2, 4, 23, 19), sure: 1000}}}, []image.Rectangle{image.Rect(10, 20, 90, 40), image.Rect(10, 44, 90, 64)}},
		{"pieces beside each other are no paragraph", [][]part{{box(10, 20, 60, 49), {box: image.Rect(70, 51, 90, 61), sure: 500}}, {{box: image.Rect(5, 10, 46, 32), sure: 1000}}}, []image.Rectangle{image.Rect(10, 20, 92, 64)}},
		{"in order, within the screen", [][]part{{box(10, 60, 90, 70)}, {box(150, 10, 290, 22)}}, []image.Rectangle{image.Rect(300, 20, 400, 44), image.Rect(10, 60, 90, 70)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []image.Rectangle
			for _, r := range rows(tt.found, screen) {
				got = append(got, r.Box)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// sealed gives a file the checksum that it should have.
func sealed(data []byte) []byte {
	body := data[:len(data)-4]
	return binary.LittleEndian.AppendUint32(bytes.Clone(body), crc32.ChecksumIEEE(body))
}

func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	whole := tiny(t)
	at := len(magic)
	set := func(at int, v uint32) []byte {
		data := bytes.Clone(whole)
		binary.LittleEndian.PutUint32(data[at:], v)
		return sealed(data)
	}
	units := at + 6*4
	first := units + 4*(1+15+2*2)
	for _, tt := range []struct {
		name, text string
		data       []byte
	}{
		{"empty", "not a network of this version", nil},
		{"another version", "not a network of this version", append([]byte("windie textmap 9\n"), whole[at:]...)},
		{"a byte changed", "checksum", append(bytes.Clone(whole[:5000]), append([]byte{whole[5000] + 1}, whole[5001:]...)...)},
		{"cut short", "the file ends too early", sealed(whole[:len(whole)-9])},
		{"more behind it", "1 extra bytes after its end", sealed(append(bytes.Clone(whole), 0))},
		{"other channels", "16 outputs; expected 32", set(at, 32)},
		{"many mixes", "expected 8 maps and at most", set(at+12, 1<<31)},
		{"other maps", "has 9 maps", set(at+20, 9)},
		{"an activation of no value", "must be greater than 0", set(units, 0)},
		{"an activation that is no number", "out of range", set(units, 0x7fc00000)},
		{"a layer with many outputs", "a layer has invalid sizes", set(first, 1<<30)},
		{"a layer with other inputs", "invalid network", set(first+4, 47)},
		{"too long", "bytes; at most", make([]byte, layers.MaxFileBytes+1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Load(tt.data); err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%v, want one with %q", err, tt.text)
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	whole := tiny(f)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < len(magic)+4 {
			return
		}
		if m, err := Load(sealed(data)); err == nil {
			if _, err := m.Find(t.Context(), noise(20, 20)); err != nil {
				t.Error(err)
			}
		}
	})
}

// The tiny network has as many layers as the one that is trained, of at least half their channels.
func BenchmarkFind(b *testing.B) {
	screen := noise(1440, 900)
	for _, kernel := range lstm.Kernels() {
		b.Run(kernel, func(b *testing.B) {
			m, w := load(b, kernel), &workspace{}
			for b.Loop() {
				for _, p := range pictures(screen) {
					m.run(b.Context(), w, p)
				}
			}
		})
	}
}
