package gateway

import (
	"context"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// StoreOf returns the artifacts that ctx's request, or call of a tool, may see. It fails if only
// one of store and ctx has owners: so an owner that was forgotten on the way opens nothing.
func (s Screens) StoreOf(ctx context.Context) (artifacts.Store, error) {
	const op = "gateway.storeOf"
	owner := OwnerOf(ctx)
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

// ForCall returns ctx for a call of a tool, with the artifacts that its caller may see: those of
// the request's owner, whoever the call names; without a request, those of the user it names.
func (s Screens) ForCall(ctx context.Context, call agent.Call) context.Context {
	_, apart := s.store.(artifacts.PerUser)
	if r := RequestOf(ctx); !apart || r.ID != "" {
		return ctx
	}
	return context.WithValue(ctx, RequestKey{}, &Request{Owner: call.User})
}

// chargeScreen charges the caller whose request ctx is of for an image that is
// to be read or drawn on.
func chargeScreen(ctx context.Context, image []byte) error {
	if q := RequestOf(ctx).Quota; q != nil {
		return q.TakeScreen(image)
	}
	return nil
}

// Screens are the images of a gateway's store, and the questions about them.
type Screens struct {
	store artifacts.Store
	Ask   query.Screens
}

// NewScreens returns the screens of a store.
func NewScreens(store artifacts.Store, finder *query.Finder) Screens {
	s := Screens{store: store}
	s.Ask = query.Screens{Finder: finder, Images: query.Stored{Store: s.StoreOf, Artifact: DescribeArtifact, User: OwnerOf}, Charge: chargeScreen}
	return s
}

// DescribeArtifact describes an artifact, with its URL for the caller of ctx's request.
func DescribeArtifact(ctx context.Context, info artifacts.Info) sdkapi.Artifact {
	var expires *time.Time
	if !info.ExpiresAt.IsZero() {
		expires = &info.ExpiresAt
	}
	return sdkapi.Artifact{
		ArtifactID:  info.ID,
		ContentType: info.ContentType,
		SizeBytes:   info.Size,
		SHA256:      info.SHA256,
		URL:         RequestOf(ctx).Base + sdkapi.ArtifactsPath + info.ID,
		ExpiresAt:   expires,
	}
}
