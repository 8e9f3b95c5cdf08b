package gateway

import (
	"context"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// storeOf returns the artifacts that ctx's request, or call of a tool, may see.
// A gateway whose store keeps users apart shows none to nobody in particular,
// and one whose store does not shows none to a user: an owner that was
// forgotten on the way, here or in main, opens nothing.
func (s screens) storeOf(ctx context.Context) (artifacts.Store, error) {
	const op = "gateway.storeOf"
	owner := ownerOf(ctx)
	apart, ok := s.store.(artifacts.PerUser)
	switch {
	case ok && owner != "":
		return apart.For(owner), nil
	case ok:
		return nil, fault.New(op, sdkapi.AuthRequired, "artifacts belong to users here; say who asks")
	case owner != "":
		return nil, fault.New(op, sdkapi.Internal, "this gateway has users, and a store that does not keep them apart")
	}
	return s.store, nil
}

// forCall returns ctx for a call of a tool: what it sees is what the caller may
// see. Where a request makes the call, that is what the request's owner may see,
// whoever the call names. Elsewhere the call comes from the gateway itself, and
// is believed.
func (s screens) forCall(ctx context.Context, call agent.Call) context.Context {
	_, apart := s.store.(artifacts.PerUser)
	if r := requestOf(ctx); !apart || r.id != "" {
		return ctx
	}
	return context.WithValue(ctx, requestKey{}, &request{owner: call.User})
}

// chargeScreen charges the caller whose request ctx is of for an image that is
// to be read or drawn on.
func chargeScreen(ctx context.Context, image []byte) error {
	if q := requestOf(ctx).quota; q != nil {
		return q.takeScreen(image)
	}
	return nil
}

// maxImageBody bounds a JSON body that may hold an image: base64 of the
// largest one, and room for everything else.
const maxImageBody = perception.MaxImageBytes/3*4 + 64<<10

// screens are the images of a gateway's store, and the questions about them.
type screens struct {
	store artifacts.Store
	ask   query.Screens
}

func newScreens(store artifacts.Store, finder *query.Finder) screens {
	s := screens{store: store}
	s.ask = query.Screens{Finder: finder, Images: query.Stored{Store: s.storeOf, Artifact: describeArtifact}, Charge: chargeScreen}
	return s
}

// describeArtifact tells what is stored, and where the caller of ctx's request finds it.
func describeArtifact(ctx context.Context, info artifacts.Info) sdkapi.Artifact {
	var expires *time.Time
	if !info.ExpiresAt.IsZero() {
		expires = &info.ExpiresAt
	}
	return sdkapi.Artifact{
		ArtifactID:  info.ID,
		ContentType: info.ContentType,
		SizeBytes:   info.Size,
		SHA256:      info.SHA256,
		URL:         requestOf(ctx).base + sdkapi.ArtifactsPath + info.ID,
		ExpiresAt:   expires,
	}
}
