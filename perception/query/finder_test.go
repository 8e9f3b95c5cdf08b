package query_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/perception/vlm"
	"github.com/windieos/windie/sdkapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a model's server. It remembers the size of the last image.
type server struct {
	said   string
	status int           // 200 when zero
	stays  chan struct{} // it answers when this is closed; at once when nil
	width  atomic.Int64
	inside atomic.Int64 // requests that it has not answered
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	_, data, ok := strings.Cut(string(body), "data:image/jpeg;base64,")
	data, _, _ = strings.Cut(data, `"`)
	picture, err2 := jpeg.DecodeConfig(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err = errors.Join(err, err2); err != nil || !ok {
		http.Error(w, fmt.Sprint("no image: ", err), http.StatusTeapot)
		return
	}
	s.width.Store(int64(picture.Width))
	s.inside.Add(1)
	defer s.inside.Add(-1)
	if s.stays != nil {
		<-s.stays
	}
	if s.status != 0 {
		http.Error(w, "no", s.status)
		return
	}
	content, _ := json.Marshal(s.said)
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n"+
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", content)
}

// finder returns a finder that uses the model of a server; a nil server means no model.
func finder(t *testing.T, s *server) *query.Finder {
	t.Helper()
	scenes := gatewaytest.Scenes(t)
	if s == nil {
		return query.New(scenes, nil)
	}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	own := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(own.CloseIdleConnections)
	model, err := vlm.Open(vlm.Config{URL: web.URL + "/v1", Model: "claude", Timeout: 3 * time.Second, Looks: vlm.LooksOnce, HTTPClient: own})
	if err != nil {
		t.Fatal(err)
	}
	return query.New(scenes, model)
}

// form is a screen of three lines: "Your name", "Submit" and "Cancel", with room
// for a fourth.
var (
	formPNG = gatewaytest.Screen("Your name", "Submit", "Cancel", "")
	form    = perception.SourceOf(formPNG)
)

func viewOf(t *testing.T, f *query.Finder, src perception.Source, region image.Rectangle) *query.View {
	t.Helper()
	v, err := f.View(t.Context(), src, region)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestLocate checks that rules find the target without a model and with a failing model. The answer
// of a model must replace the rules.
func TestLocate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		model     *server
		label     string // of the element that is found; "" for none
		matches   int
		provider  string
		fallback  sdkapi.Code
		said      string
		nearest   string
		wantPoint image.Point // zero: any
	}{
		"no model":              {nil, "Submit", 1, "offline", "", "", "", image.Point{}},
		"a point on it":         {&server{said: `{"x": 30, "y": 130}`}, "Cancel", 1, "claude", "", "", "", image.Pt(30, 130)},
		"a point beside it":     {&server{said: `{"x": 30, "y": 150}`}, "Cancel", 1, "claude", "", "", "", image.Point{}},
		"a point on nothing":    {&server{said: `{"x": 200, "y": 180}`}, "", 1, "claude", "", "", "", image.Pt(200, 180)},
		"several":               {&server{said: `[{"x": 30, "y": 80}, {"x": 30, "y": 130}, {"x": 32, "y": 131}]`}, "Submit", 2, "claude", "", "", "", image.Point{}},
		"it sees no such thing": {&server{said: `not found`}, "", 0, "claude", "", "not found", "Submit", image.Point{}},
		"junk":                  {&server{said: `The weather is fine today.`}, "Submit", 1, "offline", sdkapi.TargetNotFound, "", "", image.Point{}},
		"outside":               {&server{said: `{"x": 3000, "y": 130}`}, "Submit", 1, "offline", sdkapi.ModelError, "", "", image.Point{}},
		"it refuses":            {&server{said: `I'm sorry, I can't help with that.`}, "Submit", 1, "offline", sdkapi.ModelError, "", "", image.Point{}},
		"a wrong key":           {&server{status: 401}, "Submit", 1, "offline", sdkapi.ModelError, "", "", image.Point{}},
		"away":                  {&server{status: 503}, "Submit", 1, "offline", sdkapi.ModelUnavailable, "", "", image.Point{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := finder(t, tt.model)
			v := viewOf(t, f, form, image.Rectangle{})
			got, err := f.Locate(t.Context(), v, `the text "Submit"`)
			if err != nil {
				t.Fatal(err)
			}
			code := sdkapi.Code("")
			if got.Fallback != nil {
				code = fault.CodeOf(got.Fallback)
			}
			outcomes := f.Outcomes()
			if asked := tt.model != nil; asked && (outcomes[tt.fallback] != 1 || len(outcomes) != 1) || !asked && len(outcomes) > 0 {
				t.Errorf("counted %v", outcomes)
			}
			if len(got.Matches) != tt.matches || got.Provider != tt.provider || code != tt.fallback || got.Said != tt.said {
				t.Fatalf("%+v, %v", got, got.Fallback)
			}
			if tt.nearest != "" && (len(got.Nearest) == 0 || v.Elements[got.Nearest[0].Element].Label != tt.nearest) {
				t.Errorf("nearest is %+v", got.Nearest)
			}
			if tt.matches == 0 {
				return
			}
			m, label := got.Matches[0], ""
			if m.Element >= 0 {
				label = v.Elements[m.Element].Label
			}
			if label != tt.label || tt.wantPoint != (image.Point{}) && m.Point != tt.wantPoint || m.Element >= 0 && !m.Point.In(v.Elements[m.Element].Box) {
				t.Errorf("%q: %+v", label, m)
			}
		})
	}
}

