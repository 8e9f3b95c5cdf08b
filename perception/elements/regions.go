package elements

import (
	"context"
	"encoding/binary"
	"image"
	"sync/atomic"

	"github.com/windieos/windie/internal/fair"
)

// region is a connected area of one color: the face of a button, the inside of a field, the page.
// Text and pictures on it are holes.
type region struct {
	box     image.Rectangle
	area    int    // pixels of its color
	span    int    // pixels from the leftmost to the rightmost in each row: the area with its holes
	color   uint32 // color of its longest run
	longest int32  // length of its longest run
}

// run is a part of a row whose pixels have similar colors.
type run struct {
	x0, x1, y int32 // from x0 up to but not including x1
	parent    int32
	color     uint32 // color of its first pixel, in the byte order of memory
}

const (
	minRun    = 3 // minimum pixels of a run; text has shorter ones
	tolerance = 2 // maximum difference in a channel within one color, from scaling and dithering
)

// Limits of the memory for a screen. The largest screen full of small text has fewer runs. With
// more the screen is noise, and Find finds nothing on it.
const (
	maxRuns = 2_500_000
	// bytes for each run: the run, its copy while bands are joined, and the number of its region
	runBytes = 40
)

// regions finds the regions of an image with at least minArea pixels. in has a byte for each pixel,
// by rows: 1 if ground accepts its region. in is nil for noise.
func regions(ctx context.Context, img *image.NRGBA, minArea int, ground func(*region) bool) (list []region, in []byte, err error) {
	bands, err := scan(ctx, img)
	if err != nil || bands == nil {
		return nil, nil, err
	}
	total := 0
	for _, band := range bands {
		total += len(band)
	}
	runs := make([]run, 0, total)
	for _, band := range bands {
		offset := int32(len(runs))
		for _, r := range band {
			r.parent += offset
			runs = append(runs, r)
		}
	}
	stitch(runs, bands)
	list, in = gather(img, runs, minArea, ground)
	return list, in, ctx.Err()
}

// bandRows is how many rows one task of scan handles.
const bandRows = 64

// scan finds the runs of each band of an image, and unites them within the band. It returns nil for
// noise.
func scan(ctx context.Context, img *image.NRGBA) ([][]run, error) {
	height := img.Rect.Dy()
	bands := make([][]run, (height+bandRows-1)/bandRows)
	var total atomic.Int64
	err := fair.Each(ctx, len(bands), func(i int) {
		if total.Load() <= maxRuns {
			bands[i] = scanBand(img, i*bandRows, min((i+1)*bandRows, height))
			total.Add(int64(len(bands[i])))
		}
	})
	if err != nil || total.Load() > maxRuns {
		return nil, err
	}
	return bands, nil
}

// scanBand returns the runs of the rows from up to but not including to, united within the band.
// Their parents are indices in the returned slice.
func scanBand(img *image.NRGBA, from, to int) []run {
	width := img.Rect.Dx()
	runs := make([]run, 0, (to-from)*8)
	var above, here int // where the row above and this row begin in runs
	for y := from; y < to; y++ {
		row := img.Pix[y*img.Stride : y*img.Stride+width*4]
		above, here = here, len(runs)
		runs = scanRow(runs, row, int32(y))
		join(runs, above, here, len(runs), 0)
	}
	return runs
}

// scanRow appends the runs of a row.
func scanRow(runs []run, row []byte, y int32) []run {
	start, first := 0, binary.LittleEndian.Uint32(row)
	end := func(at int) {
		if at-start >= minRun {
			runs = append(runs, run{int32(start), int32(at), y, int32(len(runs)), first})
		}
	}
	n := len(row) / 4
	for x := 1; x < n; x++ {
		for two := uint64(first)<<32 | uint64(first); x+2 <= n && binary.LittleEndian.Uint64(row[x*4:]) == two; x += 2 {
		}
		if x == n {
			break
		}
		p := binary.LittleEndian.Uint32(row[x*4:])
		if p != first && !alike(p, first) {
			end(x)
			start, first = x, p
		}
	}
	end(n)
	return runs
}

