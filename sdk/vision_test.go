package sdk_test

import (
	"errors"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// TestVisionAndScreen checks that the client returns the whole responses and errors of the routes.
func TestVisionAndScreen(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	c, err := sdk.New(gatewaytest.Start(t, gateway.App{}), sdk.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	image, ctx := sdk.Inline(gatewaytest.Card()), t.Context()
	found, err := c.Vision.Locate(ctx, sdkapi.VisionLocateRequest{Image: image, Description: "check out"})
	if err != nil || found.Match.Text != "Check out" || found.Provider != sdkapi.Offline || found.Point != found.Match.Center || len(found.Match.Evidence) == 0 {
		t.Errorf("Locate: %+v, %v", found, err)
	}
	_, err = c.Vision.Locate(ctx, sdkapi.VisionLocateRequest{Image: image, Description: "add to cart"})
	var failed *sdkapi.Error
	if !errors.As(err, &failed) || failed.Code != sdkapi.AmbiguousMatch || len(failed.Details.ResolverPayload.Candidates) != 2 {
		t.Fatalf("Locate of two: %v", err)
	}
	for _, one := range failed.Details.ResolverPayload.Candidates {
		again, err := c.Vision.ResolveCandidate(ctx, sdkapi.VisionResolveCandidateRequest{Image: image, ID: one.ID})
		if err != nil || again.Point != one.Center || again.Match.BBox != one.BBox {
			t.Errorf("ResolveCandidate: %+v, %v", again, err)
		}
		if one.Line == "" || one.Hint == "" || one.Element == nil || one.Element.Label != "Add to cart" {
			t.Errorf("a candidate: %+v", one)
		}
	}
	if _, err := c.Vision.ResolveCandidate(ctx, sdkapi.VisionResolveCandidateRequest{Image: image, ID: "999999"}); !errors.As(err, &failed) || failed.Code != sdkapi.CandidateNotFound {
		t.Errorf("ResolveCandidate of an unknown id: %v", err)
	}
	all, err := c.Vision.LocateAll(ctx, sdkapi.VisionLocateAllRequest{VisionLocateRequest: sdkapi.VisionLocateRequest{Image: image, Description: "add to cart"}})
	if err != nil || len(all.Matches) != 2 {
		t.Errorf("LocateAll: %+v, %v", all, err)
	}
	told, err := c.Vision.Describe(ctx, sdkapi.VisionDescribeRequest{Image: image, Region: &sdkapi.Region{X: 10, Y: 60, Width: 9000, Height: 40}})
	if err != nil || told.Description == "" || told.Region == nil || *told.Region != (sdkapi.Box{Width: 350, Height: 40}) || told.Image.Width != 350 {
		t.Errorf("Describe: %+v, %v", told, err)
	}
	drawn, err := c.Vision.Overlay(ctx, sdkapi.VisionOverlayRequest{Image: image, Points: []sdkapi.OverlayPoint{{X: 3, Y: 4, Label: "here"}}})
	if err != nil || drawn.AnnotationCount != 1 || drawn.ArtifactID == "" {
		t.Errorf("Overlay: %+v, %v", drawn, err)
	}
	list, err := c.Screen.Elements(ctx, sdkapi.ScreenElementsRequest{Image: image, Text: "check"})
	if err != nil || list.Total == 0 || len(list.Elements) != list.Total {
		t.Errorf("Elements: %+v, %v", list, err)
	}
	at, err := c.Screen.At(ctx, sdkapi.ScreenAtRequest{Image: image, X: 30, Y: 30})
	if err != nil || at.Row == nil || at.Word == nil || at.Word.Text != "Check" || at.Element == nil {
		t.Errorf("At: %+v, %v", at, err)
	}
	changes, err := c.Screen.Diff(ctx, sdkapi.ScreenDiffRequest{Before: image, After: sdk.Inline(gatewaytest.Screen("Check out", "Add to cart", "In your cart"))})
	if err != nil || changes.Same || len(changes.Rows.Changed) != 1 || changes.Rows.Changed[0].After.Text != "In your cart" {
		t.Errorf("Diff: %+v, %v", changes, err)
	}
}
