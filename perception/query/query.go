// Package query answers requests of sdkapi about screens: what is written where, where to click,
// what is there, what changed. Errors are faults.
//
//	screens := query.Screens{Finder: query.New(scenes, nil), Images: images}
//	answer, err := screens.ResolveText(ctx, &sdkapi.OCRTextRequest{Image: image, Text: "Search"})
//	click(answer.Match.Center)
//
// Routes, tools, clients of MCP, sessions and the command line ask the same questions. A fault
// names the fields of its request from "body" on, as "body.region".
package query

import (
	"context"
	"image"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// Fields of requests, as faults name them.
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

// Screens answers questions about the screens that requests name. Its methods are safe for
// concurrent use; its fields do not change.
type Screens struct {
	Finder *Finder
	Images Images

	// Charge is called with an encoded image, and its caller's context, before its
	// text is read or it is drawn on. An error refuses it. Cached screens are free.
	// Default: all are.
	Charge func(ctx context.Context, image []byte) error

	// LookAgain has a screen read a second time, in another way, on which a text is not found. That takes longer than the
	// first time. Default: the text is not there.
	LookAgain bool

	// OnFallback, if not nil, is called with the vision model's error, which answers report too.
	OnFallback func(err error)
}

// begin starts the time of a question about screens, for all that it needs.
func (s Screens) begin(ctx context.Context) (context.Context, context.CancelFunc) {
	return s.Finder.scenes.Begin(ctx)
}

// scene returns the image that a request names and its scene, read as the request says.
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

// charged returns a source whose caller is charged once its bytes are there. Callers who wait for
// the same screen pay nothing.
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

// view returns a request's image, and a view of it or of a region that begins on it.
func (s Screens) view(ctx context.Context, in sdkapi.ImageSource, how sdkapi.Reading, region *sdkapi.Region) (Image, *View, error) {
	img, scene, err := s.scene(ctx, in, how)
	if err != nil {
		return img, nil, err
	}
	cut := region.Rect()
	if region != nil && !cut.Min.In(bounds(scene)) {
		return img, nil, fault.New("query.view", sdkapi.ValidationError, "the region begins outside of the image").
			At(regionField, "expected a corner on the image, which is %d by %d pixels", scene.Width, scene.Height)
	}
	view, err := s.Finder.View(ctx, img.Source, cut)
	if err != nil {
		return img, nil, img.Blame(err)
	}
	return img, view, nil
}

func bounds(scene *perception.Scene) image.Rectangle {
	return image.Rect(0, 0, scene.Width, scene.Height)
}

// checkRegion refuses a region with nothing of the screen in it.
func checkRegion(scene *perception.Scene, region *sdkapi.Region) error {
	if r := region.Rect(); r.Empty() || r.Overlaps(bounds(scene)) {
		return nil
	}
	return fault.New("query.region", sdkapi.ValidationError, "the region lies outside the image").
		At(regionField, "expected a rectangle that overlaps the image, which is %d by %d pixels", scene.Width, scene.Height)
}

func or[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}