// TestLocateEnds checks that rules replace a model that does not answer in time, and that a call
// ends with its context.
func TestLocateEnds(t *testing.T) {
	t.Parallel()
	s := &server{stays: make(chan struct{})}
	f := finder(t, s)
	t.Cleanup(func() { close(s.stays) }) // before the server closes
	v := viewOf(t, f, form, image.Rectangle{})
	got, err := f.Locate(t.Context(), v, "submit")
	if err != nil || fault.CodeOf(got.Fallback) != sdkapi.Timeout || len(got.Matches) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer leave()
	if _, err := f.Locate(ctx, v, "submit"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the caller left: %v", err)
	}
	if _, err := f.Prose(ctx, v); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the caller left: %v", err)
	}
}

// TestHowManyAsk checks that only maxAsking callers use the model at once, because each has an
// image in memory.
func TestHowManyAsk(t *testing.T) {
	t.Parallel()
	const most = 8
	s := &server{said: `{"x": 30, "y": 130}`, stays: make(chan struct{})}
	f := finder(t, s)
	v := viewOf(t, f, form, image.Rectangle{})
	ended := make(chan error)
	for range most + 4 {
		go func() {
			got, err := f.Locate(t.Context(), v, "cancel")
			ended <- errors.Join(err, got.Fallback)
		}()
	}
	inside := func(n int64) func() (int64, bool) {
		return func() (int64, bool) { now := s.inside.Load(); return now, now == n }
	}
	testkit.Eventually(t, "as many ask at once as may", inside(most))
	testkit.Throughout(t, 50*time.Millisecond, "no more ask at once than may", inside(most))
	close(s.stays)
	for range most + 4 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestViewOfAPart checks that rules and the model see only the part, with coordinates from its
// corner.
func TestViewOfAPart(t *testing.T) {
	t.Parallel()
	s := &server{said: `{"x": 25, "y": 25}`}
	f := finder(t, s)
	v := viewOf(t, f, form, image.Rect(10, 105, 210, 9000))
	if v.Width != 200 || v.Height != 105 || len(v.Rows) != 1 || v.Rows[0].Text != "Cancel" || v.Region != image.Rect(10, 105, 210, 210) {
		t.Fatalf("%v %+v", v.Region, v.Rows)
	}
	whole := viewOf(t, f, form, image.Rectangle{})
	for i, e := range v.Elements {
		w := whole.Elements[v.Place(i)]
		if e.Role != w.Role || e.Label != w.Label || e.Box.Add(v.Region.Min) != w.Box.Intersect(v.Region) || e.Parent >= i {
			t.Errorf("%d: %+v, of the whole %+v", i, e, w)
		}
	}
	got, err := f.Locate(t.Context(), v, "cancel")
	if m, ok := got.One(); err != nil || !ok || v.Elements[m.Element].Label != "Cancel" || s.width.Load() != 200 {
		t.Errorf("%+v, %v; it was shown %d pixels", got, err, s.width.Load())
	}
	if i := v.At(image.Pt(25, 25)); i < 0 || v.Elements[i].Label != "Cancel" {
		t.Errorf("at a point of it: %d", i)
	}
}

// TestPartOfARow cuts through a row. The part must have the words that are mostly inside it.
func TestPartOfARow(t *testing.T) {
	t.Parallel()
	f := finder(t, nil)
	v := viewOf(t, f, perception.SourceOf(gatewaytest.Card()), image.Rect(66, 60, 360, 100)) // "to cart" of "Add to cart"
	if len(v.Rows) != 1 || v.Rows[0].Text != "to cart" || !v.Rows[0].Box.In(image.Rect(0, 0, 294, 40)) {
		t.Errorf("%+v", v.Rows)
	}
	if _, _, ok := viewOf(t, f, perception.SourceOf(gatewaytest.Card()), image.Rectangle{}).Find(v.Rows[0].ID); !ok {
		t.Error("the part's id is not one of the image's")
	}
}

// TestBlank checks that the model is not asked about a blank image, because it would point at
// something.
func TestBlank(t *testing.T) {
	t.Parallel()
	s := &server{said: `{"x": 25, "y": 25}`}
	f := finder(t, s)
	v := viewOf(t, f, perception.SourceOf(gatewaytest.Screen("", "")), image.Rectangle{})
	if got, err := f.Locate(t.Context(), v, "the white panel"); err != nil || !v.Blank() || len(got.Matches) != 0 || s.width.Load() != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestProse checks that the model describes a view if there is a model.
func TestProse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		model *server
		want  query.Prose
		code  sdkapi.Code
	}{
		"no model": {nil, query.Prose{Provider: "offline"}, ""},
		"a model":  {&server{said: "A form."}, query.Prose{Text: "A form.", Provider: "claude"}, ""},
		"it fails": {&server{status: 401}, query.Prose{Provider: "offline"}, sdkapi.ModelError},
	} {
		t.Run(name, func(t *testing.T) {
			f := finder(t, tt.model)
			got, err := f.Prose(t.Context(), viewOf(t, f, form, image.Rectangle{}))
			code := sdkapi.Code("")
			if got.Fallback != nil {
				code = fault.CodeOf(got.Fallback)
				got.Fallback = nil
			}
			if err != nil || got != tt.want || code != tt.code {
				t.Errorf("%s: %+v with %s, %v", name, got, code, err)
			}
		})
	}
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	f := finder(t, nil)
	v := viewOf(t, f, form, image.Rectangle{})
	for n, want := range map[int]sdkapi.Code{1000: "", 1001: sdkapi.ValidationError} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if _, err := f.Locate(t.Context(), v, strings.Repeat("x", n)); err != nil != (want != "") || err != nil && fault.CodeOf(err) != want {
				t.Errorf("%d bytes: %v", n, err)
			}
		})
	}
}
