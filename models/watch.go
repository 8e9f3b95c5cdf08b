package models

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/meter"
	"github.com/windieos/windie/sdkapi"
)

// Asked is a finished request to a model.
type Asked struct {
	Provider, Model string        // provider's id in the catalogue, and model's name at the provider
	Took            time.Duration // duration from the request to the end of the answer
	First           time.Duration // duration to the first piece of the answer; 0 if no piece arrived
	Usage           Usage         // usage that the provider reported; zero if it reported no usage
	Err             error         // error of the answer; nil if the answer is complete, or if the reader stopped early
}

// Watcher gets a report of each request to a model. Its methods must be safe for concurrent use,
// and must return quickly.
type Watcher interface {
	// Begin is called when a request begins. It returns the context for the request.
	Begin(ctx context.Context, provider, model string) context.Context

	// End is called when the request is finished, with the context of Begin.
	End(ctx context.Context, a Asked)
}

// Watch returns a model that reports its requests to watchers.
func Watch(model Model, provider string, watchers ...Watcher) Model {
	return watched{model, provider, watchers}
}

// watched implements Watch.
type watched struct {
	Model
	provider string
	watchers []Watcher
}

// Stream implements Model.
func (w watched) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx := ctx // the sequence may be read again
		for _, each := range w.watchers {
			ctx = each.Begin(ctx, w.provider, req.Model)
		}
		began, a := time.Now(), Asked{Provider: w.provider, Model: req.Model}
		defer func() {
			a.Took = time.Since(began)
			for _, each := range w.watchers {
				each.End(ctx, a)
			}
		}()
		for e, err := range w.Model.Stream(ctx, req) {
			if a.First == 0 && err == nil {
				a.First = time.Since(began)
			}
			if e.Kind == UsageKnown {
				a.Usage = e.Usage
			}
			a.Err = err
			if !yield(e, err) {
				return
			}
		}
	}
}

// Figures counts requests to models. The zero value is ready to use. Its methods are safe for
// concurrent use.
type Figures struct {
	mu  sync.Mutex
	all map[figureKey]*modelFigures
}

var _ Watcher = (*Figures)(nil)

// figureKey is the provider and the model of counts.
type figureKey struct{ provider, model string }

// modelFigures are the counts of one model.
type modelFigures struct {
	took, first meter.Durations
	outcomes    map[string]uint64
	usage       Usage
}

// maxFigures is the maximum number of models with separate counts. otherModel is the provider and the model
// of the counts of all other models.
const (
	maxFigures = 200
	otherModel = "other"
)

// Begin implements Watcher.
func (f *Figures) Begin(ctx context.Context, _, _ string) context.Context { return ctx }

// End implements Watcher.
func (f *Figures) End(_ context.Context, a Asked) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := figureKey{a.Provider, a.Model}
	if f.all == nil {
		f.all = map[figureKey]*modelFigures{}
	}
	if f.all[key] == nil && len(f.all) >= maxFigures {
		key = figureKey{otherModel, otherModel}
	}
	if f.all[key] == nil {
		f.all[key] = &modelFigures{outcomes: map[string]uint64{}}
	}
	m := f.all[key]
	m.took.Add(a.Took)
	if a.First > 0 {
		m.first.Add(a.First)
	}
	m.outcomes[outcomeOf(a.Err)]++
	m.usage = m.usage.Add(a.Usage)
}

// outcomeOf returns the code of an error, or OK for nil. If the caller cancelled the request, it returns
// CANCELED.
func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "OK"
	case errors.Is(err, context.Canceled):
		return string(sdkapi.Canceled)
	}
	return string(fault.CodeOf(err))
}

// ModelFigures has the counts of the requests to one model.
type ModelFigures struct {
	Provider, Model string
	Took, First     meter.Histogram
	Outcomes        map[string]uint64 // number of requests; the key is the error code, or OK
	Usage           Usage
}

// List returns the counts of requests for each model.
func (f *Figures) List() []ModelFigures {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]ModelFigures, 0, len(f.all))
	for key, m := range f.all {
		out := ModelFigures{key.provider, key.model, m.took.Histogram(), m.first.Histogram(), map[string]uint64{}, m.usage}
		for outcome, n := range m.outcomes {
			out.Outcomes[outcome] = n
		}
		list = append(list, out)
	}
	return list
}
