package query

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"strconv"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/sdkapi"
)

// OverlayText draws what was read on an image and stores the picture.
func (s Screens) OverlayText(ctx context.Context, in *sdkapi.OCROverlayRequest) (*sdkapi.Overlay, error) {
	if err := checkOverlay(in); err != nil {
		return nil, err
	}
	img, rows, err := s.rowsToDraw(ctx, in)
	if err != nil {
		return nil, err
	}
	return s.drawRows(ctx, img, rows, or(in.ShowLabels, true))
}

// checkOverlay refuses more than one way to name the rows to draw.
func checkOverlay(in *sdkapi.OCROverlayRequest) error {
	f := fault.New("query.overlay", sdkapi.ValidationError, "name the rows to draw in one way: text or candidate_id")
	switch {
	case in.Text == nil && in.CandidateID != nil && in.Region != nil:
		return f.At(regionField, "expected no region beside candidate_id")
	case in.Text == nil:
		return withoutText(in.Narrowing)
	case in.CandidateID != nil:
		return f.At("body", "expected at most one of text and candidate_id")
	}
	return nil
}

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
	return found.image, matchRows(matches, found.most), err
}

// drawRows draws rows onto an image, each labelled with its id, and stores the picture.
func (s Screens) drawRows(ctx context.Context, img Image, rows []sdkapi.Row, labels bool) (*sdkapi.Overlay, error) {
	marks := make([]overlay.Mark, len(rows))
	for i, r := range rows {
		marks[i] = overlay.Mark{Box: r.BBox.Rect(), Label: r.ID}
	}
	return s.Draw(ctx, img, marks, labels)
}

// Draw draws marks onto an image and stores the picture as the caller's.
func (s Screens) Draw(ctx context.Context, img Image, marks []overlay.Mark, labels bool) (*sdkapi.Overlay, error) {
	var picture bytes.Buffer
	err := s.Finder.scenes.WithPixels(ctx, img.Source, func(ctx context.Context, pixels *image.NRGBA) error {
		drawn, err := overlay.Draw(ctx, pixels, marks, overlay.Options{Labels: labels})
		if err != nil {
			return err
		}
		return overlay.Encode(&picture, drawn)
	})
	if err != nil {
		return nil, img.Blame(err)
	}
	kept, err := s.Images.Keep(ctx, picture.Bytes())
	if err != nil {
		return nil, err
	}
	return &sdkapi.Overlay{Image: img.Info, Artifact: kept, AnnotationCount: len(marks)}, nil
}

// Overlay draws what the caller points at and stores the picture. It reads no text.
func (s Screens) Overlay(ctx context.Context, in *sdkapi.VisionOverlayRequest) (*sdkapi.Overlay, error) {
	if n := len(in.Points) + len(in.Regions); n == 0 || n > sdkapi.MaxOverlayMarks {
		return nil, fault.New("query.overlay", sdkapi.ValidationError, "there are %d points and regions to mark", n).
			At("body", "expected 1 to %d points and regions in all", sdkapi.MaxOverlayMarks)
	}
	img, err := s.sized(ctx, in.Image)
	if err != nil {
		return nil, err
	}
	marks, err := marksOf(img.Info, in)
	if err != nil {
		return nil, err
	}
	return s.Draw(ctx, img, marks, or(in.ShowLabels, true))
}

// sized returns a request's image with its size. Drawing on it is charged.
func (s Screens) sized(ctx context.Context, in sdkapi.ImageSource) (Image, error) {
	img, err := s.Images.Image(ctx, in)
	if err != nil {
		return img, err
	}
	data, err := s.charged(img.Source).Read(ctx)
	if err != nil {
		return img, err
	}
	header, err := perception.DecodeHeader(data)
	if err != nil {
		return img, img.Blame(err)
	}
	img.Source = perception.SourceOf(data)
	img.measured(header)
	return img, nil
}

// marksOf returns the marks of a request, or an error with all outside the image.
func marksOf(info sdkapi.ImageInfo, in *sdkapi.VisionOverlayRequest) (marks []overlay.Mark, err error) {
	wrong := fault.New("query.overlay", sdkapi.ValidationError, "not all of it is on the image, which is %d by %d pixels", info.Width, info.Height)
	screen := image.Rect(0, 0, info.Width, info.Height)
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
