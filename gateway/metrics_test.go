package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// figuresAt returns the figures of a gateway, by name and labels as they are
// written.
func figuresAt(t *testing.T, url string) map[string]float64 {
	t.Helper()
	resp, body := doorstest.Get(t, url+sdkapi.MetricsPath)
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		t.Fatalf("%s %s\n%s", resp.Status, resp.Header.Get("Content-Type"), body)
	}
	out := map[string]float64{}
	for line := range strings.Lines(body) {
		i := strings.LastIndex(line, " ") // a label's value may have spaces
		if i < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(line[i+1:]), 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out[line[:i]] = n
	}
	return out
}

// expect compares some figures, and counts how many there are of a name.
func expect(t *testing.T, got map[string]float64, want map[string]float64) {
	t.Helper()
	for name, n := range want {
		if value, ok := got[name]; !ok || value != n {
			t.Errorf("%s is %v (there: %v), not %v", name, value, ok, n)
		}
	}
}

// What callers send, however odd, never makes a label, and requests are counted
// by the routes they went to.
func TestMetricsOfRequests(t *testing.T) {
	t.Parallel()
	cfg := doorstest.Working()
	cfg.Store = new(storetest.Memory)
	url := gatewaytest.Start(t, cfg)
	c := doorstest.Client(t, url)
	stored, err := c.UploadArtifact(t.Context(), "a.txt", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.StatArtifact(t.Context(), stored.ArtifactID); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/artifacts/" + stored.ArtifactID, "/api/artifacts/secret-1.png", "/api/artifacts/secret-2.png",
		"/secret-3", "/secret-4", "/api/sdk/ocr/run"} {
		_, _ = doorstest.Get(t, url+path)
	}
	resp, err := http.Post(url+"/api/sdk/ocr/run", "application/json", strings.NewReader(`{"secret-5`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	req, _ := http.NewRequest("SECRET", url+"/health", nil)
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
	}
	got := figuresAt(t, url)
	const artifact = `route="/api/artifacts/{artifact_id}"`
	expect(t, got, map[string]float64{
		`windie_http_requests_total{method="GET",` + artifact + `,status="200"}`:          1,
		`windie_http_requests_total{method="GET",` + artifact + `,status="404"}`:          2,
		`windie_http_requests_total{method="HEAD",` + artifact + `,status="200"}`:         1,
		`windie_http_request_duration_seconds_count{method="GET",` + artifact + `}`:       3,
		`windie_http_requests_total{method="GET",route="none",status="404"}`:              2,
		`windie_http_requests_total{method="GET",route="none",status="405"}`:              1,
		`windie_http_requests_total{method="POST",route="/api/sdk/ocr/run",status="400"}`: 1,
		`windie_http_request_bytes_total{method="POST",route="/api/sdk/ocr/run"}`:         10,
		`windie_http_response_bytes_total{method="HEAD",` + artifact + `}`:                0,
		`windie_http_requests_in_flight`:                                                  1,
		`windie_http_draining`:                                                            0,
		`windie_build_info{go_version="` + goVersion(got) + `",version="dev"}`:            1,
		`windie_database_connections{pool="read",state="idle"}`:                           1,
		`windie_database_connections_max{pool="read"}`:                                    4,
	})
	if n := got[`windie_http_response_bytes_total{method="GET",`+artifact+`}`]; n < 5+2*50 {
		t.Errorf("%v bytes answered", n)
	}
	for name := range got {
		if strings.Contains(strings.ToLower(name), "secret") || strings.Contains(name, stored.ArtifactID) {
			t.Errorf("a caller's word became a label: %s", name)
		}
	}
}

func goVersion(figures map[string]float64) string {
	for name := range figures {
		if m := regexp.MustCompile(`^windie_build_info\{go_version="([^"]+)"`).FindStringSubmatch(name); m != nil {
			return m[1]
		}
	}
	return "untold"
}

// A screen is read once and found again after; a file that is not an image fails.
func TestMetricsOfReading(t *testing.T) {
	t.Parallel()
	cfg := doorstest.Working()
	cfg.Scenes = perception.NewScenes(doorstest.FullEngine{}, perception.Options{})
	url := gatewaytest.Start(t, cfg)
	for range 3 {
		if _, err := doorstest.Client(t, url).OCR.Run(t.Context(), sdk.Inline(gatewaytest.Card())); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := doorstest.Client(t, url).OCR.Run(t.Context(), sdk.Inline([]byte("no image"))); err == nil {
		t.Fatal("text was read")
	}
	got := figuresAt(t, url)
	screen, _, err := perception.Decode(t.Context(), gatewaytest.Card())
	if err != nil {
		t.Fatal(err)
	}
	size := screen.Bounds().Size()
	expect(t, got, map[string]float64{
		`windie_ocr_lookups_total{result="hit"}`:                                            2,
		`windie_ocr_lookups_total{result="miss"}`:                                           2,
		`windie_ocr_scenes_total{code="OK",engine="full"}`:                                  1,
		`windie_ocr_scenes_total{code="` + string(sdkapi.InvalidImage) + `",engine="full"}`: 1,
		`windie_ocr_read_duration_seconds_count{engine="full"}`:                             1,
		`windie_ocr_megapixels_total{engine="full"}`:                                        float64(size.X*size.Y) / 1e6,
		`windie_ocr_scenes_in_flight`:                                                       0,
	})
	if bytes := got["windie_ocr_cache_bytes"]; bytes < 1000 || bytes > 10_000 {
		t.Errorf("120 rows take %v bytes", bytes)
	}
}

// Calls are counted by where the tool comes from and how they ended.
func TestMetricsOfCalls(t *testing.T) {
	t.Parallel()
	cfg := doorstest.Working()
	about := agent.Descriptor{Name: "test.measured", Risk: agent.Safe}
	cfg.Tools = doorstest.RegistryOf(t, agent.Func(about, func(_ context.Context, _ agent.Call, in struct{ Fail string }) (struct{}, error) {
		switch in.Fail {
		case "itself":
			return struct{}{}, agent.Failf("it cannot")
		case "badly":
			return struct{}{}, errors.New("broken")
		}
		return struct{}{}, nil
	}))
	url := gatewaytest.Start(t, cfg)
	for _, body := range []string{`{"Fail":""}`, `{"Fail":""}`, `{"Fail":"itself"}`, `{"Fail":"badly"}`, `{"Fail":7}`} {
		_, _ = doorstest.Invoke(t, url, "test.measured", strings.NewReader(body))
	}
	_, _ = doorstest.Invoke(t, url, "secret.tool", nil)
	got := figuresAt(t, url)
	expect(t, got, map[string]float64{
		`windie_tool_calls_total{code="OK",origin="builtin"}`:               2,
		`windie_tool_calls_total{code="TOOL_ERROR",origin="builtin"}`:       2,
		`windie_tool_calls_total{code="VALIDATION_ERROR",origin="builtin"}`: 1,
		`windie_tool_calls_total{code="TOOL_NOT_FOUND",origin="none"}`:      1,
		`windie_tool_call_duration_seconds_count{origin="builtin"}`:         4,
		`windie_tools{origin="builtin"}`:                                    1,
		`windie_tools{origin="wasm"}`:                                       0,
	})
	for name := range got {
		if strings.Contains(name, "secret") || strings.Contains(name, "measured") {
			t.Errorf("a tool's name became a label: %s", name)
		}
	}
}

// Without a token this machine may ask, and nobody else; with one, who brings
// it.
func TestMetricsAreForOperators(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdef"
	open, closed := doorstest.Working(), doorstest.Working()
	closed.OperatorToken = token
	urls := []string{gatewaytest.Start(t, open), gatewaytest.Start(t, closed)}
	for _, tt := range []struct {
		url, header, value string
		want               int
	}{
		{urls[0], "", "", 200},
		{urls[0], "X-Forwarded-For", "203.0.113.9", 403},
		{urls[0], "Host", "rebound.example", 403},
		{urls[1], "", "", 401},
		{urls[1], "Authorization", "Bearer " + token, 200},
		{urls[1], "Authorization", "Bearer 0123456789abcdeX", 403},
	} {
		t.Run(fmt.Sprint(tt.header, " ", tt.url), func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.url+sdkapi.MetricsPath, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set(tt.header, tt.value)
			if tt.header == "Host" {
				req.Host = tt.value
			}
			if tt.header == "" {
				req.Header = http.Header{}
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != tt.want {
				t.Errorf("%s %q: %d, not %d", tt.header, tt.value, resp.StatusCode, tt.want)
			}
		})
	}
}

// Two gateways of one process count each for themselves.
func TestMetricsAreEachServersOwn(t *testing.T) {
	t.Parallel()
	one, other := gatewaytest.Start(t, doorstest.Working()), gatewaytest.Start(t, doorstest.Working())
	_, _ = doorstest.Get(t, one+"/docs")
	const docs = `windie_http_requests_total{method="GET",route="/docs",status="200"}`
	expect(t, figuresAt(t, one), map[string]float64{docs: 1})
	if n, ok := figuresAt(t, other)[docs]; ok {
		t.Errorf("the other gateway counts %v", n)
	}
}

// The journal's figures are there once there is a journal.
func TestMetricsOfTheJournal(t *testing.T) {
	t.Parallel()
	cfg := doorstest.Working()
	cfg.Journal = journal.Count(nil)
	got := figuresAt(t, gatewaytest.Start(t, cfg))
	expect(t, got, map[string]float64{
		`windie_journal_events_total`: 0, `windie_journal_appends_total{result="failed"}`: 0, `windie_decisions_pending`: 0,
		`windie_journal_append_duration_seconds_count`: 0,
	})
	none := figuresAt(t, gatewaytest.Start(t, doorstest.Working()))
	if slices.ContainsFunc(keys(none), func(name string) bool { return strings.HasPrefix(name, "windie_journal") }) {
		t.Error("a gateway without a journal tells its figures")
	}
}

func keys(m map[string]float64) (list []string) {
	for name := range m {
		list = append(list, name)
	}
	return list
}

// What a cheap route costs. The figures of two builds are compared, with the
// measuring in it and without.
func BenchmarkCheapRoute(b *testing.B) {
	url := gatewaytest.Start(b, gateway.App{Store: new(storetest.Memory), Scenes: perception.NewScenes(doorstest.FullEngine{}, perception.Options{})})
	client := new(fasthttp.Client)
	request, answer := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(answer)
	request.SetRequestURI(url + "/docs/docs.css")
	for b.Loop() {
		if err := client.Do(request, answer); err != nil || answer.StatusCode() != fasthttp.StatusOK {
			b.Fatal(answer.StatusCode(), err)
		}
	}
}
