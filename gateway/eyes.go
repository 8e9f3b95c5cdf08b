package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/ground"
	"github.com/windieos/windie/sdkapi"
)

// Eyes are what sessions see by: the artifacts of their users, and what stands
// on them.
type Eyes struct{ screens screens }

var _ desktop.Finder = (*Eyes)(nil)

// NewEyes returns eyes over a store and what finds things on its images.
func NewEyes(store artifacts.Store, finder *ground.Finder) *Eyes {
	return &Eyes{screens{store, finder}}
}

// of returns ctx for what a user may see. Sessions call for users that the
// gateway knows.
func (e *Eyes) of(ctx context.Context, user string) context.Context {
	return e.screens.forCall(ctx, agent.Call{User: user})
}

// Image returns an artifact that is an image.
func (e *Eyes) Image(ctx context.Context, user, id string) (models.Image, error) {
	ctx = e.of(ctx, user)
	store, err := e.screens.storeOf(ctx)
	if err != nil {
		return models.Image{}, err
	}
	r, info, err := store.Get(ctx, id, 0, -1)
	if err != nil {
		return models.Image{}, err
	}
	defer r.Close()
	if info.Size > perception.MaxImageBytes {
		return models.Image{}, fault.New("gateway.eyes", sdkapi.PayloadTooLarge, "the artifact %s is larger than an image may be", id)
	}
	data, err := io.ReadAll(io.LimitReader(r, perception.MaxImageBytes))
	return models.Image{MediaType: info.ContentType, Data: data}, err
}

// Keep stores an image, and returns its artifact's id.
func (e *Eyes) Keep(ctx context.Context, user, _ string, data []byte) (string, error) {
	ctx = e.of(ctx, user)
	store, err := e.screens.storeOf(ctx)
	if err != nil {
		return "", err
	}
	return keepFile(ctx, store, data)
}

// keepFile stores data under a new id, which it returns.
func keepFile(ctx context.Context, store artifacts.Store, data []byte) (id string, err error) {
	id, kind := artifacts.Sniff(data)
	_, err = store.Put(ctx, id, kind, bytes.NewReader(data))
	return id, err
}

// maxHeader is where an image says how large it is, from its beginning. Before
// that a JPEG may have a preview, and what its camera has to tell.
const maxHeader = 512 << 10

// Size returns an image's width and height.
func (e *Eyes) Size(ctx context.Context, user, id string) (width, height int, err error) {
	ctx = e.of(ctx, user)
	store, err := e.screens.storeOf(ctx)
	if err != nil {
		return 0, 0, err
	}
	r, _, err := store.Get(ctx, id, 0, -1)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxHeader))
	if err != nil {
		return 0, 0, err
	}
	h, err := perception.DecodeHeader(data)
	return h.Width, h.Height, err
}

// FindText returns the point to click on for words on an image.
func (e *Eyes) FindText(ctx context.Context, user, artifact, text string, occurrence int) (desktop.Found, error) {
	row, err := e.screens.ocrResolveText(e.of(ctx, user), &sdkapi.OCRTextRequest{
		Image: sdkapi.ImageSource{ArtifactID: artifact}, Text: text, Narrowing: sdkapi.Narrowing{Occurrence: occurrence},
	})
	f := fault.From(err)
	switch fault.CodeOf(err) {
	case "":
		return desktop.Found{OK: true, X: row.Match.Center.X, Y: row.Match.Center.Y}, nil
	case sdkapi.AmbiguousMatch, sdkapi.TextNotFound:
		found := desktop.Found{Ambiguous: f.Code == sdkapi.AmbiguousMatch}
		if p := f.Details.ResolverPayload; p != nil {
			for _, c := range p.Candidates {
				found.Candidates = append(found.Candidates, candidate(c.Row))
			}
		}
		return found, nil
	}
	return desktop.Found{}, err
}

// candidate tells of a row that may be meant what a model needs to choose it.
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

// maxChoices is how many of the things that a description may mean are told.
const maxChoices = 10

// Locate returns the point to click on for what a description means on an
// image. Of what nothing there looks like, the words may be there.
func (e *Eyes) Locate(ctx context.Context, user, artifact, description string) (desktop.Found, error) {
	l, err := e.screens.locate(e.of(ctx, user), &sdkapi.VisionLocateRequest{
		Image: sdkapi.ImageSource{ArtifactID: artifact}, Description: description,
	})
	if err != nil {
		return desktop.Found{}, err
	}
	if m, ok := l.One(); ok {
		return desktop.Found{OK: true, X: m.Point.X, Y: m.Point.Y}, nil
	}
	if len(l.Matches) == 0 {
		return e.FindText(ctx, user, artifact, description, 0)
	}
	found := desktop.Found{Ambiguous: true}
	for _, t := range l.targets(l.Matches, maxChoices) {
		found.Candidates = append(found.Candidates, choice(t))
	}
	return found, nil
}

// choice tells of a target that may be meant what a model needs to choose it.
func choice(t sdkapi.Target) desktop.Candidate {
	c := desktop.Candidate{Text: t.Text, X: t.Center.X, Y: t.Center.Y}
	if e := t.Element; e != nil {
		c.Where = e.Role
		if e.Colors.Fill != nil {
			c.Where = e.Colors.Fill.Name + " " + c.Where
		}
	}
	if t.Hint != "" {
		c.Where = strings.TrimPrefix(c.Where+", "+t.Hint, ", ")
	}
	return c
}
