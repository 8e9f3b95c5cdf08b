package gateway

import (
	"context"
	"errors"
	"image"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception/ground"
	"github.com/windieos/windie/perception/locate"
	"github.com/windieos/windie/sdkapi"
)

func (s *Server) addVision() {
	post(s, sdkapi.VisionLocatePath, maxImageBody,
		visionDoc("vision-locate", "Find the one thing that a description means, and where to click it", 404, 409), s.visionLocate)
	post(s, sdkapi.VisionLocateAllPath, maxImageBody,
		visionDoc("vision-locate-all", "Rank what a description may mean", 404), s.visionLocateAll)
	post(s, sdkapi.VisionDescribePath, maxImageBody, visionDoc("vision-describe", "Tell what is on an image, or a part of it", 404), s.visionDescribe)
	post(s, sdkapi.VisionOverlayPath, maxImageBody, visionDoc("vision-overlay", "Draw points and regions and store the picture", 404, 507), s.visionOverlay)
}

func visionDoc(id, summary string, errors ...int) huma.Operation {
	doc := ocrDoc(id, summary, errors...)
	doc.Tags = []string{"vision"}
	return doc
}

// view finds the image that in names, and what is to be seen of it.
func (s screens) view(ctx context.Context, in sdkapi.ImageSource, languages string, region *sdkapi.Region) (screen, *ground.View, error) {
	sc, scene, err := s.scene(ctx, in, languages) // which is paid for; the rest is not
	if err != nil {
		return sc, nil, err
	}
	cut := regionOf(region)
	if region != nil && !cut.Min.In(image.Rect(0, 0, scene.Width, scene.Height)) {
		return sc, nil, fault.New("gateway.view", sdkapi.ValidationError, "the region begins outside of the image").
			At(regionField, "expected a corner on the image, which is %d by %d pixels", scene.Width, scene.Height)
	}
	view, err := s.finder.View(ctx, sc.source, cut)
	if err != nil {
		return sc, nil, sc.blame(err)
	}
	return sc, view, nil
}

// Located is what a description was found to mean.
type Located struct {
	ground.Answer
	Image       sdkapi.ImageInfo
	View        *ground.View
	Description string
}

// locate finds what a description means.
func (s screens) locate(ctx context.Context, in *sdkapi.VisionLocateRequest) (Located, error) {
	sc, view, err := s.view(ctx, in.Image, in.Languages, in.Region)
	if err != nil {
		return Located{}, err
	}
	answer, err := s.finder.Locate(ctx, view, in.Description)
	var wrong *fault.Error
	if errors.As(err, &wrong) {
		return Located{}, renamed(wrong, "description", "body.description")
	}
	return Located{answer, sc.info, view, in.Description}, err
}

func (s screens) visionLocate(ctx context.Context, in *sdkapi.VisionLocateRequest) (*sdkapi.VisionLocateResponse, error) {
	l, err := s.locate(ctx, in)
	if err != nil {
		return nil, err
	}
	return l.WireOne()
}

// WireOne returns the one target as it is on the wire, or why there is not one.
func (l Located) WireOne() (*sdkapi.VisionLocateResponse, error) {
	m, ok := l.One()
	if !ok {
		return nil, l.unresolved()
	}
	target := l.target(m)
	return &sdkapi.VisionLocateResponse{
		Image: l.Image, Description: l.Description, Found: l.found(), Point: target.Center, Match: target,
	}, nil
}

func (s screens) visionLocateAll(ctx context.Context, in *sdkapi.VisionLocateAllRequest) (*sdkapi.VisionLocateAllResponse, error) {
	l, err := s.locate(ctx, &in.VisionLocateRequest)
	if err != nil {
		return nil, err
	}
	return l.WireAll(or(in.MaxResults, sdkapi.DefaultMaxResults)), nil
}

// WireAll returns the first of the targets as they are on the wire.
func (l Located) WireAll(most int) *sdkapi.VisionLocateAllResponse {
	out := &sdkapi.VisionLocateAllResponse{
		Image: l.Image, Description: l.Description, Found: l.found(),
		Matches: l.targets(l.Matches, most),
	}
	if len(l.Matches) == 0 {
		out.Unmet = l.Unmet
		if l.Nearest != nil {
			out.Nearest = new(l.target(*l.Nearest))
		}
	}
	return out
}

// found says who found it.
func (l Located) found() sdkapi.Found { return foundBy(l.Provider, l.Fallback) }

func foundBy(provider string, failed error) sdkapi.Found {
	out := sdkapi.Found{Provider: provider}
	if failed != nil {
		f := fault.From(failed)
		out.Fallback = &sdkapi.Fallback{Code: f.Code, Message: f.Message}
	}
	return out
}

// unresolved says why there is not one match, and lists what there is to choose
// from.
func (l Located) unresolved() error {
	const op = "gateway.locate"
	payload := &sdkapi.ResolverPayload{Query: l.Description, Candidates: l.targets(l.Matches, sdkapi.DefaultMaxResults), Unmet: l.Unmet}
	if len(l.Matches) == 0 && l.Nearest != nil {
		payload.Candidates = l.targets([]locate.Match{*l.Nearest}, 1)
	}
	var f *fault.Error
	switch {
	case len(l.Matches) > 0:
		f = fault.New(op, sdkapi.AmbiguousMatch, "%d things fit %q alike; say which, or look at a region: details.resolver_payload.candidates "+
			"lists them, with a hint of what to add to the description where there is one", len(l.Matches), l.Description)
	case l.View.Blank():
		f = fault.New(op, sdkapi.TargetNotFound, "there is nothing on the image, or the region, but its background")
	case l.Said != "":
		f = fault.New(op, sdkapi.TargetNotFound, "the vision model sees no such thing: %s", l.Said)
	default:
		f = fault.New(op, sdkapi.TargetNotFound, "nothing fits %q; details.resolver_payload tells the terms that are not met, and what is nearest", l.Description)
	}
	f.Details.ResolverPayload = payload
	return f
}

// targets returns the first of matches as they are on the wire.
func (l Located) targets(matches []locate.Match, most int) []sdkapi.Target {
	out := make([]sdkapi.Target, 0, min(len(matches), most))
	for _, m := range matches[:cap(out)] {
		out = append(out, l.target(m))
	}
	return out
}

// target returns a match as it is on the wire, in pixels of the whole image.
func (l Located) target(m locate.Match) sdkapi.Target {
	at, score := m.Point.Add(l.View.Region.Min), fraction(m.Score)
	out := sdkapi.Target{Row: sdkapi.Row{
		Confidence: score, Score: &score, Center: sdkapi.Point{X: at.X, Y: at.Y}, BBox: sdkapi.Box{X: at.X, Y: at.Y, Width: 1, Height: 1},
	}, Hint: m.Hint}
	if m.Element >= 0 {
		e := WireElement(l.View, m.Element)
		out.Element, out.ID, out.Text, out.BBox = &e, e.ID, e.Label, e.BBox
	}
	for _, e := range m.Evidence {
		out.Evidence = append(out.Evidence, sdkapi.Evidence{Term: e.Term, Met: fraction(e.Met), By: e.By})
	}
	return out
}
