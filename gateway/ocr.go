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
	post(s, sdkapi.OCRFindTextPath, maxImageBody, ocrDoc("ocr-find-text", "Find the rows that match a text"), s.ocrFindText)
	post(s, sdkapi.OCRFindTextCandidatesPath, maxImageBody,
		ocrDoc("ocr-find-text-candidates", "Rank the rows by how well they match a text, good or not"), s.ocrFindTextCandidates)
	post(s, sdkapi.OCRResolveTextPath, maxImageBody,
		ocrDoc("ocr-resolve-text", "Find the one row that a text means, and where to click it", 404, 409), s.ocrResolveText)
	post(s, sdkapi.OCRResolveCandidatePath, maxImageBody,
		ocrDoc("ocr-resolve-candidate", "Find a row of an earlier answer again", 404), s.ocrResolveCandidate)
	post(s, sdkapi.OCRInspectPath, maxImageBody, ocrDoc("ocr-inspect", "Tell all that the other routes would, at once"), s.ocrInspect)
	post(s, sdkapi.OCROverlayPath, maxImageBody, ocrDoc("ocr-overlay", "Draw what was read and store the picture", 404), s.ocrOverlay)
}

func ocrDoc(id, summary string, errors ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Summary: summary, Tags: []string{"ocr"},
		Errors: append(errors, 400, 408, 413, 415, 422, 503, 504),
	}
}

func (s *Server) ocrRun(ctx context.Context, in *sdkapi.OCRRunRequest) (*sdkapi.OCRRunResponse, error) {
	sc, scene, err := s.scene(ctx, in.Image)
	if err != nil {
		return nil, err
	}
	return &sdkapi.OCRRunResponse{Image: sc.info, Results: allRows(scene)}, nil
}

func (s *Server) ocrFindText(ctx context.Context, in *sdkapi.OCRTextRequest) (*sdkapi.OCRMatchesResponse, error) {
	threshold := or(in.Threshold, sdkapi.DefaultThreshold)
	return s.matches(ctx, in, func(ranked []match.Match) []match.Match { return match.Above(ranked, threshold) })
}

func (s *Server) ocrFindTextCandidates(ctx context.Context, in *sdkapi.OCRTextRequest) (*sdkapi.OCRMatchesResponse, error) {
	return s.matches(ctx, in, func(ranked []match.Match) []match.Match { return ranked })
}

// matches answers with what choose takes from the ranked rows.
func (s *Server) matches(ctx context.Context, in *sdkapi.OCRTextRequest, choose func([]match.Match) []match.Match) (*sdkapi.OCRMatchesResponse, error) {
	sc, scene, err := s.scene(ctx, in.Image)
	if err != nil {
		return nil, err
	}
	return &sdkapi.OCRMatchesResponse{
		Image:     sc.info,
		Query:     in.Text,
		Threshold: or(in.Threshold, sdkapi.DefaultThreshold),
		Matches:   matchRows(choose(rank(scene, in.Text)), or(in.MaxResults, sdkapi.DefaultMaxResults)),
	}, nil
}

func (s *Server) ocrResolveText(ctx context.Context, in *sdkapi.OCRTextRequest) (*sdkapi.OCRResolveTextResponse, error) {
	sc, scene, err := s.scene(ctx, in.Image)
	if err != nil {
		return nil, err
	}
	q := queryOf(&in.Text, in.Threshold, in.MaxResults)
	one, err := q.resolve(rank(scene, in.Text))
	if err != nil {
		return nil, err
	}
	return &sdkapi.OCRResolveTextResponse{Image: sc.info, Query: in.Text, Threshold: q.threshold, Match: MatchRow(*one)}, nil
}

func (s *Server) ocrResolveCandidate(ctx context.Context, in *sdkapi.OCRResolveCandidateRequest) (*sdkapi.OCRResolveCandidateResponse, error) {
	sc, scene, err := s.scene(ctx, in.Image)
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

// rank tells what on the screen may answer a text query, best first.
func rank(scene *perception.Scene, text string) []match.Match {
	index := perception.Derived(scene, func(s *perception.Scene) *match.Index { return match.NewIndex(s.Rows) })
	return index.Rank(text)
}

func (s *Server) ocrInspect(ctx context.Context, in *sdkapi.OCRInspectRequest) (*sdkapi.OCRInspectResponse, error) {
	sc, scene, err := s.scene(ctx, in.Image)
	if err != nil {
		return nil, err
	}
	q := queryOf(in.Text, in.Threshold, in.MaxResults)
	out := &sdkapi.OCRInspectResponse{
		Image: sc.info, Query: in.Text, Threshold: q.threshold, Results: allRows(scene),
		RankedMatches: []sdkapi.Row{}, AcceptedMatches: []sdkapi.Row{},
	}
	drawn := out.Results
	if in.Text != nil {
		ranked := rank(scene, q.text)
		out.RankedMatches = matchRows(ranked, q.maxResults)
		out.AcceptedMatches = matchRows(match.Above(ranked, q.threshold), q.maxResults)
		out.ResolvedMatch, out.ResolutionError = q.outcome(ranked)
		drawn = out.AcceptedMatches
	}
	if in.IncludeOverlay {
		if out.Overlay, err = s.drawOverlay(ctx, sc, drawn, or(in.ShowLabels, true)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// query is what to look for among the rows of a screen.
type query struct {
	text       string
	threshold  float64
	maxResults int
}

func queryOf(text *string, threshold *float64, maxResults *int) query {
	return query{or(text, ""), or(threshold, sdkapi.DefaultThreshold), or(maxResults, sdkapi.DefaultMaxResults)}
}

// resolve picks the one row that is meant. Its errors list what there was to
// choose from.
func (q query) resolve(ranked []match.Match) (*match.Match, error) {
	one, rivals := match.Choose(ranked, q.threshold)
	if one != nil {
		return one, nil
	}
	f := fault.New("gateway.resolve", sdkapi.AmbiguousMatch,
		"%d rows match %q alike; pick one of details.resolver_payload.candidates and resolve its candidate_id", len(rivals), q.text)
	if len(rivals) == 0 {
		rivals = ranked
		f = fault.New("gateway.resolve", sdkapi.TextNotFound,
			"no row matches %q; details.resolver_payload.candidates lists the nearest: correct the text, or lower the threshold", q.text)
	}
	f.Details.ResolverPayload = &sdkapi.ResolverPayload{Query: q.text, Threshold: q.threshold, Candidates: matchRows(rivals, q.maxResults)}
	return nil, f
}

// outcome is what resolve-text would answer, whether it succeeds or not.
func (q query) outcome(ranked []match.Match) (*sdkapi.Row, *sdkapi.ResolutionError) {
	one, err := q.resolve(ranked)
	if err != nil {
		failed := respond(fault.From(err))
		return nil, &sdkapi.ResolutionError{StatusCode: failed.status, Detail: failed.ErrorResponse.Error}
	}
	row := MatchRow(*one)
	return &row, nil
}

// or returns what p points to, or fallback.
func or[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}
