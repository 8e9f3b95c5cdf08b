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

// Finder finds the one place on a screen that a description means: it asks the vision model, if
// any, and goes by rules if that fails. A model's point is snapped to the element that it means.
// Its methods are safe for concurrent use.
type Finder struct {
	scenes  *perception.Scenes
	screens *elements.Screens
	model   *vlm.Client
	asking  *fair.Pool // as each caller of the model holds an image

	mu       sync.Mutex
	outcomes map[sdkapi.Code]uint64
}

// maxAsking is how many callers ask the model at once. Others wait as long as an answer may take.
const maxAsking = 8

// New returns a finder on what scenes reads. model may be nil.
func New(scenes *perception.Scenes, model *vlm.Client) *Finder {
	f := &Finder{scenes: scenes, screens: elements.NewScreens(scenes), model: model, outcomes: map[sdkapi.Code]uint64{}}
	if model != nil {
		f.asking = fair.New(fair.Options{Name: "turns to ask the vision model", Capacity: maxAsking, Wait: model.Timeout()})
	}
	return f
}

// Outcomes counts the questions to the model by the code of its failure; "" is a useful answer.
func (f *Finder) Outcomes() map[sdkapi.Code]uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.outcomes)
}

// Answer is what a description means on a view, in the view's own coordinates.
// Its matches have Element -1 where a model points at no element.
type Answer struct {
	locate.Answer
	Provider string // sdkapi.Offline, or the model's name
	Fallback error  // why it was not the model that is set up; nil if it was
	Said     string // what the model says if it sees no such thing
}

// Locate finds what a description means: nothing on a blank view. It fails with
// ValidationError for a description that is too long, and with ctx's error when
// ctx ends. If the model fails, the answer is found without it.
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

// Prose is what a model says that is on a view.
type Prose struct {
	Text     string // empty without a model's answer
	Provider string // sdkapi.Offline, or the model's name
	Fallback error  // why it was not the model that is set up; nil if it was
}

// Prose asks the model what is on a view. It fails with ctx's error alone.
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
