package models_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

// failing returns a fault with that code; after, when a provider asks for it.
func failing(code sdkapi.Code, after time.Duration) error {
	return fault.New("test", code, "no").Because(&models.Refusal{RetryAfter: after})
}

// hello is a request.
var hello = models.Request{Model: "m", Messages: []models.Message{{Role: models.User, Parts: []models.Part{{Text: "hello"}}}}}

func TestRetry(t *testing.T) {
	t.Parallel()
	busy, away := failing(sdkapi.ModelRateLimited, 0), failing(sdkapi.ModelUnavailable, 0)
	yes := modelstest.Reply{Text: []string{"yes"}}
	for _, tt := range []struct {
		name        string
		replies     []modelstest.Reply
		asked       int
		code        sdkapi.Code
		least, most time.Duration
	}{
		{"at once", []modelstest.Reply{yes}, 1, "", 0, 0},
		{"after each that may help", []modelstest.Reply{{Err: busy}, {Err: away}, yes}, 3, "", 750 * time.Millisecond, 1500 * time.Millisecond},
		{"until there were enough", []modelstest.Reply{{Err: busy}, {Err: busy}, {Err: busy}, {Err: away}, yes}, 4, sdkapi.ModelUnavailable, 1750 * time.Millisecond, 3500 * time.Millisecond},
		{"not what does not help", []modelstest.Reply{{Err: failing(sdkapi.ModelError, 0)}, yes}, 1, sdkapi.ModelError, 0, 0},
		{"not a full context", []modelstest.Reply{{Err: failing(sdkapi.ModelContextFull, 0)}, yes}, 1, sdkapi.ModelContextFull, 0, 0},
		{"not behind the first event", []modelstest.Reply{{Text: []string{"so"}, Err: away}, yes}, 1, sdkapi.ModelUnavailable, 0, 0},
		{"not behind a thought", []modelstest.Reply{{Thoughts: []string{"so"}, Err: away}, yes}, 1, sdkapi.ModelUnavailable, 0, 0},
		{"when the provider says", []modelstest.Reply{{Err: failing(sdkapi.ModelRateLimited, 20*time.Second)}, yes}, 2, "", 20 * time.Second, 20 * time.Second},
		{"at the longest it may say", []modelstest.Reply{{Err: failing(sdkapi.ModelRateLimited, 30*time.Second)}, yes}, 2, "", 30 * time.Second, 30 * time.Second},
		{"not when it says too long", []modelstest.Reply{{Err: failing(sdkapi.ModelRateLimited, 30*time.Second+1)}, yes}, 1, sdkapi.ModelRateLimited, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				script := modelstest.NewScript(tt.replies...)
				began := time.Now()
				got, err := modelstest.Collect(models.Retry(script, models.RetryOptions{}).Stream(t.Context(), hello))
				took := time.Since(began)
				if fault.CodeOf(err) != tt.code || len(script.Requests()) != tt.asked || took < tt.least || took > tt.most {
					t.Errorf("asked %d times in %v: %v", len(script.Requests()), took, err)
				}
				if err == nil && got.Text != "yes" {
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}

// TestRetryWaitsByChance shows that two that failed together do not come back
// together.
func TestRetryWaitsByChance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var waits []time.Duration
		for range 20 {
			began := time.Now()
			script := modelstest.NewScript(modelstest.Reply{Err: failing(sdkapi.ModelUnavailable, 0)}, modelstest.Reply{})
			if _, err := modelstest.Collect(models.Retry(script, models.RetryOptions{}).Stream(t.Context(), hello)); err != nil {
				t.Fatal(err)
			}
			waits = append(waits, time.Since(began))
		}
		slices.Sort(waits)
		if len(slices.Compact(waits)) < 15 {
			t.Errorf("waited %v", waits)
		}
	})
}

