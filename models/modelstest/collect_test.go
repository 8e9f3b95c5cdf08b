package modelstest_test

import (
	"errors"
	"iter"
	"testing"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
)

// A collected answer has all text, also that of its last event, and what came before an error.
func TestCollect(t *testing.T) {
	t.Parallel()
	away := errors.New("the model is away")
	for name, want := range map[string]error{"whole": nil, "broken off": away} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var events iter.Seq2[models.Event, error] = func(yield func(models.Event, error) bool) {
				_ = yield(models.Event{Kind: models.Thinking, Text: "Hm."}, nil) && yield(models.Event{Kind: models.Text, Text: "Good "}, nil) &&
					yield(models.Event{Kind: models.Text, Text: "day."}, nil) && want != nil && yield(models.Event{}, want)
			}
			got, err := modelstest.Collect(events)
			if got.Thinking != "Hm." || got.Text != "Good day." || !errors.Is(err, want) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
