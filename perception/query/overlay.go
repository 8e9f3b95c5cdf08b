package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"strconv"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/sdkapi"
)

// OverlayText draws rows of text on an image and stores the picture. The rows are all rows, the
// matches of a text, or one candidate.
func (s Screens) OverlayText(ctx context.Context, in *sdkapi.OCROverlayRequest) (*sdkapi.Overlay, error) {
	ctx, end := s.begin(ctx)
	defer end()
	if err := checkOverlay(in); err != nil {
		return nil, err
	}
	img, rows, err := s.rowsToDraw(ctx, in)
	if err != nil {
		return nil, err
	}
	return s.drawRows(ctx, img, rows, or(in.ShowLabels, true))
}

// checkOverlay returns an error if a request names the rows to draw in more than one way.
func checkOverlay(in *sdkapi.OCROverlayRequest) error {
	f := fault.New("query.overlay", sdkapi.ValidationError, "to select the rows to draw, send either text or candidate_id")
	switch {
	case in.Text == nil && in.CandidateID != nil && in.Region != nil:
		return f.At(regionField, "expected no region together with candidate_id")
	case in.Text == nil:
		return withoutText(in.Narrowing)
	case in.CandidateID != nil:
		return f.At("body", "expected at most one of text and candidate_id")
	}
	return nil
}

// rowsToDraw returns the image of a request, and the rows to draw: the candidate, the matches of
// the text, or all rows in the region.
func (s Screens) rowsToDraw(ctx context.Context, in *sdkapi.OCROverlayRequest) (Image, []sdkapi.Row, error) {
	if in.CandidateID != nil {
		img, scene, err := s.scene(ctx, in.Image, in.Reading)
		if err != nil {
			return img, nil, err
		}
		row, err := candidate(scene, *in.CandidateID)
		return img, []sdkapi.Row{row}, err
	}
	found, err := s.search(ctx, &sdkapi.OCRTextRequest{
		Image: in.Image, Text: or(in.Text, ""), Threshold: in.Threshold, MaxResults: in.MaxResults, Reading: in.Reading, Narrowing: in.Narrowing,
	})
	if err != nil {
		return Image{}, nil, err
	}
	if in.Text == nil {
		return found.image, rowsIn(found.scene, in.Region), nil
	}
	matches, err := found.accepted()
	return found.image, matchRows(matches, found.limit), err
}

// drawRows draws rows on an image, each labelled with its ID, and stores the picture.
func (s Screens) drawRows(ctx context.Context, img Image, rows []sdkapi.Row, labels bool) (*sdkapi.Overlay, error) {
	marks := make([]overlay.Mark, len(rows))
	for i, r := range rows {
		marks[i] = overlay.Mark{Box: r.BBox.Rect(), Label: r.ID}
	}
	return s.Draw(ctx, img, marks, labels)
}

// Draw draws marks on an image, and stores the picture for the user in ctx.
func (s Screens) Draw(ctx context.Context, img Image, marks []overlay.Mark, labels bool) (*sdkapi.Overlay, error) {
	ctx, end := s.begin(ctx)
	defer end()
	return s.draw(ctx, img, img.Source, labels, func(perception.Header) ([]overlay.Mark, error) { return marks, nil })
}

// draw draws marks on an image and stores the picture while it is encoded. It calls marks with the
// image's header.
func (s Screens) draw(ctx context.Context, img Image, source perception.Source, labels bool, marks func(perception.Header) ([]overlay.Mark, error)) (*sdkapi.Overlay, error) {
	out := &sdkapi.Overlay{}
	var wrong error // the error of marks
	picture, to := io.Pipe()
	failed := make(chan error, 1)
	go func() {
		err := s.Finder.scenes.WithPixels(ctx, overlay.WorkingBytes, func(ctx context.Context, list ...perception.Pixels) error {
			img.measured(list[0].Header)
			var drawn []overlay.Mark
			if drawn, wrong = marks(list[0].Header); wrong != nil {
				return wrong
			}
			out.AnnotationCount = len(drawn)
			if err := overlay.DrawOn(ctx, list[0].NRGBA, drawn, overlay.Options{Labels: labels}); err != nil {
				return err
			}
			return overlay.Encode(ctx, to, list[0].NRGBA)
		}, source)
		_ = to.CloseWithError(err) // never fails
		failed <- err
	}()
	kept, err := s.Images.Keep(ctx, picture)
	_ = picture.CloseWithError(errNotKept)
	switch drawing := <-failed; {
	case wrong != nil:
		return nil, wrong
	case drawing != nil && !errors.Is(drawing, errNotKept):
		return nil, img.Blame(drawing)
	}
	if err != nil {
		return nil, err
	}
	out.Image, out.Artifact = img.Info, kept
	return out, nil
}

// errNotKept ends the drawing of a picture that cannot be stored.
var errNotKept = errors.New("the gateway cannot store the image")

// Overlay draws the points and regions of the request on an image and stores the picture. It reads
// no text.
func (s Screens) Overlay(ctx context.Context, in *sdkapi.VisionOverlayRequest) (*sdkapi.Overlay, error) {
	ctx, end := s.begin(ctx)
	defer end()
	if n := len(in.Points) + len(in.Regions); n == 0 || n > sdkapi.MaxOverlayMarks {
		return nil, fault.New("query.overlay", sdkapi.ValidationError, "invalid number of marks: the request has %d points and regions", n).
			At("body", "expected 1 to %d points and regions in total", sdkapi.MaxOverlayMarks)
	}
	img, err := s.Images.Image(ctx, in.Image)
	if err != nil {
		return nil, err
	}
	return s.draw(ctx, img, s.charged(img.Source), or(in.ShowLabels, true), func(h perception.Header) ([]overlay.Mark, error) {
		return marksOf(h, in)
	})
}

// marksOf returns the marks of a request, or an error that lists those outside of the image.
func marksOf(h perception.Header, in *sdkapi.VisionOverlayRequest) (marks []overlay.Mark, err error) {
	wrong := fault.New("query.overlay", sdkapi.ValidationError, "some marks are outside the image, which is %d by %d pixels", h.Width, h.Height)
	screen := image.Rect(0, 0, h.Width, h.Height)
	add := func(m overlay.Mark, at image.Point, label, path string, i int) {
		m.Label = cmp.Or(label, strconv.Itoa(len(marks)))
		if marks = append(marks, m); !at.In(screen) {
			wrong = wrong.At(fmt.Sprintf("%s[%d]", path, i), "expected a place on the image")
		}
	}
	for i, p := range in.Points {
		at := image.Pt(p.X, p.Y)
		add(overlay.Mark{Point: &at}, at, p.Label, "body.points", i)
	}
	for i, r := range in.Regions {
		box := r.Rect()
		add(overlay.Mark{Box: box}, box.Min, r.Label, "body.regions", i)
	}
	return marks, ifFields(wrong)
}
