package query

import (
	"context"
	"fmt"
	"image"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/locate"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/sdkapi"
)

// search is a text to find, and its matches on a screen.
type search struct {
	*match.Found
	image Image
	scene *perception.Scene
	limit int // maximum number of rows in a list
}

// search returns the possible matches for a request, best first. If there are none and LookAgain is
// set, it reads the screen a second time.
func (s Screens) search(ctx context.Context, in *sdkapi.OCRTextRequest) (*search, error) {
	img, scene, err := s.scene(ctx, in.Image, in.Reading)
	if err != nil {
		return nil, err
	}
	if err := checkRegion(scene, in.Region); err != nil {
		return nil, err
	}
	found := &search{find(scene, in), img, scene, or(in.MaxResults, sdkapi.DefaultMaxResults)}
	if s.LookAgain && !found.any() && perception.MayLookAgain(image.Pt(scene.Width, scene.Height)) {
		return s.searchAgain(ctx, found, in)
	}
	return found, nil
}

// find returns the possible matches for a request in a scene.
func find(scene *perception.Scene, in *sdkapi.OCRTextRequest) *match.Found {
	index := perception.Memo(scene, func(s *perception.Scene) *match.Index { return match.NewIndex(s.Rows) })
	return index.Find(match.Query{Text: in.Text, Threshold: or(in.Threshold, sdkapi.DefaultThreshold), Narrowing: in.Narrowing})
}

// any reports whether at least one row matches the request.
func (s *search) any() bool {
	one, rivals := s.Resolve()
	return one != nil || len(rivals) > 0 && !s.NearMissing
}

// searchAgain searches a second reading of the screen. If it has no match either, searchAgain
// returns first.
func (s Screens) searchAgain(ctx context.Context, first *search, in *sdkapi.OCRTextRequest) (*search, error) {
	src := s.charged(first.image.Source)
	src.Again, src.First, src.OnDecoded = true, first.scene.Rows, nil
	scene, err := s.Finder.scenes.Scene(ctx, src)
	if err != nil {
		return nil, first.image.Blame(err)
	}
	if second := (&search{find(scene, in), first.image, scene, first.limit}); second.any() {
		return second, nil
	}
	return first, nil
}

// FindText returns the rows that are similar enough to a text: their score reaches the threshold.
// If the request has an occurrence, FindText returns only this occurrence.
func (s Screens) FindText(ctx context.Context, in *sdkapi.OCRTextRequest) (*sdkapi.OCRMatchesResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	return s.matches(ctx, in, (*search).accepted)
}

// FindTextCandidates returns the rows that are most similar to a text, even those with a low score.
func (s Screens) FindTextCandidates(ctx context.Context, in *sdkapi.OCRTextRequest) (*sdkapi.OCRMatchesResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	return s.matches(ctx, in, (*search).ranked)
}

// matches searches for a text, and returns the first rows that choose selects, at most MaxResults
// of the request.
func (s Screens) matches(ctx context.Context, in *sdkapi.OCRTextRequest, choose func(*search) ([]match.Match, error)) (*sdkapi.OCRMatchesResult, error) {
	found, err := s.search(ctx, in)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(found)
	if err != nil {
		return nil, err
	}
	return &sdkapi.OCRMatchesResult{
		Image: found.image.Info, Query: in.Text, Threshold: found.Query.Threshold, Matches: matchRows(chosen, found.limit),
	}, nil
}

// ResolveText returns the one row that a text refers to. It fails with TextNotFound or
// AmbiguousMatch; the error lists the candidates.
func (s Screens) ResolveText(ctx context.Context, in *sdkapi.OCRTextRequest) (*sdkapi.OCRResolveTextResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	found, err := s.search(ctx, in)
	if err != nil {
		return nil, err
	}
	one, err := found.resolve()
	if err != nil {
		return nil, err
	}
	return &sdkapi.OCRResolveTextResult{
		Image: found.image.Info, Query: in.Text, Threshold: found.Query.Threshold, Match: matchRow(*one),
	}, nil
}

