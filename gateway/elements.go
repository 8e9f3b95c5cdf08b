package gateway

import (
	"context"
	"fmt"
	"image"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/ground"
	"github.com/windieos/windie/sdkapi"
)

func (s *Server) addScreen() {
	post(s, sdkapi.ScreenElementsPath, maxImageBody, screenDoc("screen-elements", "List what stands on an image, and what contains what", 404), s.screenElements)
	post(s, sdkapi.ScreenAtPath, maxImageBody, screenDoc("screen-at", "Tell what is at a point", 404), s.screenAt)
	post(s, sdkapi.ScreenDiffPath, 2*maxImageBody, screenDoc("screen-diff", "Tell what changed from one image to the next", 404), s.screenDiff)
}

func screenDoc(id, summary string, errors ...int) huma.Operation {
	doc := ocrDoc(id, summary, errors...)
	doc.Tags = []string{"screen"}
	return doc
}

func (s screens) screenElements(ctx context.Context, in *sdkapi.ScreenElementsRequest) (*sdkapi.ScreenElementsResponse, error) {
	sc, view, err := s.view(ctx, in.Image, in.Languages, nil)
	if err != nil {
		return nil, err
	}
	region := regionOf(in.Region)
	if err := checkRegion(view.Scene, region); err != nil {
		return nil, err
	}
	out := &sdkapi.ScreenElementsResponse{Image: sc.info, Elements: []sdkapi.Element{}}
	role, text := elements.Role(in.Role), strings.ToLower(in.Text)
	for i, e := range view.Elements {
		if role != "" && e.Role != role || !strings.Contains(strings.ToLower(e.Label), text) || !region.Empty() && !perception.Center(e.Box).In(region) {
			continue
		}
		if out.Total++; out.Total <= or(in.MaxResults, sdkapi.DefaultMaxElements) {
			out.Elements = append(out.Elements, WireElement(view, i))
		}
	}
	return out, nil
}

func (s screens) screenAt(ctx context.Context, in *sdkapi.ScreenAtRequest) (*sdkapi.ScreenAtResponse, error) {
	sc, view, err := s.view(ctx, in.Image, in.Languages, nil)
	if err != nil {
		return nil, err
	}
	p := image.Pt(in.X, in.Y)
	if err := onImage(sc.info, p, "body.x", "body.y"); err != nil {
		return nil, err
	}
	out := &sdkapi.ScreenAtResponse{Image: sc.info, Point: sdkapi.Point{X: in.X, Y: in.Y}, Parents: []sdkapi.Element{}}
	err = s.finder.Scenes().WithPixels(ctx, sc.source, func(_ context.Context, img *image.NRGBA) error {
		c := img.NRGBAAt(in.X, in.Y)
		out.Color = *wireColor(&elements.Color{R: c.R, G: c.G, B: c.B})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if i := view.At(p); i >= 0 {
		out.Element = new(WireElement(view, i))
		for up := view.Elements[i].Parent; up >= 0; up = view.Elements[up].Parent {
			out.Parents = append(out.Parents, WireElement(view, up))
		}
	}
	out.Row, out.Word = textAt(view.Scene, p)
	return out, nil
}

// onImage refuses a point that is not on an image, in the fields that name it.
func onImage(info sdkapi.ImageInfo, p image.Point, x, y string) error {
	f := fault.New("gateway.point", sdkapi.ValidationError, "the point lies outside of the image")
	if p.X < 0 || p.X >= info.Width {
		f = f.At(x, "expected at most %d, for the image is %d pixels wide", info.Width-1, info.Width)
	}
	if p.Y < 0 || p.Y >= info.Height {
		f = f.At(y, "expected at most %d, for the image is %d pixels high", info.Height-1, info.Height)
	}
	if len(f.Details.Fields) == 0 {
		return nil
	}
	return f
}

// textAt returns the row and the word that a point is in, nil for none.
func textAt(scene *perception.Scene, p image.Point) (*sdkapi.Row, *sdkapi.Word) {
	for i, r := range scene.Rows {
		if !p.In(r.Box) {
			continue
		}
		row := WireRow(i, r)
		for n, w := range r.Words {
			if p.In(w.Box) {
				return &row, &row.Words[n]
			}
		}
		return &row, nil
	}
	return nil, nil
}

// sureIcon is how probable an icon is that is told.
const sureIcon = 0.5

// WireElement returns an element of a view as it is on the wire, in pixels of
// the whole image.
func WireElement(v *ground.View, i int) sdkapi.Element {
	e := &v.Elements[i]
	out := sdkapi.Element{
		ID: strconv.Itoa(v.Place(i)), Role: string(e.Role), Label: e.Label, BBox: boxOf(e.Box.Add(v.Region.Min)), States: texts(e.States),
		Colors: sdkapi.Colors{Fill: wireColor(e.Fill), Border: wireColor(e.Border), Ink: wireColor(e.Ink)},
	}
	if e.Parent >= 0 {
		out.Parent = new(strconv.Itoa(v.Place(e.Parent)))
	}
	if len(e.Icons) > 0 && e.Icons[0].Score >= sureIcon {
		out.Icon = e.Icons[0].Name
	}
	return out
}

// wireColor returns a color as it is on the wire; nil for none.
func wireColor(c *elements.Color) *sdkapi.Color {
	if c == nil {
		return nil
	}
	return &sdkapi.Color{Hex: fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B), Name: c.Name()}
}
