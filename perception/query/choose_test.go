package query_test

import (
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/perception/vlm"
	"github.com/windieos/windie/sdkapi"
)

// TestLocateWithoutEyes checks that a model without eyes is asked only if rules do not find exactly
// one element, and that the rules' answer stays if the model fails.
func TestLocateWithoutEyes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		description, said, provider, text string
		matches, nearest                  int
		fallback                          sdkapi.Code
		asked                             int64
	}{
		"rules find it":        {description: "check out", said: "1", provider: "offline", text: "Check out", matches: 1},
		"ambiguous":            {description: "add to cart", said: "2", provider: "words", text: "Add to cart", matches: 1, asked: 1},
		"missing for rules":    {description: "pay for everything", said: "1", provider: "words", matches: 1, asked: 1},
		"none":                 {description: "add to cart", said: "none", provider: "words", nearest: 2, asked: 1},
		"words, and ambiguous": {description: "add to cart", said: "the upper one", provider: "offline", text: "Add to cart", matches: 2, fallback: sdkapi.TargetNotFound, asked: 1},
		"out of range":         {description: "the zebra", said: "77", provider: "offline", fallback: sdkapi.ModelError, asked: 1},
		"several":              {description: "the zebra", said: "1, 2", provider: "offline", fallback: sdkapi.AmbiguousMatch, asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				asked.Add(1)
				if strings.Contains(string(body), "image_url") || !strings.Contains(string(body), `1 `) {
					t.Errorf("asked %s", body)
				}
				content, _ := json.Marshal(tt.said)
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", content)
			}))
			t.Cleanup(web.Close)
			own := &http.Client{Transport: &http.Transport{}}
			t.Cleanup(own.CloseIdleConnections)
			model, err := vlm.Open(vlm.Config{URL: web.URL + "/v1", Model: "words", Blind: true, Timeout: 3 * time.Second, HTTPClient: own})
			if err != nil {
				t.Fatal(err)
			}
			f := query.New(gatewaytest.Scenes(t), model)
			v := viewOf(t, f, perception.SourceOf(gatewaytest.Card()), image.Rectangle{})
			got, err := f.Locate(t.Context(), v, tt.description)
			if err != nil || len(got.Matches) != tt.matches || got.Provider != tt.provider || len(got.Nearest) < tt.nearest || asked.Load() != tt.asked || tt.asked > 0 && f.Outcomes()[tt.fallback] != 1 {
				t.Fatalf("%+v, %v, asked %d", got, err, asked.Load())
			}
			if tt.fallback == "" != (got.Fallback == nil) || got.Fallback != nil && fault.CodeOf(got.Fallback) != tt.fallback {
				t.Errorf("fallback %v", got.Fallback)
			}
			if tt.matches > 0 && tt.text != "" && v.Elements[got.Matches[0].Element].Label != tt.text {
				t.Errorf("%+v", got.Matches[0])
			}
			if prose, err := f.Prose(t.Context(), v); err != nil || prose.Provider != sdkapi.Offline || prose.Fallback != nil {
				t.Errorf("prose: %+v, %v", prose, err)
			}
		})
	}
}
