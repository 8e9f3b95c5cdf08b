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

// StoreOf returns the artifacts that ctx's request or tool call may see. It fails if the store
// separates users but ctx has no owner. It also fails if ctx has an owner but the store does not
// separate users. So a bug that loses the owner never exposes artifacts.
func (s Screens) StoreOf(ctx context.Context) (artifacts.Store, error) {
	const op = "gateway.storeOf"
	owner := OwnerOf(ctx)
	apart, ok := s.store.(artifacts.PerUser)
	switch {
	case ok && owner != "":
		return apart.For(owner), nil
	case ok:
		return nil, fault.New(op, sdkapi.AuthRequired, "on this gateway each artifact belongs to a user; send a user's token")
	case owner != "":
		return nil, fault.New(op, sdkapi.Internal, "this gateway's artifact store cannot keep the artifacts of different users apart")
	}
	return s.store, nil
}

// ForCall returns the context for a tool call. Within a request, the call sees the artifacts of the
// request's owner, even if the call names another user. Without a request, it sees the artifacts of
// call.User.
func (s Screens) ForCall(ctx context.Context, call agent.Call) context.Context {
	_, apart := s.store.(artifacts.PerUser)
	if r := RequestOf(ctx); !apart || r.ID != "" {
		return ctx
	}
	return context.WithValue(ctx, RequestKey{}, &Request{Owner: call.User})
}

// chargeScreen counts an image against the limits of the caller of ctx's request.
func chargeScreen(ctx context.Context, image []byte) error {
	return RequestOf(ctx).Quota.TakeScreen(image)
}

// Screens gives access to the images in a gateway's store and answers queries about them.
type Screens struct {
	store artifacts.Store
	Ask   query.Screens
}

// NewScreens returns Screens for the images in a store. finder searches the images.
func NewScreens(store artifacts.Store, finder *query.Finder) Screens {
	s := Screens{store: store}
	s.Ask = query.Screens{Finder: finder, Images: query.Stored{Store: s.StoreOf, Artifact: DescribeArtifact, User: OwnerOf}, Charge: chargeScreen}
	return s
}

// DescribeArtifact returns the wire form of an artifact. Its URL is valid for the caller of
// ctx's request.
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
