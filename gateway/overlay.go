package gateway

import (
	"bytes"
	"context"
	"image"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/sdkapi"
)

func (s *Server) ocrOverlay(ctx context.Context, in *sdkapi.OCROverlayRequest) (*sdkapi.Overlay, error) {
	if in.Text != nil && in.CandidateID != nil {
		return nil, fault.New("gateway.overlay", sdkapi.ValidationError, "name the rows to draw in one way: text or candidate_id").
			At("body", "expected at most one of text and candidate_id")
	}
	sc, scene, err := s.scene(ctx, in.Image)
	if err != nil {
		return nil, err
	}
	rows, err := rowsToDraw(scene, in)
	if err != nil {
		return nil, err
	}
	return s.drawOverlay(ctx, sc, rows, or(in.ShowLabels, true))
}

func rowsToDraw(scene *perception.Scene, in *sdkapi.OCROverlayRequest) ([]sdkapi.Row, error) {
	switch {
	case in.CandidateID != nil:
		row, err := findCandidate(scene, *in.CandidateID)
		return []sdkapi.Row{row}, err
	case in.Text != nil:
		q := queryOf(in.Text, in.Threshold, in.MaxResults)
		return matchRows(match.Above(rank(scene, q.text), q.threshold), q.maxResults), nil
	}
	return allRows(scene), nil
}

// drawOverlay draws rows onto sc, each labelled with its id, and stores the
// picture.
func (s *Server) drawOverlay(ctx context.Context, sc screen, rows []sdkapi.Row, labels bool) (*sdkapi.Overlay, error) {
	marks := make([]overlay.Mark, len(rows))
	for i, r := range rows {
		marks[i] = overlay.Mark{Box: image.Rect(r.BBox.X, r.BBox.Y, r.BBox.X+r.BBox.Width, r.BBox.Y+r.BBox.Height), Label: r.ID}
	}
	var picture bytes.Buffer
	err := s.cfg.Scenes.WithPixels(ctx, sc.source, func(ctx context.Context, pixels *image.NRGBA) error {
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
	info, err := s.cfg.Store.Put(ctx, id, contentType, &picture)
	if err != nil {
		return nil, err
	}
	return &sdkapi.Overlay{Image: sc.info, Artifact: describe(ctx, info), AnnotationCount: len(rows)}, nil
}
