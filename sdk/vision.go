package sdk

import (
	"context"

	"github.com/windieos/windie/sdkapi"
)

// Vision finds things by description. Several goroutines may call its methods at once.
type Vision struct{ client *Client }

// Locate returns the one thing that a description means. It fails with AmbiguousMatch when
// several fit alike and TargetNotFound when none does; the error's Details.ResolverPayload lists
// the choices. The Hint of each candidate is what to add to the description to mean that one.
func (v *Vision) Locate(ctx context.Context, in sdkapi.VisionLocateRequest) (*sdkapi.VisionLocateResponse, error) {
	return post[sdkapi.VisionLocateResponse](safe(ctx), v.client, sdkapi.VisionLocatePath, in)
}

// LocateAll returns what a description may mean, best first; nothing is no error.
func (v *Vision) LocateAll(ctx context.Context, in sdkapi.VisionLocateAllRequest) (*sdkapi.VisionLocateAllResponse, error) {
	return post[sdkapi.VisionLocateAllResponse](safe(ctx), v.client, sdkapi.VisionLocateAllPath, in)
}

// Describe returns what is on an image, or on a part of it. All coordinates are
// those of the part.
func (v *Vision) Describe(ctx context.Context, in sdkapi.VisionDescribeRequest) (*sdkapi.VisionDescribeResponse, error) {
	return post[sdkapi.VisionDescribeResponse](safe(ctx), v.client, sdkapi.VisionDescribePath, in)
}

// Overlay draws points and regions and stores the picture.
func (v *Vision) Overlay(ctx context.Context, in sdkapi.VisionOverlayRequest) (*sdkapi.Overlay, error) {
	return post[sdkapi.Overlay](ctx, v.client, sdkapi.VisionOverlayPath, in)
}