func TestSilence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		reply modelstest.Reply
		code  sdkapi.Code
		took  time.Duration
	}{
		{"just in time", modelstest.Reply{Text: []string{"a", "b"}, Delay: 2*time.Minute - 1}, "", 6*time.Minute - 3},
		{"between events", modelstest.Reply{Text: []string{"a", "b"}, Delay: 2*time.Minute + 1}, sdkapi.ModelUnavailable, 4*time.Minute + 1},
		{"before the first", modelstest.Reply{Text: []string{"a", "b"}, Delay: 5*time.Minute + 1}, sdkapi.ModelUnavailable, 5 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				script := modelstest.NewScript(tt.reply, modelstest.Reply{})
				began := time.Now()
				_, err := modelstest.Collect(models.Retry(script, models.RetryOptions{}).Stream(t.Context(), hello))
				if took := time.Since(began); fault.CodeOf(err) != tt.code || took != tt.took || len(script.Requests()) != 1 {
					t.Errorf("ended after %v and %d requests: %v", took, len(script.Requests()), err)
				}
			})
		})
	}
}

// A call that takes long to write is no silence, and a pause in it is.
func TestALongCallIsNotSilence(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pause time.Duration
		code  sdkapi.Code
	}{"in pieces": {2*time.Minute - 1, ""}, "with a pause": {2*time.Minute + 1, sdkapi.ModelUnavailable}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got, err := modelstest.Collect(models.Retry(longCall{tt.pause}, models.RetryOptions{Attempts: 1}).Stream(t.Context(), hello))
				if fault.CodeOf(err) != tt.code || tt.code == "" && (len(got.Calls) != 1 || string(got.Calls[0].Arguments) != `{"a":123456789}`) {
					t.Errorf("%+v, %v", got, err)
				}
			})
		})
	}
}

// longCall writes a call, and pauses after each piece.
type longCall struct{ pause time.Duration }

func (m longCall) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return models.Scripted(ctx, "test", req, func(ctx context.Context, a *models.Answer) error {
		if err := a.Call(models.CallPiece{Name: "write"}); err != nil {
			return err
		}
		for _, piece := range []string{`{"a":`, "123", "456", "789", "}"} {
			if err := a.Call(models.CallPiece{Arguments: piece}); err != nil {
				return err
			}
			select {
			case <-time.After(m.pause):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		a.End(models.ToolCalls)
		return nil
	})
}

// TestASlowReaderIsNotSilence shows that what the reader does takes its own time.
func TestASlowReaderIsNotSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := models.Retry(modelstest.NewScript(modelstest.Reply{Text: []string{"a", "b", "c"}}), models.RetryOptions{})
		for _, err := range model.Stream(t.Context(), hello) {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
	})
}

func TestRetryEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		began := time.Now()
		script := modelstest.NewScript(modelstest.Reply{Err: failing(sdkapi.ModelRateLimited, 20*time.Second)}, modelstest.Reply{})
		_, err := modelstest.Collect(models.Retry(script, models.RetryOptions{}).Stream(ctx, hello))
		if took := time.Since(began); took != 10*time.Second || !errors.Is(err, context.Canceled) {
			t.Errorf("ended after %v with %v", took, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		script := modelstest.NewScript(modelstest.Reply{Err: failing(sdkapi.ModelRateLimited, 20*time.Second)}, modelstest.Reply{})
		_, err := modelstest.Collect(models.Retry(script, models.RetryOptions{}).Stream(ctx, hello))
		if took := time.Since(began); took != 0 || fault.CodeOf(err) != sdkapi.ModelRateLimited {
			t.Errorf("waited %v for what it could not wait for: %v", took, err)
		}
	})
}

// leaving is a model that notes when its reader left.
type leaving struct{ left bool }

func (l *leaving) Stream(ctx context.Context, _ models.Request) iter.Seq2[models.Event, error] {
	return func(yield func(models.Event, error) bool) {
		for ctx.Err() == nil && yield(models.Event{Kind: models.Text, Text: "a"}, nil) {
		}
		l.left = true
	}
}

func TestLeavingTheLoopEndsTheRequest(t *testing.T) {
	t.Parallel()
	model := &leaving{}
	for _, err := range models.Retry(model, models.RetryOptions{}).Stream(t.Context(), hello) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if !model.left {
		t.Error("the model goes on")
	}
}
