package gateway

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/sdkapi"
)

func (s *Server) addOCR() {
	post(s, sdkapi.OCRRunPath, maxImageBody, ocrDoc("ocr-run", "Read all text on an image"), s.ocrRun)
	post(s, sdkapi.OCRFindTextPath, maxImageBody, ocrDoc("ocr-find-text", "Find the rows that match a text", 404), s.ocrFindText)
	post(s, sdkapi.OCRFindTextCandidatesPath, maxImageBody,
		ocrDoc("ocr-find-text-candidates", "Rank the rows by how well they match a text, good or not", 404), s.ocrFindTextCandidates)
	post(s, sdkapi.OCRResolveTextPath, maxImageBody,
		ocrDoc("ocr-resolve-text", "Find the one row that a text means, and where to click it", 404, 409), s.ocrResolveText)
	post(s, sdkapi.OCRResolveCandidatePath, maxImageBody,
		ocrDoc("ocr-resolve-candidate", "Find a row of an earlier answer again", 404), s.ocrResolveCandidate)
	post(s, sdkapi.OCRInspectPath, maxImageBody, ocrDoc("ocr-inspect", "Tell all that the other routes would, at once", 507), s.ocrInspect)
	post(s, sdkapi.OCROverlayPath, maxImageBody, ocrDoc("ocr-overlay", "Draw what was read and store the picture", 404, 507), s.ocrOverlay)
}

func ocrDoc(id, summary string, errors ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Summary: summary, Tags: []string{"ocr"},
		Errors: append(errors, 400, 408, 413, 415, 422, 503, 504),
	}
}

func (s screens) ocrRun(ctx context.Context, in *sdkapi.OCRRunRequest) (*sdkapi.OCRRunResponse, error) {
	return s.ocrRead(ctx, &sdkapi.OCRReadArguments{Image: in.Image, Reading: in.Reading})
}

// ocrRead is ocrRun, of a part of the image if that is asked for.
func (s screens) ocrRead(ctx context.Context, in *sdkapi.OCRReadArguments) (*sdkapi.OCRRunResponse, error) {
	sc, scene, err := s.scene(ctx, in.Image, in.Languages)
	if err != nil {
		return nil, err
	}
	region := regionOf(in.Region)
	if err := checkRegion(scene, region); err != nil {
		return nil, err
	}
	return &sdkapi.OCRRunResponse{Image: sc.info, Results: rowsIn(scene, region)}, nil
}

func (s screens) ocrFindText(ctx context.Context, in *sdkapi.OCRTextRequest) (*sdkapi.OCRMatchesResponse, error) {
	return s.matches(ctx, in, query.accepted)
}

func (s screens) ocrFindTextCandidates(ctx context.Context, in *sdkapi.OCRTextRequest) (*sdkapi.OCRMatchesResponse, error) {
	return s.matches(ctx, in, query.candidates)
}

// matches answers with what choose takes from what was found.
func (s screens) matches(ctx context.Context, in *sdkapi.OCRTextRequest,
	choose func(query, *perception.Scene, *match.Found) ([]match.Match, error)) (*sdkapi.OCRMatchesResponse, error) {
	sc, scene, err := s.scene(ctx, in.Image, in.Languages)
	if err != nil {
		return nil, err
	}
	q := queryOf(&in.Text, in.Threshold, in.MaxResults, in.Narrowing)
	found, err := q.find(scene)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(q, scene, found)
	if err != nil {
		return nil, err
	}
	return &sdkapi.OCRMatchesResponse{Image: sc.info, Query: in.Text, Threshold: q.Threshold, Matches: matchRows(chosen, q.maxResults)}, nil
}

func (s screens) ocrResolveText(ctx context.Context, in *sdkapi.OCRTextRequest) (*sdkapi.OCRResolveTextResponse, error) {
	sc, scene, err := s.scene(ctx, in.Image, in.Languages)
	if err != nil {
		return nil, err
	}
	q := queryOf(&in.Text, in.Threshold, in.MaxResults, in.Narrowing)
	found, err := q.find(scene)
	if err != nil {
		return nil, err
	}
	one, err := q.resolve(scene, found)
	if err != nil {
		return nil, err
	}
	return &sdkapi.OCRResolveTextResponse{Image: sc.info, Query: in.Text, Threshold: q.Threshold, Match: MatchRow(*one)}, nil
}

func (s screens) ocrResolveCandidate(ctx context.Context, in *sdkapi.OCRResolveCandidateRequest) (*sdkapi.OCRResolveCandidateResponse, error) {
	sc, scene, err := s.scene(ctx, in.Image, in.Languages)
	if err != nil {
		return nil, err
	}
	row, err := findCandidate(scene, in.CandidateID)
	if err != nil {
		return nil, err
	}
	return &sdkapi.OCRResolveCandidateResponse{Image: sc.info, CandidateID: in.CandidateID, Match: row}, nil
}

func findCandidate(scene *perception.Scene, id string) (sdkapi.Row, error) {
	if row, index, ok := scene.Find(id); ok {
		return WireRow(index, row), nil
	}
	return sdkapi.Row{}, fault.New("gateway.ocr", sdkapi.CandidateNotFound, "this image has no row %s; ask ocr/run or find-text for its rows", id).
		At("body.candidate_id", "expected a candidate_id of an answer about this very image")
}

func (s *Server) ocrInspect(ctx context.Context, in *sdkapi.OCRInspectRequest) (*sdkapi.OCRInspectResponse, error) {
	if in.Text == nil {
		if err := withoutText(in.Narrowing); err != nil {
			return nil, err
		}
	}
	sc, scene, err := s.scene(ctx, in.Image, in.Languages)
	if err != nil {
		return nil, err
	}
	q := queryOf(in.Text, in.Threshold, in.MaxResults, in.Narrowing)
	found, err := q.find(scene)
	if err != nil {
		return nil, err
	}
	out := &sdkapi.OCRInspectResponse{
		Image: sc.info, Query: in.Text, Threshold: q.Threshold, Results: rowsIn(scene, q.Region),
		RankedMatches: matchRows(found.Ranked, q.maxResults), AcceptedMatches: matchRows(found.Matches(), q.maxResults),
	}
	drawn := out.Results
	if in.Text != nil {
		out.ResolvedMatch, out.ResolutionError = q.outcome(scene, found)
		drawn = out.AcceptedMatches
	}
	if in.IncludeOverlay {
		if out.Overlay, err = s.drawOverlay(ctx, sc, drawn, or(in.ShowLabels, true)); err != nil {
			return nil, err
		}
	}
	return out, nil
}
