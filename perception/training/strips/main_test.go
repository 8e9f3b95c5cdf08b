package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"image/color"
	"io"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/textline"
)

// Each picture is answered by its lines, cut as the reader cuts them.
func TestCutAll(t *testing.T) {
	t.Parallel()
	picture := testkit.Canvas(300, 60, color.White)
	testkit.Pen{Em: 20}.Write(picture, 30, 40, "Check out")
	var in bytes.Buffer
	for range 2 {
		in.Write(words(300, 60))
		in.Write(picture.Pix)
	}
	var out bytes.Buffer
	if err := cutAll(&in, bufio.NewWriter(&out), 24); err != nil {
		t.Fatal(err)
	}
	lines, err := linesOf(t.Context(), picture)
	if err != nil || len(lines) == 0 {
		t.Fatalf("%d lines (%v)", len(lines), err)
	}
	patch := lines[0].Patch(picture)
	fit := patch.Fits()[0]
	strip := patch.Strip(fit, textline.Geometries[0], 24)
	for range 2 {
		var head struct {
			Lines, Left, Top, Right, Bottom, Fits, Letters int32
			Baseline, Capital, From, Scale                 float64
			Width                                          int32
		}
		if err := binary.Read(&out, binary.LittleEndian, &head); err != nil {
			t.Fatal(err)
		}
		if int(head.Lines) != len(lines) || int(head.Left) != lines[0].Box.Min.X || head.Capital != fit.Capital || int(head.Width) != strip.Width {
			t.Fatalf("the line is %+v; the reader finds %+v with %+v", head, lines[0].Box, fit)
		}
		if pix := out.Next(len(strip.Pix)); !bytes.Equal(pix, strip.Pix) {
			t.Error("the strip is not the reader's")
		}
		x := (float64(lines[0].Box.Min.X) - head.From) * head.Scale
		if x < 0 || x > 3 {
			t.Errorf("the first letter begins at column %.1f of the strip", x)
		}
	}
	if out.Len() != 0 {
		t.Errorf("%d bytes follow the lines", out.Len())
	}
}

func TestCutAllRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in   []byte
		want string
	}{
		"no width":       {words(0, 5), "expected 1 to 16384 pixels per side"},
		"a great height": {words(5, 16385), "expected 1 to 16384 pixels per side"},
		"half a picture": {append(words(5, 5), 1, 2, 3), "is incomplete"},
		"no pixels":      {words(5, 5), "is incomplete"},
		"half a size":    {words(5), "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			err := cutAll(bytes.NewReader(tt.in), bufio.NewWriter(io.Discard), 24)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("cutAll: %v; want %q in it", err, tt.want)
			}
		})
	}
}

// words returns numbers as the program reads them.
func words(list ...uint32) (b []byte) {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}
