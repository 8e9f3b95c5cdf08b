package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// A program finds a target by its description, or lists the candidates of an ambiguous description.
func ExampleVision_Locate() {
	ctx := context.Background()
	client, err := sdk.New("http://127.0.0.1:8765")
	if err != nil {
		log.Fatal(err)
	}
	screen, err := os.ReadFile("screen.png")
	if err != nil {
		log.Fatal(err)
	}
	found, err := client.Vision.Locate(ctx, sdkapi.VisionLocateRequest{
		Image: sdk.Inline(screen), Description: "the green button right of the coupon field",
	})
	var failed *sdkapi.Error
	switch {
	case err == nil:
		fmt.Println("click", found.Point, "found by", found.Provider)
	case errors.As(err, &failed) && failed.Code == sdkapi.AmbiguousMatch:
		for _, c := range failed.Details.ResolverPayload.Candidates {
			fmt.Println("maybe", c.Hint, c.Center)
		}
	default:
		log.Fatal(err)
	}
}

// A program lists the controls of a dialog, and the changes after a click.
func ExampleScreen_Diff() {
	ctx := context.Background()
	client, err := sdk.New("http://127.0.0.1:8765")
	if err != nil {
		log.Fatal(err)
	}
	before, after := sdk.Stored("before.png"), sdk.Stored("after.png")
	buttons, err := client.Screen.Elements(ctx, sdkapi.ScreenElementsRequest{Image: before, Role: "button"})
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range buttons.Elements {
		fmt.Println(b.Label, b.BBox)
	}
	changes, err := client.Screen.Diff(ctx, sdkapi.ScreenDiffRequest{Before: before, After: after})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range changes.Rows.Appeared {
		fmt.Println("new:", row.Text)
	}
}
