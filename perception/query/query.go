// Package query answers requests of sdkapi about screens: which texts and elements are where, where
// to click, and what changed. Errors are faults.
//
//	screens := query.Screens{Finder: query.New(scenes, nil), Images: images}
//	answer, err := screens.ResolveText(ctx, &sdkapi.OCRTextRequest{Image: image, Text: "Search"})
//	click(answer.Match.Center)
//
// Routes, tools, MCP clients, sessions and the command line use the same methods. A fault names
// fields of its request with the prefix "body", for example "body.region".
package query

import (
	"context"
	"image"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// Names of request fields in faults.
const (
	imageField       = "body.image"
	artifactField    = "body.image.artifact_id"
	base64Field      = "body.image.image_base64"
	languagesField   = "body.languages"
	regionField      = "body.region"
	nearField        = "body.near"
	occurrenceField  = "body.occurrence"
	beforeField      = "body.before"
	afterField       = "body.after"
	descriptionField = "body.description"
)

// Screens answers requests about screens. Its methods are safe for concurrent use. After the first
// use, callers must not change its fields.
type Screens struct {
	// Finder is required.
	Finder *Finder
	// Images is required.
	Images Images

	// Charge, if not nil, is called with the caller's ctx and an encoded image, before the image's
	// text is read or marks are drawn on it. If Charge fails, the request fails. Cached screens are
	// not charged. If Charge is nil, nothing is charged.
	Charge func(ctx context.Context, image []byte) error

	// LookAgain allows a second reading of a screen if a text is not found on it. The second
	// reading takes longer than the first one.
	LookAgain bool

	// OnFallback, if not nil, is called with the vision model's error when rules replace the model.
	// Responses contain the error too.
	OnFallback func(err error)
}

// begin starts the time limit of a question about screens.
func (s Screens) begin(ctx context.Context) (context.Context, context.CancelFunc) {
	return s.Finder.scenes.Begin(ctx)
}

// scene returns the image that a request names, and its scene.
func (s Screens) scene(ctx context.Context, in sdkapi.ImageSource, how sdkapi.Reading) (Image, *perception.Scene, error) {
	img, err := s.Images.Image(ctx, in)
	if err != nil {
		return img, nil, err
	}
	img.Source.Reading = how
	scene, err := s.Finder.scenes.Scene(ctx, s.charged(img.Source))
	if err != nil {
		return img, nil, img.Blame(err)
	}
	img.measured(scene.Header)
	return img, scene, nil
}

// charged returns a source that calls Charge when its bytes are loaded. Callers that share the
// reading of another caller are not charged.
func (s Screens) charged(src perception.Source) perception.Source {
	if s.Charge == nil {
		return src
	}
	read := src.Read
	src.Read = func(ctx context.Context) ([]byte, error) {
		data, err := read(ctx)
		if err == nil {
			err = s.Charge(ctx, data)
		}
		return data, err
	}
	return src
}

// view returns the image of a request, and a view of it or of a region. The region must begin on
// the image.
func (s Screens) view(ctx context.Context, in sdkapi.ImageSource, how sdkapi.Reading, region *sdkapi.Region) (Image, *View, error) {
	img, scene, err := s.scene(ctx, in, how)
	if err != nil {
		return img, nil, err
	}
	cut := region.Rect()
	if region != nil && !cut.Min.In(bounds(scene)) {
		return img, nil, fault.New("query.view", sdkapi.ValidationError, "the region begins outside the image").
			At(regionField, "expected a corner on the image, which is %d by %d pixels", scene.Width, scene.Height)
	}
	view, err := s.Finder.View(ctx, img.Source, cut)
	if err != nil {
		return img, nil, img.Blame(err)
	}
	return img, view, nil
}

// bounds returns the rectangle of a whole screen.
func bounds(scene *perception.Scene) image.Rectangle {
	return image.Rect(0, 0, scene.Width, scene.Height)
}

// checkRegion returns a ValidationError for a region that does not overlap the screen, or nil.
func checkRegion(scene *perception.Scene, region *sdkapi.Region) error {
	if r := region.Rect(); r.Empty() || r.Overlaps(bounds(scene)) {
		return nil
	}
	return fault.New("query.region", sdkapi.ValidationError, "the region is outside the image").
		At(regionField, "expected a rectangle that overlaps the image, which is %d by %d pixels", scene.Width, scene.Height)
}

// or returns *p, or fallback for a nil p.
func or[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}
