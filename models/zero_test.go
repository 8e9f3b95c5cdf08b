package models_test

import (
	"context"
	"iter"
	"testing"

	"github.com/windieos/windie/models"
)

// The zero Catalogue is empty, and With adds to it as to any other.
func TestWithOfTheZeroCatalogue(t *testing.T) {
	t.Parallel()
	var c models.Catalogue
	if got := c.With(models.Provider{ID: "local", Local: true}, []string{"small"}).PriceOf("small"); !got.Known {
		t.Errorf("its price is %+v", got)
	}
}

// begins is a watcher that counts how often Begin was called for a context.
type begins struct{ most *int }

type begunKey struct{}

func (b begins) Begin(ctx context.Context, _, _ string) context.Context {
	n, _ := ctx.Value(begunKey{}).(int)
	*b.most = max(*b.most, n+1)
	return context.WithValue(ctx, begunKey{}, n+1)
}

func (begins) End(context.Context, models.Asked) {}

// quiet is a model that answers nothing.
type quiet struct{ models.Model }

func (quiet) Stream(context.Context, models.Request) iter.Seq2[models.Event, error] {
	return func(func(models.Event, error) bool) {}
}

// A stream that is read twice is two requests: the second one begins with the caller's context, as the first did.
func TestWatchedStreamIsReadTwice(t *testing.T) {
	t.Parallel()
	most := 0
	stream := models.Watch(quiet{}, "p", begins{&most}).Stream(t.Context(), models.Request{Model: "m"})
	for range 2 {
		for _, err := range stream {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if most != 1 {
		t.Errorf("one context began %d requests", most)
	}
}
