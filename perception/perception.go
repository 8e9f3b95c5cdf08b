// Package perception reads the text on screenshots and caches the results.
//
//	scenes := perception.NewScenes(engine, perception.Options{})
//	scene, err := scenes.Scene(ctx, perception.Source{SHA256: sum, Read: read})
//
// A screen is an image that a client sent. A Scene has the rows of text on a screen; Scenes caches
// it by the SHA-256 of the image. An Engine reads the text. Boxes are in pixels of the image; (0,0)
// is its top left.
package perception

import (
	"context"
	"image"

	"github.com/windieos/windie/sdkapi"
)

// Engine reads the text on a screen. Its methods are safe for concurrent use.
type Engine interface {
	// Name returns the engine, its CPU kernel or version, and its languages, for example "lstm avx2
	// (eng)" or "tesseract 5.3.0 (eng)".
	Name() string

	// Read returns the rows of text on screen in reading order. It does not change screen. The zero
	// value of how selects the engine's defaults. Read uses the cores that ctx shares, and stops
	// soon after ctx ends. If the engine cannot work, it fails with OCRUnavailable and says what is
	// missing. If a language is missing, it fails with ValidationError and says how to add it.
	Read(ctx context.Context, screen Screen, how sdkapi.Reading) ([]Row, error)

	// Ready returns the error that Read would return for the engine's default languages. It reads
	// nothing.
	Ready(ctx context.Context) error
}

// Screen is a picture to read. Its bounds begin at (0,0), and all its pixels are opaque.
type Screen struct {
	*image.NRGBA // without grain and compression ripples; engines find lines on it

	// Before is the picture before the filters changed it. Engines read letters on it, because
	// filters also thin out fine letters. If the filters changed nothing, Before is the embedded
	// picture itself.
	Before *image.NRGBA
}

// ScreenOf returns a Screen for a picture that needs no filters, because it has no grain and no
// compression ripples.
func ScreenOf(img *image.NRGBA) Screen { return Screen{img, img} }

// Row is one line or phrase of text.
type Row struct {
	// ID is the id of the row, set by Scenes. It is always the same for the same row of the same
	// image.
	ID string
	// Text has the words, joined by single spaces. It is empty if the row is unreadable.
	Text string
	// Confidence is the mean confidence of the words, in 0..1.
	Confidence float64
	// Box is the union of the boxes of the words.
	Box image.Rectangle
	// Words has the words from left to right. It is never empty.
	Words []Word
	// Script is the script of an unreadable row, which has exactly one word. It is empty for a
	// readable row.
	Script sdkapi.Script
}

// Word is one word of a row.
type Word struct {
	// Text is the word as read; it is empty in a row that is unreadable.
	Text string
	// Confidence is the probability, in 0..1, that Text is right.
	Confidence float64
	// Box is in pixels of the image.
	Box image.Rectangle
}
