package gateway

import (
	"bytes"
	"context"
	"image"

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
	store, err := s.storeOf(ctx)
	if err != nil {
		return nil, err
	}
	marks := make([]overlay.Mark, len(rows))
	for i, r := range rows {
		marks[i] = overlay.Mark{Box: image.Rect(r.BBox.X, r.BBox.Y, r.BBox.X+r.BBox.Width, r.BBox.Y+r.BBox.Height), Label: r.ID}
	}
	var picture bytes.Buffer
	err = s.cfg.Scenes.WithPixels(ctx, sc.source, func(ctx context.Context, pixels *image.NRGBA) error {
		drawn, err := overlay.Draw(ctx, pixels, marks, overlay.Options{Labels: labels})
		if err != nil {
			return err
		}
		return overlay.Encode(&picture, drawn)
	})
	if err != nil {
		return nil, err
	}
	id, contentType := artifacts.Sniff(picture.Bytes())
	info, err := store.Put(ctx, id, contentType, &picture)
	if err != nil {
		return nil, err
	}
	return &sdkapi.Overlay{Image: sc.info, Artifact: describe(ctx, info), AnnotationCount: len(rows)}, nil
}