// ResolveCommand does the same as ResolveText for the label of a control that is to be clicked. If
// the text is only part of the label, it fails with TextNotFound, because "Delete" and "Delete all"
// are different commands.
func (s Screens) ResolveCommand(ctx context.Context, in *sdkapi.OCRTextRequest) (*sdkapi.OCRResolveTextResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	found, err := s.ResolveText(ctx, in)
	if err != nil {
		return nil, err
	}
	_, view, err := s.view(ctx, in.Image, in.Reading, nil)
	if err != nil {
		return nil, err
	}
	for i := view.At(image.Pt(found.Match.Center.X, found.Match.Center.Y)); i >= 0 && !view.isList(i); i = view.Elements[i].Parent {
		if locate.Nearly(view.Screen, i, in.Text) != "" {
			return nil, nearCommand(view, i, in.Text, found.Threshold)
		}
	}
	return found, nil
}

// nearCommand returns the error for a text that is only part of an element's label.
func nearCommand(view *View, i int, text string, threshold float64) error {
	f := fault.New("query.command", sdkapi.TextNotFound, "no command has the label %q; the nearest command has the label %q: to match this command, send its whole label", text, view.Elements[i].Label)
	f.Details.ResolverPayload = &sdkapi.ResolverPayload{Query: text, Threshold: &threshold, Candidates: []sdkapi.Target{}}
	if row, _ := textAt(view.Scene, geo.Center(view.Elements[i].Box)); row != nil {
		f.Details.ResolverPayload.Candidates = append(f.Details.ResolverPayload.Candidates, sdkapi.Target{Row: *row})
	}
	return f
}

// Inspect returns in one response all rows, the matches of a text, and optionally a picture with
// the rows. If the text has no match or is ambiguous, Inspect does not fail: the response contains
// the reason.
func (s Screens) Inspect(ctx context.Context, in *sdkapi.OCRInspectRequest) (*sdkapi.OCRInspectResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	if in.Text == nil {
		if err := withoutText(in.Narrowing); err != nil {
			return nil, err
		}
	}
	found, err := s.search(ctx, &sdkapi.OCRTextRequest{
		Image: in.Image, Text: or(in.Text, ""), Threshold: in.Threshold, MaxResults: in.MaxResults, Reading: in.Reading, Narrowing: in.Narrowing,
	})
	if err != nil {
		return nil, err
	}
	out := &sdkapi.OCRInspectResult{
		Image: found.image.Info, Query: in.Text, Threshold: found.Query.Threshold, Results: rowsIn(found.scene, in.Region),
		RankedMatches: matchRows(found.Ranked, found.limit), AcceptedMatches: matchRows(found.Matches(), found.limit),
	}
	out.Unreadable = unreadable(out.Results)
	drawn := out.Results
	if in.Text != nil {
		drawn = out.AcceptedMatches
		if one, err := found.resolve(); err == nil {
			out.ResolvedMatch = new(matchRow(*one))
		} else {
			f := fault.From(err)
			out.ResolutionError = &sdkapi.ResolutionError{Detail: sdkapi.Error{Code: f.Code, Message: f.Message, Details: f.Details}}
		}
	}
	if in.IncludeOverlay {
		out.Overlay, err = s.drawRows(ctx, found.image, drawn, or(in.ShowLabels, true))
	}
	return out, err
}

// withoutText returns an error that lists the fields of n that require a text, or nil.
func withoutText(n sdkapi.Narrowing) error {
	f := fault.New("query.text", sdkapi.ValidationError, `"near" and "occurrence" choose among the matches of "text"; send "text" as well`)
	if n.Near != "" {
		f = f.At(nearField, "expected text in the same request")
	}
	if n.Occurrence != 0 {
		f = f.At(occurrenceField, "expected text in the same request")
	}
	return ifFields(f)
}

