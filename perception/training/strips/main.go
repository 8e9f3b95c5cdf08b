// Command strips cuts the lines out of pictures in the same way as the gateway: it finds lines on a
// picture without compression ripples and cuts them out of the original. It reads pictures from
// standard input until it ends, and writes their lines to standard output:
//
//	strips [-height 24]
//
//	input, for each picture: width, height (32 bits);
//	    the pixels by rows, red, green, blue, opaque (32 bits)
//	output, for each picture: the number of lines (32 bits); for each line:
//	    left, top, right, bottom (32 bits), of the line's box on the picture
//	    the number of fits (32 bits); for each fit:
//	        letters (32 bits), baseline, capital (64-bit floats): the position of letters, in pixels of the picture
//	        left, scale (64-bit floats): column x of the strip lies at left + x/scale on the picture
//	        width (32 bits); the strip by rows, 0 ink to 255 paper (8 bits)
//
// All numbers are little-endian.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/textline"
	"github.com/windieos/windie/perception/textmap"
)

const (
	maxSide = 16384 // maximum side of a picture, in pixels
	// minimum height of a line in pixels, as in perception/reader, which drops lower lines
	minRowHeight = 5
)

// main reads pictures until standard input ends. The exit code is 1 if a picture is invalid.
func main() {
	height := flag.Int("height", 24, "rows of a strip")
	flag.Parse()
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	if err := cutAll(bufio.NewReaderSize(os.Stdin, 1<<20), out, *height); err != nil {
		fmt.Fprintln(os.Stderr, "strips:", err)
		os.Exit(1)
	}
}

// cutAll writes the lines of each picture before it reads the next one.
func cutAll(in io.Reader, out *bufio.Writer, height int) error {
	for {
		picture, err := readPicture(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := errors.Join(writeLines(out, picture, height), out.Flush()); err != nil {
			return err
		}
	}
}

// readPicture returns the next picture, or io.EOF at the end of the input.
func readPicture(in io.Reader) (*image.NRGBA, error) {
	var size [2]uint32
	if err := binary.Read(in, binary.LittleEndian, &size); err != nil {
		return nil, err
	}
	if size[0] == 0 || size[1] == 0 || size[0] > maxSide || size[1] > maxSide {
		return nil, fmt.Errorf("invalid size %d by %d of the picture; expected 1 to %d pixels per side", size[0], size[1], maxSide)
	}
	picture := image.NewNRGBA(image.Rect(0, 0, int(size[0]), int(size[1])))
	if _, err := io.ReadFull(in, picture.Pix); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // io.EOF is the end between two pictures
		}
		return nil, fmt.Errorf("the picture is incomplete: %w", err)
	}
	return picture, nil
}

// finder is the network that finds rows of text.
var finder = sync.OnceValues(func() (*textmap.Model, error) {
	model, err := textmap.Own()
	if err == nil {
		err = model.Use("")
	}
	return model, err
})

// linesOf returns the lines of a clean picture that the reader would read.
func linesOf(ctx context.Context, picture *image.NRGBA) ([]textline.Line, error) {
	model, err := finder()
	if err != nil {
		return nil, err
	}
	rows, err := model.Find(ctx, picture)
	if err != nil {
		return nil, err
	}
	lines, err := textline.Find(ctx, picture, rows)
	return slices.DeleteFunc(lines, func(l textline.Line) bool { return l.Box.Dy() < minRowHeight }), err
}

// writeLines writes the lines of a picture, in the order in which textline.Find returns them. It
// changes the pixels of picture.
func writeLines(out io.Writer, picture *image.NRGBA, height int) error {
	ctx, before := context.Background(), image.NewNRGBA(picture.Rect)
	copy(before.Pix, picture.Pix)
	if err := perception.Clean(ctx, picture); err != nil {
		return err
	}
	lines, err := linesOf(ctx, picture)
	if err != nil {
		return err
	}
	w := writer{out: out}
	w.put(uint32(len(lines)))
	for _, l := range lines {
		patch := l.Patch(before)
		fits := patch.Fits()
		w.put([]int32{int32(l.Box.Min.X), int32(l.Box.Min.Y), int32(l.Box.Max.X), int32(l.Box.Max.Y), int32(len(fits))})
		for _, f := range fits {
			s := patch.Strip(f, textline.Geometries[0], height)
			left := s.X(0)
			scale := 1 / (s.X(1) - left)
			w.put(int32(f.Letters))
			w.put([]float64{f.Baseline + float64(patch.Origin.Y), f.Capital, left + float64(patch.Origin.X), scale})
			w.put(uint32(s.Width))
			w.put(s.Pix)
		}
	}
	return w.err
}

// writer writes values and keeps the first error.
type writer struct {
	out io.Writer
	err error
}

// put writes a number, or a list of numbers, in little-endian form.
func (w *writer) put(value any) {
	if w.err == nil {
		w.err = binary.Write(w.out, binary.LittleEndian, value)
	}
}
