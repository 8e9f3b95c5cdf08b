package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// Eyes are what sessions see by: the artifacts of their users, and what stands
// on them.
type Eyes struct{ screens screens }

var _ desktop.Finder = (*Eyes)(nil)

// NewEyes returns eyes over a store and a reader.
func NewEyes(store artifacts.Store, scenes *perception.Scenes) *Eyes {
	return &Eyes{screens{store, scenes}}
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

// FindText returns the point to click on for words on an image.
func (e *Eyes) FindText(ctx context.Context, user, artifact, text string) (desktop.Found, error) {
	row, err := e.screens.ocrResolveText(e.of(ctx, user), &sdkapi.OCRTextRequest{Image: sdkapi.ImageSource{ArtifactID: artifact}, Text: text})
	f := fault.From(err)
	switch fault.CodeOf(err) {
	case "":
		return desktop.Found{OK: true, X: row.Match.Center.X, Y: row.Match.Center.Y}, nil
	case sdkapi.AmbiguousMatch, sdkapi.TextNotFound:
		found := desktop.Found{Ambiguous: f.Code == sdkapi.AmbiguousMatch}
		if p := f.Details.ResolverPayload; p != nil {
			for _, c := range p.Candidates {
				found.Candidates = append(found.Candidates, fmt.Sprintf("%q at x %d, y %d", c.Text, c.Center.X, c.Center.Y))
			}
		}
		return found, nil
	}
	return desktop.Found{}, err
}

// Locate returns the point of a description, by the words in it.
func (e *Eyes) Locate(ctx context.Context, user, artifact, description string) (desktop.Found, error) {
	return e.FindText(ctx, user, artifact, description)
}
