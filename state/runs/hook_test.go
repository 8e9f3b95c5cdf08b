package runs_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/runs"
)

// hook is a web hook that notes its messages, and fails the first time unless it has failed.
type hook struct {
	mu     sync.Mutex
	secret []byte
	failed bool
	told   []string
	wrong  error
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Header.Get("Webhook-Signature") != h.signature(r.Header, body) {
		h.wrong = fmt.Errorf("signed as %q, %w", r.Header.Get("Webhook-Signature"), err)
	}
	var in struct {
		Type string
		Data struct{ Run sdkapi.Run }
	}
	if err := json.Unmarshal(body, &in); err != nil || in.Data.Run.RunID == "" {
		h.wrong = fmt.Errorf("%s: %w", body, err)
	}
	if !h.failed {
		h.failed = true
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	h.told = append(h.told, in.Type)
}

// signature is what Standard Webhooks 1.0 says.
func (h *hook) signature(header http.Header, body []byte) string {
	sum := hmac.New(sha256.New, h.secret)
	fmt.Fprintf(sum, "%s.%s.%s", header.Get("Webhook-Id"), header.Get("Webhook-Timestamp"), body)
	return "v1," + base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

// The web hook hears that a run waits for a person, and that it has ended, also where it fails at first.
func TestHook(t *testing.T) { testHook(t, true) }

// testHook lets a hook hear of a run that asks and ends.
func testHook(t *testing.T, failed bool) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		h := &hook{secret: []byte("a secret that nobody guesses"), failed: failed}
		server := httptest.NewServer(h)
		defer server.Close()
		p := open(t, cfg, runs.Options{Hook: &runs.Hook{URL: server.URL, Secret: h.secret, Client: server.Client()}})
		defer background.Start(t.Context(), p.Run)()
		create(t, p, request("home"))
		w := newWorker(t, p, "w", "s")
		got := w.takes()
		for seq, kind := range []string{sdkapi.WSApprovalRequest, sdkapi.WSToolOutput, sdkapi.WSStreamingComplete} {
			if _, err := w.relays(got, int64(seq+1), kind, `{}`); err != nil {
				t.Fatal(err)
			}
		}
		told := testkit.Eventually(t, "both messages", func() ([]string, bool) {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.told, len(h.told) == 2
		})
		if told[0] == told[1] || h.wrong != nil {
			t.Errorf("told %v: %v", told, h.wrong)
		}
	})
}
