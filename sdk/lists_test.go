package sdk_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// approvalKey is the key of the gateways in these tests.
const approvalKey = "the key of a person"

// deaf is a proxy of a gateway that loses the first response of each route that creates something.
func deaf(t *testing.T, to string) string {
	t.Helper()
	var mu sync.Mutex
	heard := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequestWithContext(r.Context(), r.Method, to+r.URL.String(), r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		req.Header = r.Header
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		mu.Lock()
		lost := r.Method == http.MethodPost && !heard[r.URL.Path]
		heard[r.URL.Path] = true
		mu.Unlock()
		if lost {
			panic(http.ErrAbortHandler)
		}
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		_ = http.NewResponseController(w).Flush()
		_, _ = io.Copy(flushing{w}, resp.Body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// flushing sends each written piece at once.
type flushing struct{ http.ResponseWriter }

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	_ = http.NewResponseController(f.ResponseWriter).Flush()
	return n, err
}

// TestOnceAndLists runs a program whose responses get lost. With idempotency keys, it creates one
// conversation, one prompt and one file. It finds them and the pending decision in the lists, and
// answers the decision.
func TestOnceAndLists(t *testing.T) {
	t.Parallel()
	cfg := askingGateway(t)
	cfg.Conversations = conversation.Open(cfg.Journal)
	url := gatewaytest.Start(t, cfg)
	c, err := sdk.New(deaf(t, url), sdk.WithUser("ada"), sdk.WithKey(approvalKey))
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.Tools.Invoke(sdk.Once(t.Context(), "k1"), sdkapi.ConversationCreate, nil)
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for e, err := range c.Prompts.Start(sdk.Once(t.Context(), "k2"), sdkapi.PromptStart{Input: "What is here?"}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Approval == nil {
			continue
		}
		waits, err := c.Decisions.List(t.Context(), sdk.DecisionQuery{Via: "prompt"})
		if err != nil || len(waits.Decisions) != 1 || waits.Decisions[0].PromptID != e.Approval.PromptID {
			t.Fatalf("what waits is %+v, %v", waits, err)
		}
		if known, err := c.Decisions.Get(t.Context(), waits.Decisions[0].ID); err != nil || known.State != sdkapi.DecisionPending {
			t.Errorf("it is %+v, %v", known, err)
		}
		if said, err := c.Decisions.Answer(t.Context(), waits.Decisions[0].ID, sdkapi.DecisionAnswer{Approved: true}); err != nil || said.State != sdkapi.DecisionApproved {
			t.Errorf("the yes is answered %+v, %v", said, err)
		}
		answered++
	}
	conversations, err := c.Prompts.Conversations(t.Context(), "", 10)
	if err != nil || len(conversations.Conversations) != 1 || !strings.Contains(string(made.Result), conversations.Conversations[0].ID) {
		t.Errorf("the conversations are %+v, %v; made was %s", conversations, err, made.Result)
	}
	found, err := c.Prompts.List(t.Context(), sdk.PromptQuery{Status: sdkapi.PromptCompletes, Limit: 10})
	if err != nil || len(found.Prompts) != 1 || answered != 1 {
		t.Errorf("the prompts are %+v, %v; %d were answered", found, err, answered)
	}
	_, err = c.Tools.Invoke(sdk.Once(t.Context(), "k1"), sdkapi.ConversationCreate, map[string]any{"other": 1})
	if !errors.Is(err, &sdkapi.Error{Code: sdkapi.KeyReused}) {
		t.Errorf("another request with the key: %v", err)
	}
	if _, err := promptClient(t, url).Prompts.List(t.Context(), sdk.PromptQuery{}); !errors.Is(err, &sdkapi.Error{Code: sdkapi.KeyRequired}) {
		t.Errorf("without the key: %v", err)
	}
}
