package query

import (
	"context"
	"fmt"
	"strconv"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception/locate"
	"github.com/windieos/windie/sdkapi"
)

// Located is the answer to a request: the things on an image that match a description.
type Located struct {
	Answer
	// Image is the image of the request.
	Image sdkapi.ImageInfo
	// View is the image, or the region of it that was searched.
	View *View
	// Description is the description of the request.
	Description string

	found sdkapi.Found
}

// Locate finds the one thing on an image that matches a description. It fails with AmbiguousMatch if
// there are several such things, and with TargetNotFound if there are none.
func (s Screens) Locate(ctx context.Context, in *sdkapi.VisionLocateRequest) (*sdkapi.VisionLocateResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	l, err := s.Located(ctx, in)
	if err != nil {
		return nil, err
	}
	return l.Single()
}

// LocateAll finds all things on an image that may match a description. The best one is first.
func (s Screens) LocateAll(ctx context.Context, in *sdkapi.VisionLocateAllRequest) (*sdkapi.VisionLocateAllResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	l, err := s.Located(ctx, &in.VisionLocateRequest)
	if err != nil {
		return nil, err
	}
	return l.List(or(in.MaxResults, sdkapi.DefaultMaxResults)), nil
}

// ResolveElement returns the element with an id from an earlier response about the same image, and
// its click point. It fails with CandidateNotFound if the image has no such element.
func (s Screens) ResolveElement(ctx context.Context, in *sdkapi.VisionResolveCandidateRequest) (*sdkapi.VisionResolveCandidateResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	img, view, err := s.view(ctx, in.Image, in.Reading, nil)
	if err != nil {
		return nil, err
	}
	i, err := strconv.Atoi(in.ID)
	if err != nil || i < 0 || i >= len(view.Elements) {
		return nil, fault.New("query.element", sdkapi.CandidateNotFound, "this image has no element %s; request its elements with screen/elements", in.ID).
			At("body.id", "expected the id of an element from a response about this image")
	}
	l := Located{View: view}
	target := l.targets([]locate.Match{{Element: i, Score: 1, Point: locate.ClickPoint(view.Screen, i)}}, 1)[0]
	return &sdkapi.VisionResolveCandidateResult{Image: img.Info, ID: in.ID, Point: target.Center, Match: target}, nil
}

// Located finds the things on an image that match a description. It is for callers that make their
// own responses; Locate returns the usual response.
func (s Screens) Located(ctx context.Context, in *sdkapi.VisionLocateRequest) (*Located, error) {
	ctx, end := s.begin(ctx)
	defer end()
	img, view, err := s.view(ctx, in.Image, in.Reading, in.Region)
	if err != nil {
		return nil, err
	}
	answer, err := s.Finder.Locate(ctx, view, in.Description)
	if err != nil {
		return nil, err
	}
	return &Located{answer, img.Info, view, in.Description, s.found(answer.Provider, answer.Fallback)}, nil
}

// found returns the provider of an answer and, if rules replaced the configured model, the model's
// error.
func (s Screens) found(provider string, fallback error) sdkapi.Found {
	out := sdkapi.Found{Provider: provider}
	if fallback != nil {
		f := fault.From(fallback)
		out.Fallback = &sdkapi.Fallback{Code: f.Code, Message: f.Message}
		if s.OnFallback != nil {
			s.OnFallback(fallback)
		}
	}
	return out
}

// Single returns the only thing that was found. It fails with AmbiguousMatch if there are several,
// and with TargetNotFound if there are none.
func (l *Located) Single() (*sdkapi.VisionLocateResult, error) {
	m, ok := l.One()
	if !ok {
		return nil, l.unresolved()
	}
	target := l.targets([]locate.Match{m}, 1)[0]
	return &sdkapi.VisionLocateResult{
		Image: l.Image, Description: l.Description, Found: l.found, Point: target.Center, Match: target,
	}, nil
}

