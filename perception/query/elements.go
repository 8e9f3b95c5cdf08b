package query

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/sdkapi"
)

// Elements returns the elements of an image that match the role, the text and the region of the
// request. Total is the number of all such elements; the list has at most MaxResults of them.
func (s Screens) Elements(ctx context.Context, in *sdkapi.ScreenElementsRequest) (*sdkapi.ScreenElementsResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	img, view, err := s.view(ctx, in.Image, in.Reading, nil)
	if err != nil {
		return nil, err
	}
	if err := checkRegion(view.Scene, in.Region); err != nil {
		return nil, err
	}
	out := &sdkapi.ScreenElementsResult{Image: img.Info, Elements: []sdkapi.Element{}}
	role, text, region := elements.Role(in.Role), strings.ToLower(in.Text), in.Region.Rect()
	for i, e := range view.Elements {
		if role != "" && e.Role != role || !strings.Contains(strings.ToLower(e.Label), text) || !region.Empty() && !geo.Center(e.Box).In(region) {
			continue
		}
		if out.Total++; out.Total <= or(in.MaxResults, sdkapi.DefaultMaxElements) {
			out.Elements = append(out.Elements, wireElement(view, i))
		}
	}
	return out, nil
}

// wireElement returns an element as in a response, in pixels of the whole image.
func wireElement(v *View, i int) sdkapi.Element {
	e := &v.Elements[i]
	out := sdkapi.Element{
		ID: strconv.Itoa(v.Place(i)), Role: string(e.Role), Label: e.Label, Line: v.Lines().Of(i), Icon: e.Icon(), BBox: boxOf(e.Box.Add(v.Region.Min)), States: texts(e.States),
		Colors: sdkapi.Colors{Fill: wireColor(e.Fill), Border: wireColor(e.Border), Ink: wireColor(e.Ink)},
	}
	if e.Parent >= 0 {
		out.Parent = new(strconv.Itoa(v.Place(e.Parent)))
	}
	return out
}

// wireColor returns a color as in a response; nil becomes nil.
func wireColor(c *elements.Color) *sdkapi.Color {
	if c == nil {
		return nil
	}
	return &sdkapi.Color{Hex: fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B), Name: c.Name()}
}
