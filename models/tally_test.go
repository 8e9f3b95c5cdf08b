package models_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

// An answer that ends before its usage has taken what it said, and what its model may have thought unseen before.
func TestTally(t *testing.T) {
	t.Parallel()
	away := failing(sdkapi.ModelUnavailable, 0)
	counted := models.Usage{Input: 5, CacheRead: 2, Output: 3, Reasoning: 30_000}
	input := models.Estimate(hello)
	for name, tt := range map[string]struct {
		replies   []modelstest.Reply
		events    int // after which the reader leaves; 0 for never
		reasoning string
		most      int // tokens of the answer
		want      models.Usage
		began     bool
	}{
		"whole":               {replies: []modelstest.Reply{{Text: []string{"yes"}, Usage: counted}}, want: counted, began: true},
		"left at once":        {replies: []modelstest.Reply{{Text: []string{"yes"}, Usage: counted}}, events: 1, want: models.Usage{Input: input, Output: 1, Estimated: true}, began: true},
		"left after a while":  {replies: []modelstest.Reply{{Text: []string{"yes", "no"}, Delay: 20500 * time.Millisecond, Usage: counted}}, events: 1, want: models.Usage{Input: input, Output: 1, Reasoning: 2000, Estimated: true}, began: true},
		"what comes later":    {replies: []modelstest.Reply{{Text: []string{"yes", "no"}, Delay: 20 * time.Second}}, events: 2, want: models.Usage{Input: input, Output: 2, Reasoning: 2000, Estimated: true}, began: true},
		"within its bound":    {replies: []modelstest.Reply{{Text: []string{"yes", "no"}, Delay: 20 * time.Second}}, events: 1, most: 77, want: models.Usage{Input: input, Output: 1, Reasoning: 76, Estimated: true}, began: true},
		"without thoughts":    {replies: []modelstest.Reply{{Text: []string{"yes", "no"}, Delay: 20 * time.Second}}, events: 1, reasoning: "none", want: models.Usage{Input: input, Output: 1, Estimated: true}, began: true},
		"before a word":       {replies: []modelstest.Reply{{Thoughts: []string{"well"}, Delay: 20 * time.Second}}, events: 1, want: models.Usage{Input: input, Reasoning: 2000, Estimated: true}, began: true},
		"broken off":          {replies: []modelstest.Reply{{Text: []string{"yes"}, Err: away}}, want: models.Usage{Input: input, Output: 1, Estimated: true}, began: true},
		"after too many":      {replies: []modelstest.Reply{{Calls: make([]models.Call, models.MaxCalls+1)}}, want: models.Usage{Input: input, Estimated: true}, began: true},
		"refused":             {replies: []modelstest.Reply{{Err: failing(sdkapi.ModelError, 0)}}, want: models.Usage{Input: input, Estimated: true}},
		"of the last attempt": {replies: []modelstest.Reply{{Err: failing(sdkapi.ModelRateLimited, 30*time.Second)}, {Text: []string{"yes"}, Usage: counted}}, events: 1, want: models.Usage{Input: input, Output: 1, Estimated: true}, began: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				req := hello
				req.Reasoning, req.MaxTokens = tt.reasoning, tt.most
				ctx, tally := models.NewTally(t.Context(), req)
				n := 0
				for e, err := range models.Retry(modelstest.NewScript(tt.replies...), models.RetryOptions{}).Stream(ctx, req) {
					if err != nil {
						break
					}
					tally.See(e)
					if n++; n == tt.events {
						break
					}
				}
				if got := tally.Usage(); got != tt.want || tally.Began() != tt.began {
					t.Errorf("it took %+v, and began: %v; want %+v", got, tally.Began(), tt.want)
				}
			})
		})
	}
}

// What a provider has counted before an answer broke off is what it took at least.
func TestTallyOfFiguresInBetween(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		told, want models.Usage
		began      bool
	}{
		"the request":       {models.Usage{Input: 100, CacheRead: 20, Output: 1}, models.Usage{Input: 100, CacheRead: 20, Output: 3, Estimated: true}, true},
		"more than is seen": {models.Usage{Input: 100, Output: 40, Reasoning: 50}, models.Usage{Input: 100, Output: 40, Reasoning: 50, Estimated: true}, true},
		"nothing":           {models.Usage{}, models.Usage{Input: models.Estimate(hello), Output: 3, Estimated: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, tally := models.NewTally(t.Context(), hello)
			_, err := modelstest.Collect(models.Scripted(ctx, "test", hello, func(_ context.Context, a *models.Answer) error {
				a.Used(tt.told)
				if tally.Began() != tt.began {
					t.Errorf("it began: %v", tally.Began())
				}
				if err := a.Call(models.CallPiece{Name: "tool", Arguments: `{"a`}); err != nil { // three tokens
					return err
				}
				return fault.New("test", sdkapi.ModelUnavailable, "gone")
			}))
			if got := tally.Usage(); fault.CodeOf(err) != sdkapi.ModelUnavailable || got != tt.want || !tally.Began() {
				t.Errorf("it took %+v, want %+v; %v", got, tt.want, err)
			}
		})
	}
}
