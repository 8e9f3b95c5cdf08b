package sdk

import (
	"context"

	"github.com/windieos/windie/sdkapi"
)

// Vision finds things on images by description. Its methods are safe for concurrent use.
type Vision struct{ client *Client }

// Locate returns the one target that a description matches. It fails with AmbiguousMatch if several
// targets match equally well, and with TargetNotFound if no target matches. The error's
// Details.ResolverPayload lists the candidates. Line describes a candidate. To choose
// one, add its Hint to the description, or use ResolveCandidate with its ID.
func (v *Vision) Locate(ctx context.Context, in sdkapi.VisionLocateRequest) (*sdkapi.VisionLocateResult, error) {
	return post[sdkapi.VisionLocateResult](safe(ctx), v.client, sdkapi.VisionLocatePath, in)
}

// ResolveCandidate returns an element of an earlier response about the same image, and its click
// point. An unknown id fails with CandidateNotFound.
func (v *Vision) ResolveCandidate(ctx context.Context, in sdkapi.VisionResolveCandidateRequest) (*sdkapi.VisionResolveCandidateResult, error) {
	return post[sdkapi.VisionResolveCandidateResult](safe(ctx), v.client, sdkapi.VisionResolveCandidatePath, in)
}

// LocateAll returns all targets that a description may match, best first. An empty list is no
// error.
func (v *Vision) LocateAll(ctx context.Context, in sdkapi.VisionLocateAllRequest) (*sdkapi.VisionLocateAllResult, error) {
	return post[sdkapi.VisionLocateAllResult](safe(ctx), v.client, sdkapi.VisionLocateAllPath, in)
}

// Describe lists the contents of an image, or of a part of it. Coordinates are relative to that
// part.
func (v *Vision) Describe(ctx context.Context, in sdkapi.VisionDescribeRequest) (*sdkapi.VisionDescribeResult, error) {
	return post[sdkapi.VisionDescribeResult](safe(ctx), v.client, sdkapi.VisionDescribePath, in)
}

// Overlay draws points and regions on the image and stores the picture.
func (v *Vision) Overlay(ctx context.Context, in sdkapi.VisionOverlayRequest) (*sdkapi.Overlay, error) {
	return post[sdkapi.Overlay](ctx, v.client, sdkapi.VisionOverlayPath, in)
}
