package screens

import (
	"context"
	"fmt"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// ScreenReader loads images for sessions and answers questions about them. Each method has
// access only to the artifacts of the user that its parameter user names.
type ScreenReader struct{ screens gateway.Screens }

var _ desktop.Finder = (*ScreenReader)(nil)

// NewScreenReader returns a reader for the images in store.
func NewScreenReader(store artifacts.Store, finder *query.Finder) *ScreenReader {
	screens := gateway.NewScreens(store, finder)
	screens.Ask.LookAgain = true // if a text is not found, a model could only ask again
	return &ScreenReader{screens}
}

// of returns ctx with the rights of user, and the user's artifacts. It does not verify user, because
// sessions pass only known users.
func (r *ScreenReader) of(ctx context.Context, user string) (context.Context, artifacts.Store, error) {
	ctx = r.screens.ForCall(ctx, agent.Call{User: user})
	store, err := r.screens.StoreOf(ctx)
	return ctx, store, err
}

// Image returns the image of an artifact. It fails with PAYLOAD_TOO_LARGE if the image has more
// than perception.MaxImageBytes.
func (r *ScreenReader) Image(ctx context.Context, user, id string) (models.Image, error) {
	ctx, store, err := r.of(ctx, user)
	if err != nil {
		return models.Image{}, err
	}
	data, info, err := artifacts.Read(ctx, store, id, perception.MaxImageBytes)
	if err == nil && info.Size > perception.MaxImageBytes {
		err = fault.New("gateway.image", sdkapi.PayloadTooLarge, "the artifact %s is larger than the limit for images", id)
	}
	return models.Image{MediaType: info.ContentType, Data: data}, err
}

// Keep stores an image and returns its artifact id.
func (r *ScreenReader) Keep(ctx context.Context, user, _ string, data []byte) (string, error) {
	ctx, store, err := r.of(ctx, user)
	if err != nil {
		return "", err
	}
	return artifacts.Keep(ctx, store, data)
}

// Size returns the displayed width and height of an image, in pixels.
func (r *ScreenReader) Size(ctx context.Context, user, id string) (width, height int, err error) {
	ctx, store, err := r.of(ctx, user)
	if err != nil {
		return 0, 0, err
	}
	// The whole file: a WebP has its orientation at the end.
	data, _, err := artifacts.Read(ctx, store, id, perception.MaxImageBytes)
	if err != nil {
		return 0, 0, err
	}
	h, err := perception.DecodeHeader(data)
	return h.Width, h.Height, err
}

// FindText returns the click point of a text on an image. occurrence selects a match, counted from
// 1. If occurrence is 0, the text must have exactly one match. If the text is ambiguous or missing,
// Found has the candidates.
func (r *ScreenReader) FindText(ctx context.Context, user, artifact, text string, occurrence int) (desktop.Found, error) {
	ctx = r.screens.ForCall(ctx, agent.Call{User: user})
	row, err := r.screens.Ask.ResolveText(ctx, &sdkapi.OCRTextRequest{
		Image: sdkapi.ImageSource{ArtifactID: artifact}, Text: text, Narrowing: sdkapi.Narrowing{Occurrence: occurrence},
	})
	switch f := fault.From(err); fault.CodeOf(err) {
	case "":
		return desktop.Found{OK: true, X: row.Match.Center.X, Y: row.Match.Center.Y}, nil
	case sdkapi.AmbiguousMatch, sdkapi.TextNotFound:
		found := desktop.Found{Ambiguous: f.Code == sdkapi.AmbiguousMatch}
		for _, c := range f.Details.ResolverPayload.Candidates {
			found.Candidates = append(found.Candidates, candidate(c.Row))
		}
		return found, nil
	}
	return desktop.Found{}, err
}

// candidate converts a row to a candidate for a model.
func candidate(row sdkapi.Row) desktop.Candidate {
	c := desktop.Candidate{Text: row.Text, X: row.Center.X, Y: row.Center.Y}
	d := row.Distinction
	if d == nil {
		return c
	}
	c.Which, c.Where = d.Occurrence, d.Position
	for _, near := range []struct{ how, text string }{{"right of", d.RightOf}, {"below", d.Below}, {"left of", d.LeftOf}, {"above", d.Above}} {
		if near.text != "" {
			c.Where = strings.TrimPrefix(fmt.Sprintf("%s, %s %q", c.Where, near.how, near.text), ", ")
			break
		}
	}
	return c
}

// Locate returns the click point of a described element on an image. If no element matches, it
// searches for the description as text. If several elements match, Found is ambiguous and has the
// candidates.
func (r *ScreenReader) Locate(ctx context.Context, user, artifact, description string) (desktop.Found, error) {
	ctx = r.screens.ForCall(ctx, agent.Call{User: user})
	l, err := r.screens.Ask.LocateAll(ctx, &sdkapi.VisionLocateAllRequest{
		VisionLocateRequest: sdkapi.VisionLocateRequest{Image: sdkapi.ImageSource{ArtifactID: artifact}, Description: description},
	})
	if err != nil {
		return desktop.Found{}, err
	}
	switch len(l.Matches) {
	case 0:
		found, err := r.FindText(ctx, user, artifact, description, 0)
		if err != nil || found.OK || found.Ambiguous {
			return found, err
		}
		found.Unmet = l.Unmet
		var nearest []desktop.Candidate
		for _, t := range l.Nearest {
			nearest = append(nearest, choice(t))
		}
		found.Candidates = append(nearest, found.Candidates...)
		return found, nil
	case 1:
		at := l.Matches[0].Center
		return desktop.Found{OK: true, X: at.X, Y: at.Y}, nil
	}
	found := desktop.Found{Ambiguous: true}
	for _, t := range l.Matches {
		found.Candidates = append(found.Candidates, choice(t))
	}
	return found, nil
}

// choice converts a target to a candidate for a model.
func choice(t sdkapi.Target) desktop.Candidate {
	return desktop.Candidate{Line: t.Line, X: t.Center.X, Y: t.Center.Y}
}
