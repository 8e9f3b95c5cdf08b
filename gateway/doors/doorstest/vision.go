package doorstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/windieos/windie/perception/vlm"
)

// visionModel returns a client of a server whose responses are the lines of a dialogue's part "model", in order. The
// line 400 is a failure.
func visionModel(t *testing.T, file string) *vlm.Client {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range archive.Files {
		if part.Name == "model" {
			return VisionModelSaying(t, strings.Split(strings.TrimSpace(string(part.Data)), "\n")...)
		}
	}
	t.Fatal("the dialogue does not say what its model says")
	return nil
}

// VisionModelSaying returns a client of a vision model whose server gives these responses, in order.
func VisionModelSaying(t *testing.T, says ...string) *vlm.Client {
	t.Helper()
	var mu sync.Mutex
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if len(says) == 0 || says[0] == "400" {
			says = says[min(1, len(says)):]
			http.Error(w, `{"error":{"message":"out of order"}}`, http.StatusBadRequest) // status 400 is not retried
			return
		}
		content, _ := json.Marshal(says[0])
		says = says[1:]
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n"+
			"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", content)
	}))
	t.Cleanup(web.Close)
	own := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(own.CloseIdleConnections)
	client, err := vlm.Open(vlm.Config{URL: web.URL + "/v1", Model: "claude-test", Looks: vlm.LooksOnce, HTTPClient: own})
	if err != nil {
		t.Fatal(err)
	}
	return client
}
