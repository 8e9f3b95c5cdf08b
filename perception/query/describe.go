package query

import (
	"cmp"
	"context"
	"strconv"

	"github.com/windieos/windie/perception/describe"
	"github.com/windieos/windie/sdkapi"
)

// Describe returns a description of an image. If the request has a region, Describe treats the
// region as the whole image. If a vision model is configured, the model writes the prose. Rules
// create the rest of the description.
func (s Screens) Describe(ctx context.Context, in *sdkapi.VisionDescribeRequest) (*sdkapi.VisionDescribeResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	img, view, err := s.view(ctx, in.Image, in.Reading, in.Region)
	if err != nil {
		return nil, err
	}
	prose, err := s.Finder.Prose(ctx, view)
	if err != nil {
		return nil, err
	}
	out := wireDescription(img.Info, view)
	out.Description, out.Found = cmp.Or(prose.Text, out.Description), s.found(prose.Provider, prose.Fallback)
	if in.Region != nil {
		out.Region, out.CroppedFrom = &sdkapi.Box{Width: view.Width, Height: view.Height}, new(boxOf(view.Region))
	}
	return out, nil
}

// wireDescription returns the description of a view by rules, as a response.
func wireDescription(image sdkapi.ImageInfo, view *View) *sdkapi.VisionDescribeResult {
	d := describe.Describe(view.Screen)
	out := &sdkapi.VisionDescribeResult{
		Image: image, Description: d.Prose, Theme: string(d.Theme),
		Colors: []sdkapi.DescribedColor{}, Regions: []sdkapi.DescribedPart{}, Headings: lines(d.Headings), Controls: controls(view, d), Text: lines(d.Text),
		More: sdkapi.DescribedMore{Regions: d.MoreRegions, Controls: d.MoreControls, Text: d.MoreText},
	}
	out.Image.Width, out.Image.Height = view.Width, view.Height
	for _, c := range d.Colors {
		out.Colors = append(out.Colors, sdkapi.DescribedColor{Color: *wireColor(&c.Color), Share: fraction(c.Share)})
	}
	for _, r := range d.Regions {
		out.Regions = append(out.Regions, sdkapi.DescribedPart{
			Kind: string(r.Kind), BBox: boxOf(r.Box), Title: r.Title, Color: wireColor(r.Color), Parent: placeOf(r.Parent), Rows: r.Rows, Columns: r.Columns,
		})
	}
	return out
}

// placeOf returns a pointer to an index, or nil for a negative one.
func placeOf(i int) *int {
	if i < 0 {
		return nil
	}
	return &i
}

// lines converts lines of text for a response. The result is never nil.
func lines(list []describe.Line) []sdkapi.DescribedLine {
	out := make([]sdkapi.DescribedLine, len(list))
	for i, l := range list {
		out[i] = sdkapi.DescribedLine{Text: l.Text, BBox: boxOf(l.Box), Region: placeOf(l.Region)}
	}
	return out
}

// controls converts the controls of d for a response. Their IDs are those of the elements on the
// whole screen.
func controls(view *View, d *describe.Description) []sdkapi.Control {
	out := make([]sdkapi.Control, len(d.Controls))
	for i, c := range d.Controls {
		out[i] = sdkapi.Control{
			ID: strconv.Itoa(view.Place(c.Element)), Role: string(c.Role), Label: c.Label, Icon: c.Icon, States: texts(c.States), Color: c.Color,
			BBox: boxOf(c.Box), Center: pointOf(c.Point), Region: placeOf(c.Region),
		}
	}
	return out
}
