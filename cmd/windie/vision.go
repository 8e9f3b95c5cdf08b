package main

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"time"

	"github.com/disintegration/imaging"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/perception/vlm"
	"github.com/windieos/windie/state/ledger"
)

// visionTimeout limits a request to the vision model about one screen.
const visionTimeout = 20 * time.Second

// visionConfig returns the configuration of the vision model, without a meter. The URL is empty if
// no model is set.
func (c *config) visionConfig() vlm.Config {
	return vlm.Config{
		URL: c.Vision.URL, Model: c.Vision.Model, APIKey: models.NewSecret(string(c.Vision.APIKey)),
		Timeout: visionTimeout, Blind: !c.Vision.Eyes,
	}
}

// newFinder returns a finder by description on the screens of scenes, with the vision model of the
// settings if there is one. It records the model's cost in book, unless that is nil.
func (c *config) newFinder(scenes *perception.Scenes, book *ledger.Ledger) (*query.Finder, error) {
	if c.Vision.URL == "" {
		return query.New(scenes, nil), nil
	}
	cfg := c.visionConfig()
	if book != nil {
		price, err := c.priceOf(c.Vision.Model)
		if err != nil {
			return nil, err
		}
		cfg.Meter = func(model models.Model) models.Model { return book.Model(model, price, payer) }
	}
	model, err := vlm.Open(cfg)
	return query.New(scenes, model), err
}

// checkVision asks the vision model to find a square on a picture. This detects a wrong key, and a
// model that is configured as another family.
func (c *config) checkVision(ctx context.Context) (string, error) {
	if c.Vision.URL == "" {
		return "disabled (WINDIE_VISION_URL is not set)", nil
	}
	cfg := c.visionConfig()
	cfg.Looks = vlm.LooksOnce
	cfg.Timeout = min(cfg.Timeout, checkTimeout-checkTimeout/10) // so that its own message is reported
	client, err := vlm.Open(cfg)
	if err != nil {
		return "", err
	}
	if client.Blind() {
		return checkChoice(ctx, client)
	}
	square := image.Rect(460, 100, 500, 140) // off the middle and the diagonals, where all families agree
	picture := imaging.Paste(imaging.New(640, 480, color.White), imaging.New(square.Dx(), square.Dy(), color.NRGBA{R: 220, A: 255}), square.Min)
	found, err := client.Locate(ctx, picture, "the red square")
	if err != nil {
		return "", err
	}
	if !found.Point.In(square) {
		return "", fmt.Errorf("the vision model %s failed the test (family %s): it pointed at %v, but the square is at %v. The gateway derives the family from the name: on the server, use the model's full name, for example Qwen/Qwen2.5-VL-7B-Instruct. If the family is correct, check whether the server shrinks images",
			found.Model, found.Family, found.Point, square)
	}
	return fmt.Sprintf("%s, family %s, found a square in %v", found.Model, found.Family, found.Took.Round(10*time.Millisecond)), nil
}

// checkChoice asks a model without eyes to choose one of three lines.
func checkChoice(ctx context.Context, client *vlm.Client) (string, error) {
	got, err := client.Choose(ctx, "the button that stores the changes", []string{`button "Cancel"`, `button "Save"`, `field "Name", empty`})
	if err != nil {
		return "", err
	}
	if got.Index != 1 {
		return "", fmt.Errorf("the model %s failed the test: it answered %q, but the second of three lines is right", got.Model, got.Said)
	}
	return fmt.Sprintf("%s, without images, chose a line in %v", got.Model, got.Took.Round(10*time.Millisecond)), nil
}
