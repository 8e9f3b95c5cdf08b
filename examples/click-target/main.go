// Command click-target finds where to click. It takes a screenshot and a text, prints the point,
// and saves a picture that marks it.
//
//	go run ./examples/click-target examples/click-target/screen.png "Check out"
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// main exits with 2 if it is called wrongly, and with 1 if the search fails.
func main() {
	gateway := flag.String("gateway", cmp.Or(os.Getenv("WINDIE_URL"), "http://127.0.0.1:8765"), "URL of the gateway; WINDIE_URL sets the default")
	picture := flag.String("overlay", "", "write the screenshot with what was found marked to this PNG")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: click-target [flags] SCREENSHOT TEXT, for example: click-target screen.png \"Check out\"")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Stdout, *gateway, flag.Arg(0), flag.Arg(1), *picture); err != nil {
		fmt.Fprintln(os.Stderr, "click-target:", err)
		os.Exit(1)
	}
}

// run prints the point to click, or the candidates.
func run(ctx context.Context, out io.Writer, gateway, screenshot, text, picture string) error {
	client, err := sdk.New(gateway)
	if err != nil {
		return err
	}
	image, err := upload(ctx, client, screenshot)
	if err != nil {
		return err
	}
	if picture != "" {
		if err := saveOverlay(ctx, client, image, text, picture); err != nil {
			return err
		}
	}
	found, err := client.OCR.ResolveText(ctx, sdkapi.OCRTextRequest{Image: image, Text: text})
	if failed := (*sdkapi.Error)(nil); errors.As(err, &failed) && failed.Details.ResolverPayload != nil {
		for _, row := range failed.Details.ResolverPayload.Candidates {
			fmt.Fprintf(out, "%d,%d\t%s?\n", row.Center.X, row.Center.Y, row.Text)
		}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d,%d\t%s\n", found.Match.Center.X, found.Match.Center.Y, found.Match.Text)
	return nil
}

// upload stores a screenshot at the gateway, so that later requests can refer to it by its id.
func upload(ctx context.Context, client *sdk.Client, screenshot string) (sdkapi.ImageSource, error) {
	file, err := os.Open(screenshot)
	if err != nil {
		return sdkapi.ImageSource{}, err
	}
	defer file.Close()
	stored, err := client.UploadArtifact(ctx, filepath.Base(screenshot), file)
	if err != nil {
		return sdkapi.ImageSource{}, err
	}
	return sdk.Stored(stored.ArtifactID), nil
}

// saveOverlay has the gateway mark the matches of text, and saves the picture.
func saveOverlay(ctx context.Context, client *sdk.Client, image sdkapi.ImageSource, text, name string) error {
	drawn, err := client.OCR.Overlay(ctx, sdkapi.OCROverlayRequest{Image: image, Text: &text})
	if err != nil {
		return err
	}
	content, _, err := client.OpenArtifact(ctx, drawn.ArtifactID)
	if err != nil {
		return err
	}
	defer content.Close()
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}
