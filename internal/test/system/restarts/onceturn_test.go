//go:build system

package restarts_test

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A client that sends its prompt with a key, again and again until it has heard
// it whole, while gateways die, has one prompt and has its tool called at most
// once.
func TestPromptWithAKeyAndGatewaysThatDie(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	chance := rand.New(rand.NewPCG(7, 7))
	prompts := map[string]bool{}
	url, kill := spawn(t, dir)
	for life := 0; ; life++ {
		if life > 0 {
			url, kill = spawn(t, dir)
		}
		dies := time.Duration(chance.IntN(60)) * time.Millisecond
		if life == 6 {
			dies = doorstest.Patience
		}
		timer := time.AfterFunc(dies, kill)
		ended := false
		for until := time.Now().Add(doorstest.Patience); !ended && time.Now().Before(until); {
			resp, err := doorstest.Asks(t.Context(), http.MethodPost, url+sdkapi.PromptPath, `{"input":"What is here?"}`, sdkapi.IdempotencyKeyHeader, "k")
			if err != nil {
				break // it is dead
			}
			ended = endOf(t, url, resp.Body, prompts)
			resp.Body.Close()
		}
		timer.Stop()
		if ended {
			break
		}
		kill()
	}
	if got := doorstest.Calls(t, dir); len(prompts) != 1 || len(got) > 1 {
		t.Errorf("there are %d prompts, %v; the tool was called with %v", len(prompts), prompts, got)
	}
}

// endOf hears a prompt, answers what it asks, notes its id, and reports whether
// it ended.
func endOf(t *testing.T, url string, body io.Reader, prompts map[string]bool) (ended bool) {
	t.Helper()
	_ = doorstest.Hear(body, func(e doorstest.Event) bool { // a gateway that dies is what is tested
		switch e.Kind {
		case sdkapi.EventPromptCreated:
			var created sdkapi.PromptCreated
			if err := json.Unmarshal([]byte(e.Data), &created); err != nil {
				t.Error(err)
			}
			prompts[created.PromptID] = true
		case sdkapi.EventPromptApproval:
			doorstest.AnswerAsked(t, url, e)
		}
		ended = e.Kind == sdkapi.EventPromptCompleted || e.Kind == sdkapi.EventError
		return !ended
	})
	return ended
}
