package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// Large bodies of JSON share an amount of memory. One that finds none left is told to come back, and
// what it had is free again; small ones take nothing of it.
func TestLargeBodiesShareMemory(t *testing.T) {
	t.Parallel()
	pool := fair.New(fair.Options{Name: "bytes for bodies", Capacity: 10 << 20, Long: 10 << 20})
	url := gatewaytest.Start(t, gateway.Config{Scenes: perception.NewScenes(doorstest.FullEngine{}, perception.Options{}), Pools: metrics.Pools{gateway.BodyPool: pool}})
	post := func(size int, chunked bool) *http.Response {
		t.Helper()
		var body io.Reader = strings.NewReader(fmt.Sprintf(`{"image":{"image_base64":%q}}`, strings.Repeat("A", size)))
		if chunked {
			body = io.MultiReader(body) // whose length the client does not know
		}
		resp, err := http.Post(url+sdkapi.OCRRunPath, "application/json", body) //nolint:noctx // the server ends it
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	for _, tt := range []struct {
		name    string
		size    int
		chunked bool
		status  int
	}{
		{"a small one", 1 << 10, false, http.StatusUnprocessableEntity}, // it is no image
		{"one that fits", 2<<20 + 1<<19, false, http.StatusUnprocessableEntity},
		{"one too large", 4 << 20, false, http.StatusServiceUnavailable},
		{"one too large, in chunks", 4 << 20, true, http.StatusServiceUnavailable},
		{"one that fits, in chunks", 2<<20 + 1<<19, true, http.StatusUnprocessableEntity},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp := post(tt.size, tt.chunked)
			if retry := resp.Header.Get("Retry-After") != ""; resp.StatusCode != tt.status || retry != (tt.status == http.StatusServiceUnavailable) {
				t.Errorf("%s, Retry-After %v", resp.Status, retry)
			}
			if taken := pool.Stats().Taken; taken != 0 {
				t.Errorf("%d bytes stay taken", taken)
			}
		})
	}
}
