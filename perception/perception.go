// Package perception tells what is on a screen.
//
//	scenes := perception.NewScenes(engine, perception.Options{})
//	scene, err := scenes.Scene(ctx, perception.Source{SHA256: sum, Read: read})
//
// A screen is an image a client sent. A Scene is what we know of it: computed
// once, kept by the image's SHA-256, and asked by every route. An Engine reads
// the text. All boxes are in pixels of the source image, from its top left.
package perception

import (
	"context"
	"image"

	"github.com/windieos/windie/sdkapi"
)

// Engine reads the text on a screen. Its methods may be called from several
// goroutines at once.
type Engine interface {
	// Name tells the engine, what it runs on or its version, and its
	// languages, as "lstm avx2 (eng)" or "tesseract 5.3.0 (eng)".
	Name() string

	// Read returns the rows on screen, whose bounds begin at (0,0), in
	// reading order. how holds all options of reading; its zero value is the
	// engine's own choice. A screen without text gives no rows and no error.
	// Read stops soon after ctx ends. A reader that cannot work fails with
	// OCRUnavailable and says what is missing. One that lacks a language asked
	// for, or is asked for what is no language, fails with ValidationError, and
	// says which it has and how to add one.
	Read(ctx context.Context, screen *image.NRGBA, how sdkapi.Reading) ([]Row, error)

	// Ready reports whether Read can work with the engine's own choice of
	// languages, without reading anything. Its error is the one Read would give.
	Ready(ctx context.Context) error
}

// Row is one line or phrase of text.
type Row struct {
	ID         string // set by Scenes: the same for the same row of the same image
	Text       string // its words with single spaces between
	Confidence float64
	Box        image.Rectangle
	Words      []Word // from left to right, never empty
}

// Word is one word of a row. Confidence is in 0..1.
type Word struct {
	Text       string
	Confidence float64
	Box        image.Rectangle
}
