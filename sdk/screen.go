package sdk

import (
	"context"

	"github.com/windieos/windie/sdkapi"
)

// Screen returns what stands on images. Several goroutines may call its methods at once.
type Screen struct{ client *Client }

// Elements lists what stands on an image, each element after what it is in.
func (s *Screen) Elements(ctx context.Context, in sdkapi.ScreenElementsRequest) (*sdkapi.ScreenElementsResponse, error) {
	return post[sdkapi.ScreenElementsResponse](safe(ctx), s.client, sdkapi.ScreenElementsPath, in)
}

// At returns what is at a point of an image.
func (s *Screen) At(ctx context.Context, in sdkapi.ScreenAtRequest) (*sdkapi.ScreenAtResponse, error) {
	return post[sdkapi.ScreenAtResponse](safe(ctx), s.client, sdkapi.ScreenAtPath, in)
}

// Diff returns what changed from one image to another of the same size.
func (s *Screen) Diff(ctx context.Context, in sdkapi.ScreenDiffRequest) (*sdkapi.ScreenDiffResponse, error) {
	return post[sdkapi.ScreenDiffResponse](safe(ctx), s.client, sdkapi.ScreenDiffPath, in)
}
