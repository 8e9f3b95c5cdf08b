// Package perception reads what is on a screen.
//
//	scenes := perception.NewScenes(engine, perception.Options{})
//	scene, err := scenes.Scene(ctx, perception.Source{SHA256: sum, Read: read})
//
// A screen is an image that a client sent. A Scene is what is known of it, cached by the image's
// SHA-256. An Engine reads the text. Boxes are in pixels of the image, from its top left.
package perception

import (
	"context"
	"image"

	"github.com/windieos/windie/sdkapi"
)

// Engine reads the text on a screen. Its methods are safe for concurrent use.
type Engine interface {
	// Name returns the engine, what it runs on or its version, and its
	// languages, as "lstm avx2 (eng)" or "tesseract 5.3.0 (eng)".
	Name() string

	// Read returns the rows on screen in reading order. It does not change the screen. The zero value of how is the
	// engine's own choice. Read stops soon after ctx ends, and shares the cores that ctx has. It fails with
	// OCRUnavailable, which says what is missing, if the engine cannot work, and with
	// ValidationError, which says how to add it, for a language that is missing.
	Read(ctx context.Context, screen Screen, how sdkapi.Reading) ([]Row, error)

	// Ready returns the error that Read would return for the engine's own
	// choice of languages, without reading anything.
	Ready(ctx context.Context) error
}

// Screen is a picture that is read. Its bounds begin at (0,0), and it has no transparent pixels.
type Screen struct {
	*image.NRGBA // without grain and without the ripples of compression: lines are found on it

	// Before is the picture as it was before these were taken out, which takes something of thin letters too: they are read
	// on it. It is the same picture if nothing was taken out.
	Before *image.NRGBA
}

// ScreenOf returns a picture that has no grain and no ripples as a screen.
func ScreenOf(img *image.NRGBA) Screen { return Screen{img, img} }

// Row is one line or phrase of text.
type Row struct {
	ID         string // set by Scenes: the same for the same row of the same image
	Text       string // its words with single spaces between; empty if it cannot be read
	Confidence float64
	Box        image.Rectangle
	Words      []Word        // from left to right, never empty
	Script     sdkapi.Script // which script it is in that cannot be read, as one word; empty for what is read
}

// Word is one word of a row. Confidence is in 0..1.
type Word struct {
	Text       string
	Confidence float64
	Box        image.Rectangle
}
