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

// Asked is one request to a model, once it is over.
type Asked struct {
	Provider, Model string        // as the catalogue and the provider name them
	Took            time.Duration // from the request to the end of the answer
	First           time.Duration // to the first piece of it; 0 if there was none
	Usage           Usage         // zero if the provider gave none
	Err             error         // nil for a whole answer, and for one that the caller left
}

// Watcher follows requests to models. Its methods are safe for concurrent use, and quick.
type Watcher interface {
	// Begin returns the context of a request that begins.
	Begin(ctx context.Context, provider, model string) context.Context

	// End gets what came of the request, in the context of Begin.
	End(ctx context.Context, a Asked)
}

// Watch returns a model whose requests watchers follow.
func Watch(model Model, provider string, watchers ...Watcher) Model {
	return watched{model, provider, watchers}
}

type watched struct {
	Model
	provider string
	watchers []Watcher
}

// Stream implements Model.
func (w watched) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
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

// Figures counts requests to models. The zero value is empty. Its methods are safe for concurrent use.
type Figures struct {
	mu  sync.Mutex
	all map[figureKey]*modelFigures
}

var _ Watcher = (*Figures)(nil)

type figureKey struct{ provider, model string }

type modelFigures struct {
	took, first meter.Durations
	outcomes    map[string]uint64
	usage       Usage
}

// maxFigures bounds how many models have figures of their own; all others together are otherModel.
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

// outcomeOf returns the code of a failure, OK if there is no error. A caller who left is no failure of the model.
func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "OK"
	case errors.Is(err, context.Canceled):
		return string(sdkapi.Canceled)
	}
	return string(fault.CodeOf(err))
}

// ModelFigures is what was counted of one model.
type ModelFigures struct {
	Provider, Model string
	Took, First     meter.Histogram
	Outcomes        map[string]uint64 // requests by the code of their failure, OK if they did not fail
	Usage           Usage
}

// List returns the figures of all models that were asked.
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
