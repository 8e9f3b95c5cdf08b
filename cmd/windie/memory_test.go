package main

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/perception"
)

// screenMaker draws screens, each another, on one canvas.
type screenMaker struct {
	canvas *image.NRGBA
	out    bytes.Buffer
}

// next returns a screen full of words that no other screen has, as a PNG that
// is valid until the next call.
func (m *screenMaker) next(t *testing.T, seed int) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(seed), 0))
	draw.Draw(m.canvas, m.canvas.Rect, image.White, image.Point{}, draw.Src)
	for y := 30; y < m.canvas.Rect.Dy(); y += 28 {
		for x := 20 + r.IntN(40); x < m.canvas.Rect.Dx()-120; {
			pen := testkit.Pen{Em: 12 + 2*float64(r.IntN(4)), Ink: color.NRGBA{uint8(r.IntN(100)), 0, 0, 255}}
			boxes := pen.Write(m.canvas, x, y, words(r))
			x = boxes[len(boxes)-1].Max.X + 40 + r.IntN(100)
		}
	}
	m.out.Reset()
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&m.out, m.canvas); err != nil {
		t.Fatal(err)
	}
	return m.out.Bytes()
}

// words makes a phrase of up to four words.
func words(r *rand.Rand) string {
	var text []byte
	for n := range 1 + r.IntN(4) {
		if n > 0 {
			text = append(text, ' ')
		}
		for range 2 + r.IntN(8) {
			text = append(text, "abcdefghijklmnopqrstuvwxyz0123456789"[r.IntN(36)])
		}
	}
	return string(text)
}

// readScreens reads the screens from..to, with what the settings say to keep.
func readScreens(t *testing.T, scenes *perception.Scenes, m *screenMaker, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		scene, err := scenes.Scene(t.Context(), perception.SourceOf(m.next(t, i)))
		if err != nil || len(scene.Rows) == 0 {
			t.Fatalf("screen %d: %+v, %v", i, scene, err)
		}
	}
}

// heap is what the process holds, in bytes, of all it has allocated.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what a pool keeps takes two
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What is kept of screens has a bound: once the budget is full, five times as
// many take no more. It runs alone, so that nothing else is measured.
func TestMemoryIsBounded(t *testing.T) {
	gatewaytest.Scenes(t)
	if raceDetector {
		return // which takes memory too, and makes this take minutes
	}
	const budget = 64 << 10
	c, err := loadWith(t, []string{"--ocr-cache-bytes", strconv.Itoa(budget)}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	m := &screenMaker{canvas: testkit.Canvas(480, 270, color.White)}
	scenes := newScenes(c, nil)
	readScreens(t, scenes, m, 0, 60)
	few := heap()
	readScreens(t, scenes, m, 60, 300)
	many := heap()
	t.Logf("%d KB after 60 screens, %d KB after 300", few>>10, many>>10)
	if many-few > budget {
		t.Errorf("%d KB after 60 screens, %d KB after 300", few>>10, many>>10)
	}
	runtime.KeepAlive(scenes)
}

// With WINDIE_TEST_MEMORY set (make memory), the same with the default settings
// and 1,000 busy screens of 1920 x 1080: some 300 rows on each. It takes minutes.
func TestMemoryOfAThousandScreens(t *testing.T) {
	if os.Getenv("WINDIE_TEST_MEMORY") == "" {
		return
	}
	const limit = 300 // MB
	c, err := loadWith(t, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	m := &screenMaker{canvas: testkit.Canvas(1920, 1080, color.White)}
	scenes := newScenes(c, nil)
	for i := range 10 {
		readScreens(t, scenes, m, 100*i, 100*(i+1))
		now, peak := residentMB(t, "VmRSS"), residentMB(t, "VmHWM")
		t.Logf("%d screens: %d MB resident, %d MB at most, %d MB of heap", 100*(i+1), now, peak, heap()>>20)
		if peak > limit {
			t.Fatalf("%d MB resident after %d screens, at most %d are wanted", peak, 100*(i+1), limit)
		}
	}
	runtime.KeepAlive(scenes)
}

// residentMB reads a figure of this process from the system: VmRSS is what is
// resident now, VmHWM the most that ever was.
func residentMB(t *testing.T, name string) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("this system does not tell:", err)
	}
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(data)
	if found == nil {
		t.Fatalf("no %s in %s", name, data)
	}
	kb, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kb / 1024
}
