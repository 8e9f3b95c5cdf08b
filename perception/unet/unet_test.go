package unet

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
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/perception/layers"
	"github.com/windieos/windie/perception/lstm"
)

// tinyForm is that of the text map: a core, what parts two cores, and six maps.
var tinyForm = Form{Magic: "windie textmap 1\n", Sizes: 4, Maps: 8, Marked: 2, Parts: []Part{{Core: 0, Apart: 1, First: 2, Count: 6}}}

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
	m, err := Load(tiny(t), tinyForm)
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
	want := func(part, y, x int) float32 {
		at := (part*height+y)*width + x
		return math.Float32frombits(binary.LittleEndian.Uint32(raw[4*at:]))
	}
	on := 0
	for y := range height {
		for x := range width {
			if want(0, y, x) > 0 && want(1, y, x) < separates {
				on++
			}
		}
	}
	for _, kernel := range lstm.Kernels() {
		t.Run(kernel, func(t *testing.T) {
			t.Parallel()
			w := &workspace{}
			load(t, kernel).run(t.Context(), w, pictures(screen, 1)[0])
			cells := 0
			for _, r := range w.parts[0].runs {
				for x := r.X0; x < r.X1; x++ {
					got := r.Scores[(x-r.X0)*7:][:7]
					for i, part := range []int{0, 2, 3, 4, 5, 6, 7} {
						if got[i] != want(part, r.Y, x) {
							t.Fatalf("map %d at %d, %d: %g, want %g", part, x, r.Y, got[i], want(part, r.Y, x))
						}
					}
					cells++
				}
			}
			if on == 0 || cells != on {
				t.Fatalf("%d cells are on, want %d", cells, on)
			}
		})
	}
}

// all returns the groups of a screen, by sizes.
func all(t testing.TB, m *Model, screen *image.NRGBA) [][]Group {
	t.Helper()
	list := make([][]Group, m.Sizes(screen))
	var mu sync.Mutex
	err := m.Find(t.Context(), screen, func(size, _ int, groups []Group) {
		mu.Lock()
		defer mu.Unlock()
		for _, g := range groups {
			var own Group
			for _, r := range g {
				r.Scores = append([]float32(nil), r.Scores...)
				own = append(own, r)
			}
			list[size] = append(list[size], own)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// All kernels find the same groups, also if a workspace was used for a larger screen before.
func TestKernelsFindAlike(t *testing.T) {
	t.Parallel()
	sizes := []image.Point{{200, 90}, {1, 1}, {3, 50}, {33, 34}, {64, 64}, {130, 17}}
	ofAll := func(m *Model) (list [][][]Group) {
		for _, size := range sizes {
			list = append(list, all(t, m, noise(size.X, size.Y)))
		}
		return list
	}
	want := ofAll(load(t, "portable"))
	for _, kernel := range lstm.Kernels() {
		t.Run(kernel, func(t *testing.T) {
			if !reflect.DeepEqual(ofAll(load(t, kernel)), want) {
				t.Error("other groups than those of the portable kernel")
			}
		})
	}
}

func TestFind_ReturnsTheErrorOfItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := load(t, "").Find(ctx, noise(40, 40), func(int, int, []Group) {}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if list := all(t, load(t, ""), image.NewNRGBA(image.Rectangle{})); len(list) > 0 {
		t.Errorf("an empty screen: %v", list)
	}
}

// runs makes runs of cells of triples y, x0, x1. The score of a cell is its number.
func runs(places ...[3]int) (list []Run) {
	n := float32(0)
	for _, p := range places {
		r := Run{Y: p[0], X0: p[1], X1: p[2]}
		for range p[2] - p[1] {
			r.Scores = append(r.Scores, n)
			n++
		}
		list = append(list, r)
	}
	return list
}

func TestGroups(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		places [][3]int
		want   [][]int // the indices of the runs
	}{
		{"nothing", nil, nil},
		{"one below the other", [][3]int{{5, 10, 30}, {6, 12, 20}}, [][]int{{0, 1}}},
		{"side by side", [][3]int{{5, 10, 20}, {5, 21, 30}}, [][]int{{0}, {1}}},
		{"arms that meet below", [][3]int{{5, 10, 14}, {5, 20, 24}, {6, 13, 21}}, [][]int{{0, 1, 2}}},
		{"corners do not touch", [][3]int{{5, 10, 14}, {6, 14, 18}}, [][]int{{0}, {1}}},
		{"a row between", [][3]int{{5, 10, 14}, {7, 10, 14}}, [][]int{{0}, {1}}},
		{"mixed", [][3]int{{5, 0, 4}, {5, 10, 14}, {6, 1, 3}, {6, 11, 12}, {7, 2, 3}}, [][]int{{0, 2, 4}, {1, 3}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := runs(tt.places...)
			groups := new(grouper).of(list)
			if len(groups) != len(tt.want) {
				t.Fatalf("%d groups, want %d", len(groups), len(tt.want))
			}
			for i, g := range groups {
				var want Group
				for _, n := range tt.want[i] {
					want = append(want, list[n])
				}
				if !reflect.DeepEqual(g, want) {
					t.Errorf("group %d: %v, want %v", i, g, want)
				}
			}
		})
	}
}

// Halves are rounded down, and an odd last row or column counts twice.
func TestHalf(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 3, 3))
	for i := range 9 {
		img.SetNRGBA(i%3, i/3, color.NRGBA{uint8(i), uint8(255 - i), uint8(i * i), 255})
	}
	half := pictures(img, 4)[0].half()
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
	if n := len(pictures(noise(5000, 31), 4)); n != 1 {
		t.Errorf("%d sizes of a flat screen, want 1", n)
	}
	if n := len(pictures(noise(256, 256), 4)); n != 4 {
		t.Errorf("%d sizes, want 4", n)
	}
}

// Pixels beyond the edge are those at the edge.
func TestPatches(t *testing.T) {
	t.Parallel()
	img := noise(6, 5)
	p := pictures(img, 4)[0]
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

// sealed gives a file the checksum that it should have.
func sealed(data []byte) []byte {
	body := data[:len(data)-4]
	return binary.LittleEndian.AppendUint32(bytes.Clone(body), crc32.ChecksumIEEE(body))
}

func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	whole := tiny(t)
	at := len(tinyForm.Magic)
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
			if _, err := Load(tt.data, tinyForm); err == nil || !strings.Contains(err.Error(), tt.text) {
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
		if len(data) < len(tinyForm.Magic)+4 {
			return
		}
		if m, err := Load(sealed(data), tinyForm); err == nil {
			all(t, m, noise(20, 20))
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
				for _, p := range pictures(screen, 4) {
					m.run(b.Context(), w, p)
				}
			}
		})
	}
}