// List returns at most limit things that were found, the best one first. If nothing was found, it
// returns the unmet terms of the description and the things that fit best.
func (l *Located) List(limit int) *sdkapi.VisionLocateAllResult {
	out := &sdkapi.VisionLocateAllResult{
		Image: l.Image, Description: l.Description, Found: l.found, Matches: l.rivals(limit),
	}
	if len(l.Matches) == 0 {
		out.Unmet = l.Unmet
		out.Nearest = l.targets(l.Nearest, len(l.Nearest))
	}
	return out
}

// unresolved returns the error for a description without exactly one match. It lists the
// candidates.
func (l *Located) unresolved() error {
	const op = "ask.locate"
	payload := &sdkapi.ResolverPayload{Query: l.Description, Candidates: l.rivals(sdkapi.DefaultMaxResults), Unmet: l.Unmet}
	if len(l.Matches) == 0 {
		payload.Candidates = l.targets(l.Nearest, len(l.Nearest))
	}
	var f *fault.Error
	switch {
	case len(l.Matches) > 0:
		f = fault.New(op, sdkapi.AmbiguousMatch, "%d elements match %q equally well; add detail to the description, or set a region: details.resolver_payload.candidates lists the elements, some with a hint for the description", len(l.Matches), l.Description)
	case l.View.Blank():
		f = fault.New(op, sdkapi.TargetNotFound, "the image or region is blank; send a new screenshot or another region")
	case l.Said != "":
		f = fault.New(op, sdkapi.TargetNotFound, "the vision model does not find the target: %s", l.Said)
	default:
		f = fault.New(op, sdkapi.TargetNotFound, "no element matches %q; details.resolver_payload lists the unmatched terms and the nearest elements", l.Description)
	}
	f.Details.ResolverPayload = payload
	return f
}

// targets converts the first matches, at most limit. The result is never nil. Each target has a line
// that distinguishes it from the others.
func (l *Located) targets(matches []locate.Match, limit int) []sdkapi.Target {
	out := make([]sdkapi.Target, 0, min(len(matches), limit))
	var listed, places []int // the matches that are elements, and their places in out
	for n, m := range matches[:cap(out)] {
		if out = append(out, l.target(m)); m.Element >= 0 {
			listed, places = append(listed, m.Element), append(places, n)
		}
	}
	for k, line := range l.View.Lines().Among(listed) {
		out[places[k]].Line = line
	}
	return out
}

// rivals converts the first matches, at most limit, and adds the hints that distinguish all matches.
func (l *Located) rivals(limit int) []sdkapi.Target {
	out := l.targets(l.Matches, limit)
	var listed []int
	for _, m := range l.Matches {
		if m.Element < 0 {
			return out // a place without an element has no hint
		}
		listed = append(listed, m.Element)
	}
	hints := l.View.Lines().Hints(listed)
	for n := range out {
		out[n].Hint = hints[n]
	}
	return out
}

// target converts a match, with coordinates of the whole image. A match without an element has a
// box of one pixel, and a line of its own.
func (l *Located) target(m locate.Match) sdkapi.Target {
	at, score := m.Point.Add(l.View.Region.Min), fraction(m.Score)
	out := sdkapi.Target{Row: sdkapi.Row{
		Confidence: score, Score: &score, Center: pointOf(at), BBox: sdkapi.Box{X: at.X, Y: at.Y, Width: 1, Height: 1},
	}, Line: fmt.Sprintf("a place without an element, at %d,%d", at.X, at.Y)}
	if m.Element >= 0 {
		e := wireElement(l.View, m.Element)
		e.Line = ""
		out.Element, out.ID, out.Text, out.BBox = &e, e.ID, e.Label, e.BBox
	}
	for _, e := range m.Evidence {
		out.Evidence = append(out.Evidence, sdkapi.Evidence{Term: e.Term, Met: fraction(e.Met), By: e.By})
	}
	return out
}
