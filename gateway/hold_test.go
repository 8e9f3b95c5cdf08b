package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// Large bodies of JSON share an amount of memory. One that finds none left is told to come back, and
// what it had is free again; small ones take nothing of it.
func TestLargeBodiesShareMemory(t *testing.T) {
	t.Parallel()
	pool := fair.New(fair.Options{Name: "bytes for bodies", Capacity: 10 << 20, Long: 10 << 20})
	url := gatewaytest.Start(t, gateway.App{Scenes: perception.NewScenes(doorstest.FullEngine{}, perception.Options{}), Pools: metrics.Pools{gateway.BodyPool: pool}})
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
		{"one too large", 4 << 20, false, http.StatusRequestEntityTooLarge},
		{"one too large, in chunks", 4 << 20, true, http.StatusRequestEntityTooLarge},
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

// Bodies that are half sent are counted from their first byte, whatever they are said to become, and whoever sends a
// little beside them is answered.
func TestHalfSentBodies(t *testing.T) {
	t.Parallel()
	const most = 2 << 20
	url := gatewaytest.Start(t, gateway.App{
		Scenes: perception.NewScenes(doorstest.FullEngine{}, perception.Options{}), Arriving: most, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	half := fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n\r\n{\"image\":{\"image_base64\":\"", 30_000_000) + strings.Repeat("A", 300_000)
	refused := make(chan string, 40)
	for n := range cap(refused) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		go func() {
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.%d\r\n%s", sdkapi.OCRRunPath, 1+n%4, half)
			line, err := bufio.NewReader(conn).ReadString('\n')
			refused <- line + fmt.Sprint(err)
		}()
	}
	for range cap(refused) - most/300_000 { // the others have room
		if line := doorstest.Receive(t, refused, "a refusal"); !strings.HasPrefix(line, "HTTP/1.1 503") {
			t.Errorf("half a body was answered with %q", line)
		}
	}
	body := fmt.Sprintf(`{"image":{"image_base64":%q}}`, strings.Repeat("A", 400_000)) // no image
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+sdkapi.OCRRunPath, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Forwarded-For", "198.51.100.1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("beside half-sent bodies a whole one was answered with %s", resp.Status)
	}
}
