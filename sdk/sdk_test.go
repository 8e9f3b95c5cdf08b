package sdk_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// start runs a gateway that can read text, and returns a client of it.
func start(t *testing.T) *sdk.Client {
	t.Helper()
	return clientOf(t, gatewaytest.Start(t, gateway.App{Scenes: gatewaytest.Scenes(t)}))
}

func clientOf(t *testing.T, url string, opts ...sdk.Option) *sdk.Client {
	t.Helper()
	c, err := sdk.New(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func upload(t *testing.T, c *sdk.Client) sdkapi.ImageSource {
	t.Helper()
	stored, err := c.UploadArtifact(t.Context(), "card.png", bytes.NewReader(gatewaytest.Card()))
	if err != nil {
		t.Fatal(err)
	}
	return sdk.Stored(stored.ArtifactID)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"", "127.0.0.1:8765", "ftp://x", "http://", "http://a b"} {
		if _, err := sdk.New(u); err == nil {
			t.Errorf("New(%q) took it", u)
		}
	}
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	c := clientOf(t, gatewaytest.Start(t, gateway.App{}))
	stored, err := c.UploadArtifact(t.Context(), "card.png", bytes.NewReader(gatewaytest.Card()))
	if err != nil {
		t.Fatal(err)
	}
	if stored.ContentType != "image/png" || stored.SizeBytes != int64(len(gatewaytest.Card())) || stored.URL != c.ArtifactURL(stored.ArtifactID) {
		t.Errorf("stored %+v", stored)
	}
	r, opened, err := c.OpenArtifact(t.Context(), stored.ArtifactID)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if data, err := io.ReadAll(r); err != nil || !bytes.Equal(data, gatewaytest.Card()) {
		t.Errorf("fetched %d bytes, %v", len(data), err)
	}
	stat, err := c.StatArtifact(t.Context(), stored.ArtifactID)
	if err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string]*sdkapi.Artifact{"OpenArtifact": opened, "StatArtifact": stat} {
		t.Run(what, func(t *testing.T) {
			if *got != *stored {
				t.Errorf("%s tells %+v, the upload %+v", what, got, stored)
			}
		})
	}
}

// TestUploadOfABrokenReader checks that an upload fails with the error of its reader, and stores
// nothing.
func TestStatOfAMissingArtifact(t *testing.T) {
	t.Parallel()
	_, err := clientOf(t, gatewaytest.Start(t, gateway.App{})).StatArtifact(t.Context(), "missing.png")
	var e *sdkapi.Error
	if !errors.As(err, &e) || e.Code != sdkapi.NotFound || e.Status != http.StatusNotFound || e.Details.RequestID == "" {
		t.Errorf("got %#v, want the code of the status, as a HEAD has no body", err)
	}
}