// accepted returns the matches that reach the threshold, or only the request's occurrence.
func (s *search) accepted() ([]match.Match, error) {
	if s.NearMissing || s.Query.Occurrence > 0 {
		one, err := s.resolve()
		if err != nil {
			return nil, err
		}
		return []match.Match{*one}, nil
	}
	return s.Matches(), nil
}

// ranked returns the rows by similarity, best first. If no row matches near, it returns that error
// instead.
func (s *search) ranked() ([]match.Match, error) {
	if s.NearMissing {
		return nil, s.nearMissing()
	}
	return s.Ranked, nil
}

// resolve returns the one match that the request means. Its errors list the candidates.
func (s *search) resolve() (*match.Match, error) {
	one, rivals := s.Resolve()
	switch {
	case one != nil:
		return one, nil
	case s.NearMissing:
		return nil, s.nearMissing()
	case len(rivals) == 0:
		return nil, s.textNotFound()
	case s.Query.Occurrence > 0:
		return nil, s.occurrenceMissing(rivals)
	}
	return nil, s.ambiguous(rivals)
}

// ambiguous returns the fault AMBIGUOUS_MATCH. Its candidates have distinctions, with which a
// client can choose one.
func (s *search) ambiguous(rivals []match.Match) error {
	f := fault.New("query.resolve", sdkapi.AmbiguousMatch,
		"%d rows match %q equally well; select one with near, region or occurrence, or by its candidate_id; "+
			"details.resolver_payload.candidates contains the ids and the differences", len(rivals), s.Query.Text)
	f = s.listing(f, s.Query.Text, rivals)
	for i, d := range match.Distinguish(s.scene, rivals, s.limit) {
		f.Details.ResolverPayload.Candidates[i].Distinction = &d
	}
	return f
}

// textNotFound returns the fault TEXT_NOT_FOUND with similar rows as candidates. Its message counts
// the rows that the reader cannot read.
func (s *search) textNotFound() error {
	where, nearest, advice := "", "no row is similar", "correct the text"
	if s.Query.Region != nil {
		where, advice = " in the region", advice+", or widen the region"
	}
	if len(s.Ranked) > 0 {
		nearest, advice = "details.resolver_payload.candidates lists similar rows", advice+", or lower the threshold"
	}
	for _, u := range unreadable(rowsIn(s.scene, s.Query.Region)) {
		advice += fmt.Sprintf("; the reader cannot read %d rows: %s", u.Rows, u.Advice)
	}
	f := fault.New("query.resolve", sdkapi.TextNotFound, "no row%s matches %q; %s: %s", where, s.Query.Text, nearest, advice)
	return s.listing(f, s.Query.Text, s.Ranked)
}

// nearMissing returns the fault for a near that is not on the image. Its candidates are the rows
// most similar to near.
func (s *search) nearMissing() error {
	f := fault.New("query.resolve", sdkapi.TextNotFound,
		`no row matches the text %q in the field "near"; details.resolver_payload.candidates lists similar rows: correct this text, or lower the threshold`, s.Query.Near).
		At(nearField, "expected a text that is on the image")
	return s.listing(f, s.Query.Near, s.NearRanked)
}

// occurrenceMissing returns the fault for an occurrence that is larger than the number of matches.
// Its candidates are the matches.
func (s *search) occurrenceMissing(rivals []match.Match) error {
	f := fault.New("query.resolve", sdkapi.TextNotFound,
		"there is no occurrence %d of %q; the image has only %d, and details.resolver_payload.candidates lists them", s.Query.Occurrence, s.Query.Text, len(rivals)).
		At(occurrenceField, "expected at most %d", len(rivals))
	return s.listing(f, s.Query.Text, rivals)
}

// listing adds rows to f as candidates.
func (s *search) listing(f *fault.Error, text string, rows []match.Match) *fault.Error {
	payload := &sdkapi.ResolverPayload{Query: text, Threshold: &s.Query.Threshold, Candidates: []sdkapi.Target{}}
	for _, row := range matchRows(rows, s.limit) {
		payload.Candidates = append(payload.Candidates, sdkapi.Target{Row: row})
	}
	f.Details.ResolverPayload = payload
	return f
}
