package gateway

import (
	"image"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/sdkapi"
)

// Fields of the narrowing, as errors name them.
const (
	regionField     = "body.region"
	nearField       = "body.near"
	occurrenceField = "body.occurrence"
)

// query is what a request looks for among the rows of a screen.
type query struct {
	match.Query
	maxResults int
}

func queryOf(text *string, threshold *float64, maxResults *int, n sdkapi.Narrowing) query {
	return query{
		Query: match.Query{
			Text: or(text, ""), Threshold: or(threshold, sdkapi.DefaultThreshold),
			Region: regionOf(n.Region), Near: n.Near, Occurrence: n.Occurrence,
		},
		maxResults: or(maxResults, sdkapi.DefaultMaxResults),
	}
}

// regionOf returns the rectangle r; empty: there is none.
func regionOf(r *sdkapi.Region) image.Rectangle {
	if r == nil {
		return image.Rectangle{}
	}
	return image.Rect(r.X, r.Y, r.X+r.Width, r.Y+r.Height)
}

// withoutText reports what of n makes no sense in a request without a text.
func withoutText(n sdkapi.Narrowing) error {
	f := fault.New("gateway.query", sdkapi.ValidationError, "near and occurrence tell matches of a text apart; send text as well")
	if n.Near != "" {
		f = f.At(nearField, "expected text beside it")
	}
	if n.Occurrence != 0 {
		f = f.At(occurrenceField, "expected text beside it")
	}
	if len(f.Details.Fields) == 0 {
		return nil
	}
	return f
}

// checkRegion refuses a region with nothing of the screen in it.
func checkRegion(scene *perception.Scene, region image.Rectangle) error {
	screen := image.Rect(0, 0, scene.Width, scene.Height)
	if region.Empty() || region.Overlaps(screen) {
		return nil
	}
	return fault.New("gateway.query", sdkapi.ValidationError, "the region lies outside the image").
		At(regionField, "expected a rectangle that overlaps the image, which is %d by %d pixels", scene.Width, scene.Height)
}

// find tells what on the screen may answer q, best first.
func (q query) find(scene *perception.Scene) (*match.Found, error) {
	if err := checkRegion(scene, q.Region); err != nil {
		return nil, err
	}
	index := perception.Derived(scene, func(s *perception.Scene) *match.Index { return match.NewIndex(s.Rows) })
	return index.Find(q.Query), nil
}

// accepted returns what a list of matches shows: those that meet the
// threshold, or the one that q asks for.
func (q query) accepted(scene *perception.Scene, found *match.Found) ([]match.Match, error) {
	switch {
	case found.NearMissing:
		return nil, q.nearMissing(found)
	case q.Occurrence == 0:
		return found.Matches(), nil
	}
	one, err := q.resolve(scene, found)
	if err != nil {
		return nil, err
	}
	return []match.Match{*one}, nil
}

// candidates returns what a ranking shows, whatever its score.
func (q query) candidates(_ *perception.Scene, found *match.Found) ([]match.Match, error) {
	if found.NearMissing {
		return nil, q.nearMissing(found)
	}
	return found.Ranked, nil
}

// resolve picks the one row that is meant. Its errors list what there was to
// choose from.
func (q query) resolve(scene *perception.Scene, found *match.Found) (*match.Match, error) {
	one, rivals := found.Resolve()
	switch {
	case one != nil:
		return one, nil
	case found.NearMissing:
		return nil, q.nearMissing(found)
	case len(rivals) == 0:
		return nil, q.textNotFound(found)
	case q.Occurrence > 0:
		return nil, q.occurrenceMissing(rivals)
	}
	return nil, q.ambiguous(scene, rivals)
}

func (q query) ambiguous(scene *perception.Scene, rivals []match.Match) error {
	f := fault.New("gateway.resolve", sdkapi.AmbiguousMatch,
		"%d rows match %q alike; say which by near, region or occurrence, or resolve a candidate_id: "+
			"details.resolver_payload.candidates tells each one's distinction", len(rivals), q.Text)
	f = q.listing(f, q.Text, rivals)
	for i, d := range match.Distinguish(scene, rivals, q.maxResults) {
		f.Details.ResolverPayload.Candidates[i].Distinction = &sdkapi.Distinction{
			Occurrence: d.Occurrence, Position: d.Position, LeftOf: d.LeftOf, RightOf: d.RightOf, Above: d.Above, Below: d.Below,
		}
	}
	return f
}

func (q query) textNotFound(found *match.Found) error {
	where, advice := "", "correct the text, or lower the threshold"
	if !q.Region.Empty() {
		where, advice = " in the region", "correct the text, widen the region, or lower the threshold"
	}
	f := fault.New("gateway.resolve", sdkapi.TextNotFound,
		"no row%s matches %q; details.resolver_payload.candidates lists the nearest: %s", where, q.Text, advice)
	return q.listing(f, q.Text, found.Ranked)
}

func (q query) nearMissing(found *match.Found) error {
	f := fault.New("gateway.resolve", sdkapi.TextNotFound,
		"no row matches %q, which near names; details.resolver_payload.candidates lists what is most like it: correct near, or lower the threshold", q.Near).
		At(nearField, "expected a text that is on the image")
	return q.listing(f, q.Near, found.NearRanked)
}

func (q query) occurrenceMissing(rivals []match.Match) error {
	f := fault.New("gateway.resolve", sdkapi.TextNotFound,
		"there is no occurrence %d of %q, only %d; details.resolver_payload.candidates lists what there is", q.Occurrence, q.Text, len(rivals)).
		At(occurrenceField, "expected at most %d", len(rivals))
	return q.listing(f, q.Text, rivals)
}

// listing adds the rows there were to choose from to f.
func (q query) listing(f *fault.Error, text string, rows []match.Match) *fault.Error {
	payload := &sdkapi.ResolverPayload{Query: text, Threshold: &q.Threshold, Candidates: []sdkapi.Target{}}
	for _, row := range matchRows(rows, q.maxResults) {
		payload.Candidates = append(payload.Candidates, sdkapi.Target{Row: row})
	}
	f.Details.ResolverPayload = payload
	return f
}

// outcome is what resolve-text would answer, whether it succeeds or not.
func (q query) outcome(scene *perception.Scene, found *match.Found) (*sdkapi.Row, *sdkapi.ResolutionError) {
	one, err := q.resolve(scene, found)
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