func TestUploadOfABrokenReader(t *testing.T) {
	t.Parallel()
	c := clientOf(t, gatewaytest.Start(t, gateway.App{}))
	broken := errors.New("the camera fell off")
	if _, err := c.UploadArtifact(t.Context(), "x", io.MultiReader(strings.NewReader("half"), failing{broken})); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestOCR(t *testing.T) {
	t.Parallel()
	c := start(t)
	image := upload(t, c)
	run, err := c.OCR.Run(t.Context(), image)
	if err != nil || len(run.Results) != 3 || run.Image.Width != 360 || *run.Image.ArtifactID != image.ArtifactID {
		t.Fatalf("Run: %+v, %v", run, err)
	}
	one, err := c.OCR.ResolveText(t.Context(), sdkapi.OCRTextRequest{Image: image, Text: "check out"})
	if err != nil || one.Match.Text != "Check out" || *one.Match.Score < 0.98 || one.Match.CandidateID != run.Results[0].CandidateID {
		t.Errorf("ResolveText: %+v, %v", one, err)
	}
	again, err := c.OCR.ResolveCandidate(t.Context(), sdkapi.OCRResolveCandidateRequest{Image: image, CandidateID: one.Match.CandidateID})
	if err != nil || again.Match.Center != one.Match.Center {
		t.Errorf("ResolveCandidate: %+v, %v", again, err)
	}
	found, err := c.OCR.FindText(t.Context(), sdkapi.OCRTextRequest{Image: image, Text: "Add to cart"})
	if err != nil || len(found.Matches) != 2 {
		t.Errorf("FindText: %+v, %v", found, err)
	}
	near, err := c.OCR.FindTextCandidates(t.Context(), sdkapi.OCRTextRequest{Image: image, Text: "Add a card", Threshold: new(1.0), MaxResults: new(1)})
	if err != nil || len(near.Matches) != 1 {
		t.Errorf("FindTextCandidates: %+v, %v", near, err)
	}
	all, err := c.OCR.Inspect(t.Context(), sdkapi.OCRInspectRequest{Image: image, Text: new("Add to cart"), IncludeOverlay: true})
	if err != nil || all.Overlay == nil || all.ResolutionError.StatusCode != http.StatusConflict || all.ResolutionError.Detail.Code != sdkapi.AmbiguousMatch {
		t.Errorf("Inspect: %+v, %v", all, err)
	}
}

// TestNarrowing sends the distinction of a candidate back, and gets this candidate.
func TestNarrowing(t *testing.T) {
	t.Parallel()
	c := start(t)
	in := sdkapi.OCRTextRequest{Image: upload(t, c), Text: "Add to cart", Reading: sdkapi.Reading{Languages: "eng"}}
	_, err := c.OCR.ResolveText(t.Context(), in)
	var failed *sdkapi.Error
	if !errors.As(err, &failed) || failed.Code != sdkapi.AmbiguousMatch {
		t.Fatalf("got %v", err)
	}
	second := failed.Details.ResolverPayload.Candidates[1]
	for name, narrowing := range map[string]sdkapi.Narrowing{
		"occurrence": {Occurrence: second.Distinction.Occurrence},
		"region":     {Region: &sdkapi.Region{X: second.BBox.X, Y: second.BBox.Y, Width: second.BBox.Width, Height: second.BBox.Height}},
	} {
		t.Run(name, func(t *testing.T) {
			in.Narrowing = narrowing
			if one, err := c.OCR.ResolveText(t.Context(), in); err != nil || one.Match.CandidateID != second.CandidateID || one.Match.Distinction != nil {
				t.Errorf("%s: %+v, %v", name, one, err)
			}
		})
	}
	in.Narrowing = sdkapi.Narrowing{Near: "Check out"}
	if one, err := c.OCR.ResolveText(t.Context(), in); err != nil || one.Match.CandidateID == second.CandidateID {
		t.Errorf("near: %+v, %v", one, err)
	}
}

func TestOverlayIsAnArtifact(t *testing.T) {
	t.Parallel()
	c := start(t)
	drawn, err := c.OCR.Overlay(t.Context(), sdkapi.OCROverlayRequest{Image: sdk.Inline(gatewaytest.Card())})
	if err != nil || drawn.AnnotationCount != 3 {
		t.Fatalf("%+v, %v", drawn, err)
	}
	r, _, err := c.OpenArtifact(t.Context(), drawn.ArtifactID)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, h, err := perception.Decode(t.Context(), data); err != nil || h.Width != 360 || h.Height != 160 {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestErrors checks that an error has the gateway's code, status, fields and candidates.
func TestErrors(t *testing.T) {
	t.Parallel()
	c := start(t)
	image := upload(t, c)
	ask := func(in sdkapi.OCRTextRequest) *sdkapi.Error {
		_, err := c.OCR.ResolveText(t.Context(), in)
		var e *sdkapi.Error
		if !errors.As(err, &e) {
			t.Fatalf("no *sdkapi.Error: %v", err)
		}
		return e
	}
	if e := ask(sdkapi.OCRTextRequest{Image: image, Text: "Add to cart"}); e.Status != 409 || len(e.Details.ResolverPayload.Candidates) != 2 {
		t.Errorf("two alike: %+v", e)
	}
	if e := ask(sdkapi.OCRTextRequest{Image: image, Text: "Check in"}); e.Code != sdkapi.TextNotFound || e.Details.ResolverPayload.Candidates[0].Text != "Check out" {
		t.Errorf("none: %+v", e)
	}
	if e := ask(sdkapi.OCRTextRequest{Image: image, Text: "x", Threshold: new(2.0)}); e.Code != sdkapi.ValidationError || e.Details.Fields[0].Path != "body.threshold" {
		t.Errorf("a wrong field: %+v", e)
	}
	_, _, err := c.OpenArtifact(t.Context(), "shot.png")
	if !errors.Is(err, &sdkapi.Error{Code: sdkapi.ArtifactNotFound}) {
		t.Errorf("unknown artifact: %v", err)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	none := perception.NewScenes(reader.New(reader.Config{DataDir: t.TempDir(), Languages: "xyz"}), perception.Options{})
	h, err := clientOf(t, gatewaytest.Start(t, gateway.App{Scenes: none})).Health(t.Context())
	if err != nil || h.Healthy || !h.Checks[0].OK || h.Checks[1].OK {
		t.Errorf("%+v, %v", h, err)
	}
}

// flaky is a proxy of a real gateway that answers the first n requests itself.
func flaky(t *testing.T, gateway string, n int32, status int, body string) (front string, requests *atomic.Int32) {
	t.Helper()
	target, err := url.Parse(gateway)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	requests = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) <= n {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// TestRetries checks that the client retries requests that change nothing, and does not retry
// requests that store something.
func TestRetries(t *testing.T) {
	t.Parallel()
	gw := gatewaytest.Start(t, gateway.App{Scenes: gatewaytest.Scenes(t)})
	image := sdk.Inline(gatewaytest.Card())
	overloaded := `{"error":{"code":"OVERLOADED","message":"later","details":{}}}`
	spent := `{"error":{"code":"BUDGET_EXCEEDED","message":"tomorrow","details":{}}}`
	missing := `{"error":{"code":"OCR_UNAVAILABLE","message":"install it","details":{}}}`
	for _, tt := range []struct {
		name     string
		body     string
		call     func(context.Context, *sdk.Client) error
		requests int32
		fails    bool
	}{
		{"a query", overloaded, func(ctx context.Context, c *sdk.Client) error { _, err := c.OCR.Run(ctx, image); return err }, 3, false},
		{"a reader that is not installed", missing, func(ctx context.Context, c *sdk.Client) error { _, err := c.OCR.Run(ctx, image); return err }, 1, true},
		{"a budget that is used up", spent, func(ctx context.Context, c *sdk.Client) error { _, err := c.OCR.Run(ctx, image); return err }, 1, true},
		{"a download", "", func(ctx context.Context, c *sdk.Client) error {
			_, err := c.StatArtifact(ctx, "shot.png")
			if errors.Is(err, &sdkapi.Error{Code: sdkapi.NotFound}) {
				return nil
			}
			return err
		}, 3, false},
		{"an overlay", overloaded, func(ctx context.Context, c *sdk.Client) error {
			_, err := c.OCR.Overlay(ctx, sdkapi.OCROverlayRequest{Image: image})
			return err
		}, 1, true},
		{"an upload", overloaded, func(ctx context.Context, c *sdk.Client) error {
			_, err := c.UploadArtifact(ctx, "x", strings.NewReader("x"))
			return err
		}, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			front, requests := flaky(t, gw, 2, http.StatusServiceUnavailable, tt.body)
			err := tt.call(t.Context(), clientOf(t, front))
			if (err != nil) != tt.fails || requests.Load() != tt.requests {
				t.Errorf("%d requests, %v", requests.Load(), err)
			}
		})
	}
}

// TestContextEndsRetries checks that the end of the context ends a request, also between two tries.
func TestContextEndsRetries(t *testing.T) {
	t.Parallel()
	front, _ := flaky(t, "http://127.0.0.1:1", 1000, http.StatusServiceUnavailable, "")
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	_, err := clientOf(t, front, sdk.WithRetries(100)).OCR.Run(ctx, sdk.Stored("shot.png"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// TestOptions checks that the options apply to every kind of request: JSON, a download and an
// upload.
func TestOptions(t *testing.T) {
	t.Parallel()
	var lacking atomic.Int32
	target, err := url.Parse(gatewaytest.Start(t, gateway.App{}))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "open sesame" || r.Header.Get("User-Agent") != "windie-go" {
			lacking.Add(1)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	sent := &counting{Transport: new(http.Transport)}
	t.Cleanup(sent.CloseIdleConnections)
	c := clientOf(t, front.URL, sdk.WithHeader("X-Key", "open sesame"), sdk.WithHTTPClient(&http.Client{Transport: sent}))
	stored, err := c.UploadArtifact(t.Context(), "x", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.StatArtifact(t.Context(), stored.ArtifactID)
	_, err2 := c.Health(t.Context())
	if err := errors.Join(err, err2); err != nil || lacking.Load() != 0 || sent.n.Load() != 3 {
		t.Errorf("%v, %d requests without the headers, %d of 3 through the client given", err, lacking.Load(), sent.n.Load())
	}
}

// counting counts the requests it sends.
type counting struct {
	*http.Transport
	n atomic.Int32
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return c.Transport.RoundTrip(r)
}

// TestNotAGateway checks that the error of another server differs from a gateway's own failure.
func TestNotAGateway(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, err := clientOf(t, server.URL).OCR.Run(t.Context(), sdk.Stored("shot.png"))
	var e *sdkapi.Error
	if !errors.As(err, &e) || e.Status != http.StatusNotFound || !strings.Contains(e.Message, "gateway") {
		t.Errorf("got %v", err)
	}
}
