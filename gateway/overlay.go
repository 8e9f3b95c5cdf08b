package gateway

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"strconv"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/sdkapi"
)

func (s *Server) ocrOverlay(ctx context.Context, in *sdkapi.OCROverlayRequest) (*sdkapi.Overlay, error) {
	if err := checkOverlay(in); err != nil {
		return nil, err
	}
	sc, scene, err := s.scene(ctx, in.Image, in.Languages)
	if err != nil {
		return nil, err
	}
	rows, err := rowsToDraw(scene, in)
	if err != nil {
		return nil, err
	}
	return s.drawOverlay(ctx, sc, rows, or(in.ShowLabels, true))
}

// checkOverlay refuses more than one way to name the rows to draw.
func checkOverlay(in *sdkapi.OCROverlayRequest) error {
	f := fault.New("gateway.overlay", sdkapi.ValidationError, "name the rows to draw in one way: text or candidate_id")
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

func rowsToDraw(scene *perception.Scene, in *sdkapi.OCROverlayRequest) ([]sdkapi.Row, error) {
	if in.CandidateID != nil {
		row, err := findCandidate(scene, *in.CandidateID)
		return []sdkapi.Row{row}, err
	}
	q := queryOf(in.Text, in.Threshold, in.MaxResults, in.Narrowing)
	found, err := q.find(scene)
	if err != nil {
		return nil, err
	}
	if in.Text == nil {
		return rowsIn(scene, q.Region), nil
	}
	matches, err := q.accepted(scene, found)
	return matchRows(matches, q.maxResults), err
}

// drawOverlay draws rows onto sc, each labelled with its id, and stores the
// picture as the caller's.
func (s *Server) drawOverlay(ctx context.Context, sc screen, rows []sdkapi.Row, labels bool) (*sdkapi.Overlay, error) {
	marks := make([]overlay.Mark, len(rows))
	for i, r := range rows {
		marks[i] = overlay.Mark{Box: image.Rect(r.BBox.X, r.BBox.Y, r.BBox.X+r.BBox.Width, r.BBox.Y+r.BBox.Height), Label: r.ID}
	}
	return s.draw(ctx, sc, marks, labels)
}

// draw draws marks onto sc and stores the picture as the caller's.
func (s screens) draw(ctx context.Context, sc screen, marks []overlay.Mark, labels bool) (*sdkapi.Overlay, error) {
	store, err := s.storeOf(ctx)
	if err != nil {
		return nil, err
	}
	var picture bytes.Buffer
	err = s.finder.Scenes().WithPixels(ctx, sc.source, func(ctx context.Context, pixels *image.NRGBA) error {
		drawn, err := overlay.Draw(ctx, pixels, marks, overlay.Options{Labels: labels})
		if err != nil {
			return err
		}
		return overlay.Encode(&picture, drawn)
	})
	if err != nil {
		return nil, sc.blame(err)
	}
	id, contentType := artifacts.Sniff(picture.Bytes())
	info, err := store.Put(ctx, id, contentType, &picture)
	if err != nil {
		return nil, err
	}
	return &sdkapi.Overlay{Image: sc.info, Artifact: describeArtifact(ctx, info), AnnotationCount: len(marks)}, nil
}

// visionOverlay draws what the caller points at. It reads nothing on the image,
// and looks only at how large it is.
func (s screens) visionOverlay(ctx context.Context, in *sdkapi.VisionOverlayRequest) (*sdkapi.Overlay, error) {
	if n := len(in.Points) + len(in.Regions); n == 0 || n > sdkapi.MaxOverlayMarks {
		return nil, fault.New("gateway.overlay", sdkapi.ValidationError, "there are %d points and regions to mark", n).
			At("body", "expected 1 to %d points and regions in all", sdkapi.MaxOverlayMarks)
	}
	sc, err := s.sized(ctx, in.Image)
	if err != nil {
		return nil, err
	}
	marks, err := marksOf(sc.info, in)
	if err != nil {
		return nil, err
	}
	return s.draw(ctx, sc, marks, or(in.ShowLabels, true))
}

// marksOf returns the marks that a request asks for. Its error names all that
// are not on the image.
func marksOf(info sdkapi.ImageInfo, in *sdkapi.VisionOverlayRequest) (marks []overlay.Mark, err error) {
	wrong := fault.New("gateway.overlay", sdkapi.ValidationError, "not all of it is on the image, which is %d by %d pixels", info.Width, info.Height)
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
		box := regionOf(&r.Region)
		add(overlay.Mark{Box: box}, box.Min, r.Label, "body.regions", i)
	}
	if len(wrong.Details.Fields) > 0 {
		return nil, wrong
	}
	return marks, nil
}