// alike reports whether two pixels differ by at most tolerance in each color channel. It ignores alpha.
func alike(p, q uint32) bool {
	for shift := 0; shift < 24; shift += 8 {
		if d := int32(p>>shift&0xff) - int32(q>>shift&0xff); d > tolerance || d < -tolerance {
			return false
		}
	}
	return true
}

// join unites the runs of a row, here to end, with the runs of the row above that have a similar
// color and are at most reach pixels to the side.
func join(runs []run, above, here, end int, reach int32) {
	k := above
	for i := here; i < end; i++ {
		r := &runs[i]
		for k < here && runs[k].x1+reach <= r.x0 {
			k++
		}
		for j := k; j < here && runs[j].x0 < r.x1+reach; j++ {
			if runs[j].y == r.y-1 && (runs[j].color == r.color || alike(runs[j].color, r.color)) {
				unite(runs, int32(j), int32(i))
			}
		}
	}
}

// unite makes one region of the regions of runs a and b. The earlier root becomes the root of both,
// so a root comes before the other runs of its region.
func unite(runs []run, a, b int32) {
	a, b = root(runs, a), root(runs, b)
	runs[max(a, b)].parent = min(a, b)
}

// root returns the index of the first run of the region of run i. It shortens the path to it, so
// later calls are faster.
func root(runs []run, i int32) int32 {
	for runs[i].parent != i {
		runs[i].parent = runs[runs[i].parent].parent
		i = runs[i].parent
	}
	return i
}

// stitch unites the runs of adjacent bands.
func stitch(runs []run, bands [][]run) {
	at := 0
	for i, band := range bands {
		if i > 0 && at > 0 && len(band) > 0 {
			above := at
			for above > 0 && runs[above-1].y == runs[at-1].y {
				above--
			}
			end := at
			for end < at+len(band) && runs[end].y == runs[at].y {
				end++
			}
			join(runs, above, at, end, 0)
		}
		at += len(band)
	}
}

// gather returns the regions with at least minArea pixels, and the bytes that regions returns for the pixels.
func gather(img *image.NRGBA, runs []run, minArea int, ground func(*region) bool) (list []region, in []byte) {
	area := make([]int32, len(runs))
	for i := range runs {
		area[root(runs, int32(i))] += runs[i].x1 - runs[i].x0
	}
	number := make([]int32, len(runs)) // of the region, from 1
	type edge struct{ y, x0, x1 int32 }
	var rows []edge
	for i, r := range runs {
		top := root(runs, int32(i))
		if int(area[top]) < minArea {
			continue
		}
		if number[top] == 0 {
			list = append(list, region{box: image.Rect(int(r.x0), int(r.y), int(r.x1), int(r.y)+1), area: int(area[top])})
			rows = append(rows, edge{r.y, r.x0, r.x0})
			number[top] = int32(len(list))
		}
		number[i] = number[top]
		k, e := &list[number[top]-1], &rows[number[top]-1]
		if e.y != r.y {
			k.span += int(e.x1 - e.x0)
			*e = edge{r.y, r.x0, r.x0}
		}
		e.x1 = r.x1
		k.box.Min.X, k.box.Max.X, k.box.Max.Y = min(k.box.Min.X, int(r.x0)), max(k.box.Max.X, int(r.x1)), int(r.y)+1
		if length := r.x1 - r.x0; length > k.longest {
			k.longest, k.color = length, r.color
		}
	}
	grounds := make([]bool, len(list)+1)
	for i := range list {
		list[i].span += int(rows[i].x1 - rows[i].x0)
		grounds[i+1] = ground(&list[i])
	}
	width := img.Rect.Dx()
	in = make([]byte, width*img.Rect.Dy())
	for i, r := range runs {
		if grounds[number[i]] {
			line := in[int(r.y)*width+int(r.x0) : int(r.y)*width+int(r.x1)]
			for x := range line {
				line[x] = 1
			}
		}
	}
	return list, in
}
