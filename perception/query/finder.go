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

// Finder finds the one place on a screen that matches a description. If there is a vision model,
// Finder asks the model for a point, and moves the point to the element there. If there is no model
// or the model fails, Finder uses rules. If the model has no eyes, Finder uses rules first; unless
// they find one element, the model chooses among lines of text about elements. Its methods are safe for concurrent use.
type Finder struct {
	scenes  *perception.Scenes
	screens *elements.Screens
	model   *vlm.Client
	asking  *fair.Pool // limits callers of the model, because each may have an image in memory

	mu       sync.Mutex
	outcomes map[sdkapi.Code]uint64
}

// maxAsking is the maximum number of callers that ask the model at once. Others wait at most the
// model's timeout.
const maxAsking = 8

// New returns a Finder that reads screens with scenes. model is the client of the vision model. If
// model is nil, the Finder uses only rules.
func New(scenes *perception.Scenes, model *vlm.Client) *Finder {
	f := &Finder{scenes: scenes, screens: elements.NewScreens(scenes), model: model, outcomes: map[sdkapi.Code]uint64{}}
	if model != nil {
		f.asking = fair.New(fair.Options{Name: "turns to ask the vision model", Capacity: maxAsking, Wait: model.Timeout()})
	}
	return f
}

// Outcomes returns how many requests to the vision model ended with each error code. The key "" has
// the number of successful requests.
func (f *Finder) Outcomes() map[sdkapi.Code]uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.outcomes)
}

// Answer has the elements of a view that match a description. Coordinates are relative to the view.
// If the vision model points at a place without an element, the match has the Element -1.
type Answer struct {
	locate.Answer
	// Provider is the name of the model that answered, or sdkapi.Offline if rules answered.
	Provider string
	// Fallback is the model's error if rules replaced the model; otherwise nil.
	Fallback error
	// Said is the model's answer if the model does not see the described thing.
	Said string
}

// Locate finds the elements of a view that match a description. If the view is blank, the answer
// has no matches. If the vision model fails, Locate uses rules. Locate fails with ValidationError
// if the description has more than locate.MaxDescription bytes, or with the error of ctx.
func (f *Finder) Locate(ctx context.Context, view *View, description string) (Answer, error) {
	if len(description) > locate.MaxDescription {
		return Answer{}, fault.New("query.Locate", sdkapi.ValidationError, "the description is too long").
			At(descriptionField, "expected at most %d bytes", locate.MaxDescription)
	}
	if view.Blank() {
		return Answer{Answer: locate.Answer{Unmet: []string{description}}, Provider: sdkapi.Offline}, nil
	}
	var failed error
	if f.model != nil && !f.model.Blind() {
		asked, err := f.ask(ctx, view, description)
		if err == nil {
			return asked, nil
		}
		if ctx.Err() != nil {
			return Answer{}, ctx.Err()
		}
		failed = err
	}
	answer := Answer{Answer: locate.Find(view.Screen, description), Provider: sdkapi.Offline, Fallback: failed}
	if _, one := answer.One(); one || f.model == nil || !f.model.Blind() {
		return answer, nil
	}
	chosen, err := f.choose(ctx, view, description, answer.Answer)
	if err == nil {
		return chosen, nil
	}
	answer.Fallback = err
	return answer, ctx.Err()
}

// Prose is a model's description of a view.
type Prose struct {
	// Text is the description. It is empty if no model answered.
	Text string
	// Provider is the name of the model that answered, or sdkapi.Offline if none did.
	Provider string
	// Fallback is the model's error if the model failed; otherwise nil.
	Fallback error
}

// Prose asks the vision model to describe a view. Without a model, the Prose has no text. If the
// model fails, its error is in Prose.Fallback. Prose itself fails only with the error of ctx.
func (f *Finder) Prose(ctx context.Context, view *View) (Prose, error) {
	if f.model == nil || f.model.Blind() {
		return Prose{Provider: sdkapi.Offline}, nil
	}
	var said vlm.Description
	err := f.withPicture(ctx, view, func(picture *image.NRGBA) (err error) {
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
