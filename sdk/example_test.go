package sdk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// A program finds the only button with a label, and all candidates for an ambiguous label.
func Example() {
	ctx := context.Background()
	client, err := sdk.New("http://127.0.0.1:8765")
	if err != nil {
		log.Fatal(err)
	}
	screen, err := os.ReadFile("screen.png")
	if err != nil {
		log.Fatal(err)
	}
	shot, err := client.UploadArtifact(ctx, "screen.png", bytes.NewReader(screen))
	if err != nil {
		log.Fatal(err)
	}
	found, err := client.OCR.ResolveText(ctx, sdkapi.OCRTextRequest{Image: sdk.Stored(shot.ArtifactID), Text: "Add to cart"})
	var failed *sdkapi.Error
	switch {
	case err == nil:
		fmt.Println("click", found.Match.Center)
	case errors.As(err, &failed) && failed.Code == sdkapi.AmbiguousMatch:
		for _, row := range failed.Details.ResolverPayload.Candidates {
			fmt.Println("maybe", row.Text, row.Center)
		}
	default:
		log.Fatal(err)
	}
}
