package query

import (
	"context"
	"image"
	"maps"
	"sync"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/locate"
	"github.com/windieos/windie/perception/vlm"
	"github.com/windieos/windie/sdkapi"
)

// Finder finds the one place on a screen that a description means. If there is a vision model,
// Finder asks the model for a point, and moves the point to the element there. If there is no model
// or the model fails, Finder uses rules. Its methods are safe for concurrent use.
type Finder struct {
	scenes  *perception.Scenes
	screens *elements.Screens
	model   *vlm.Client
	asking  *fair.Pool // limits callers of the model, because each has an image in memory

	mu       sync.Mutex
	outcomes map[sdkapi.Code]uint64
}

// maxAsking is the maximum number of callers that ask the model at once. Others wait at most the
// model's timeout.
const maxAsking = 8

// New returns a Finder on the screens that scenes reads. If model is nil, the Finder uses only
// rules.
func New(scenes *perception.Scenes, model *vlm.Client) *Finder {
	f := &Finder{scenes: scenes, screens: elements.NewScreens(scenes), model: model, outcomes: map[sdkapi.Code]uint64{}}
	if model != nil {
		f.asking = fair.New(fair.Options{Name: "turns to ask the vision model", Capacity: maxAsking, Wait: model.Timeout()})
	}
	return f
}

// Outcomes returns the number of requests to the model for each error code. "" counts the useful
// answers.
func (f *Finder) Outcomes() map[sdkapi.Code]uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.outcomes)
}

// Answer says which elements of a view a description means, in coordinates of the view. If the
// vision model points at a place without an element, the Element of the match is -1.
type Answer struct {
	locate.Answer
	Provider string // sdkapi.Offline, or the model's name
	Fallback error  // the model's error, if rules replaced it; otherwise nil
	Said     string // the model's answer if it does not see the thing
}

// Locate finds what a description means on a view. If the view is blank, the answer has no matches.
// If the model fails, Locate uses rules. Locate fails with ValidationError if the description has
// more than locate.MaxDescription bytes, or with the error of ctx.
func (f *Finder) Locate(ctx context.Context, on *View, description string) (Answer, error) {
	if len(description) > locate.MaxDescription {
		return Answer{}, fault.New("query.Locate", sdkapi.ValidationError, "the description is too long").
			At(descriptionField, "expected at most %d bytes", locate.MaxDescription)
	}
	if on.Blank() {
		return Answer{Answer: locate.Answer{Unmet: []string{description}}, Provider: sdkapi.Offline}, nil
	}
	var failed error
	if f.model != nil {
		asked, err := f.ask(ctx, on, description)
		if err == nil {
			return asked, nil
		}
		if ctx.Err() != nil {
			return Answer{}, ctx.Err()
		}
		failed = err
	}
	return Answer{Answer: locate.Find(on.Screen, description), Provider: sdkapi.Offline, Fallback: failed}, nil
}

// Prose is a model's description of a view.
type Prose struct {
	Text     string // empty without a model's answer
	Provider string // sdkapi.Offline, or the model's name
	Fallback error  // the model's error, if it failed; otherwise nil
}

// Prose asks the model to describe a view. It fails only with the error of ctx. If the model fails,
// its error is in Fallback.
func (f *Finder) Prose(ctx context.Context, on *View) (Prose, error) {
	if f.model == nil {
		return Prose{Provider: sdkapi.Offline}, nil
	}
	var said vlm.Description
	err := f.withPicture(ctx, on, func(picture *image.NRGBA) (err error) {
		said, err = f.model.Describe(ctx, picture)
		return err
	})
	f.count(err)
	switch {
	case err == nil:
		return Prose{Text: said.Text, Provider: said.Model}, nil
	case ctx.Err() != nil:
		return Prose{}, ctx.Err()
	}
	return Prose{Provider: sdkapi.Offline, Fallback: err}, nil
}
