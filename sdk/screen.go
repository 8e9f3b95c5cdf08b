package sdk

import (
	"context"

	"github.com/windieos/windie/sdkapi"
)

// Screen holds the routes that list the elements of a screenshot. Its methods are safe for
// concurrent use.
type Screen struct{ client *Client }

// Elements lists the elements on an image. Each element follows the element that contains it.
func (s *Screen) Elements(ctx context.Context, in sdkapi.ScreenElementsRequest) (*sdkapi.ScreenElementsResult, error) {
	return post[sdkapi.ScreenElementsResult](safe(ctx), s.client, sdkapi.ScreenElementsPath, in)
}

// At returns the elements at a point of an image.
func (s *Screen) At(ctx context.Context, in sdkapi.ScreenAtRequest) (*sdkapi.ScreenAtResult, error) {
	return post[sdkapi.ScreenAtResult](safe(ctx), s.client, sdkapi.ScreenAtPath, in)
}

// Diff returns the changes from one image to another of the same size.
func (s *Screen) Diff(ctx context.Context, in sdkapi.ScreenDiffRequest) (*sdkapi.ScreenDiffResult, error) {
	return post[sdkapi.ScreenDiffResult](safe(ctx), s.client, sdkapi.ScreenDiffPath, in)
}
