package query

import (
	"context"
	"image"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/sdkapi"
)

// At returns the color, the element, the row and the word at a point of an image. It fails with
// ValidationError for a point outside of the image.
func (s Screens) At(ctx context.Context, in *sdkapi.ScreenAtRequest) (*sdkapi.ScreenAtResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	img, view, err := s.view(ctx, in.Image, in.Reading, nil)
	if err != nil {
		return nil, err
	}
	p := image.Pt(in.X, in.Y)
	if err := onImage(img.Info, p); err != nil {
		return nil, err
	}
	out := &sdkapi.ScreenAtResult{Image: img.Info, Point: sdkapi.Point{X: in.X, Y: in.Y}, Parents: []sdkapi.Element{}}
	err = s.Finder.scenes.WithPixels(ctx, nil, func(ctx context.Context, list ...perception.Pixels) error {
		if err := perception.MakeOpaque(ctx, list[0].NRGBA); err != nil {
			return err
		}
		c := list[0].NRGBAAt(in.X, in.Y)
		out.Color = *wireColor(&elements.Color{R: c.R, G: c.G, B: c.B})
		return nil
	}, img.Source)
	if err != nil {
		return nil, err
	}
	if i := view.At(p); i >= 0 {
		out.Element = new(wireElement(view, i))
		for up := view.Elements[i].Parent; up >= 0; up = view.Elements[up].Parent {
			out.Parents = append(out.Parents, wireElement(view, up))
		}
	}
	out.Row, out.Word = textAt(view.Scene, p)
	return out, nil
}

// onImage returns a ValidationError for a point outside of an image, or nil.
func onImage(info sdkapi.ImageInfo, p image.Point) error {
	f := fault.New("query.point", sdkapi.ValidationError, "the point is outside the image")
	if p.X < 0 || p.X >= info.Width {
		f = f.At("body.x", "expected at most %d, because the image is %d pixels wide", info.Width-1, info.Width)
	}
	if p.Y < 0 || p.Y >= info.Height {
		f = f.At("body.y", "expected at most %d, because the image is %d pixels high", info.Height-1, info.Height)
	}
	return ifFields(f)
}

// ifFields returns f if it names a field, otherwise nil.
func ifFields(f *fault.Error) error {
	if len(f.Details.Fields) == 0 {
		return nil
	}
	return f
}

// textAt returns the row and the word at a point; each is nil if there is none.
func textAt(scene *perception.Scene, p image.Point) (*sdkapi.Row, *sdkapi.Word) {
	for i, r := range scene.Rows {
		if !p.In(r.Box) {
			continue
		}
		row := wireRow(i, r)
		for n, w := range r.Words {
			if p.In(w.Box) {
				return &row, &row.Words[n]
			}
		}
		return &row, nil
	}
	return nil, nil
}
