package modelstest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestScript(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		script := modelstest.NewScript(
			modelstest.Reply{Thoughts: []string{"h", "m"}, Signature: "s", Text: []string{"a", "b"}, Delay: time.Minute, Usage: models.Usage{Output: 2}},
			modelstest.Reply{Text: []string{"c"}, Err: broken, Calls: []models.Call{{Name: "f"}}},
			modelstest.Reply{Text: []string{"d"}, Delay: time.Hour},
		)
		req := models.Request{Messages: []models.Message{{Role: models.User}}}
		began := time.Now()
		got, err := modelstest.Collect(script.Stream(t.Context(), req))
		if err != nil || got.Text != "ab" || got.Thoughts[0].Text != "hm" || got.Thoughts[0].Signature != "s" || got.Usage.Output != 2 || got.End != models.Stop || time.Since(began) != 5*time.Minute {
			t.Errorf("%+v after %v, %v", got, time.Since(began), err)
		}
		if got, err := modelstest.Collect(script.Stream(t.Context(), req)); !errors.Is(err, broken) || got.Text != "c" || got.Calls != nil {
			t.Errorf("%+v, %v", got, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := modelstest.Collect(script.Stream(ctx, req)); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if _, err := modelstest.Collect(script.Stream(t.Context(), req)); fault.CodeOf(err) != sdkapi.ModelError || len(script.Requests()) != 4 {
			t.Errorf("once too often: %v", err)
		}
	})
}
