package vlm_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception/vlm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key is the key that the servers want.
const key = "sk-canary-0123456789"

// asked is what a server was sent.
type asked struct {
	Model       string   `json:"model"`
	MaxTokens   int      `json:"max_tokens"`
	Temperature *float64 `json:"temperature"`
	Messages    []struct {
		Content []struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			ImageURL struct {
				URL string `json:"url"`
			} `json:"image_url"`
		} `json:"content"`
	} `json:"messages"`

	question string
	picture  image.Image
}

// server is a model's. It answers each look with what answer says of it.
type server struct {
	URL    string
	answer func(look int, a asked) string

	mu   sync.Mutex
	seen []asked
}

// serve starts a server, which is closed with the test.
func serve(t testing.TB, answer func(look int, a asked) string) *server {
	t.Helper()
	s := &server{answer: answer}
	web := httptest.NewServer(s)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	s.URL = web.URL + "/v1"
	return s
}

// says answers all looks in order, and the last again and again.
func says(answers ...string) func(int, asked) string {
	return func(look int, _ asked) string { return answers[min(look, len(answers)-1)] }
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var a asked
	body, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	if err == nil {
		err = json.Unmarshal(body, &a)
	}
	if err == nil {
		err = a.open()
	}
	if err != nil || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+key {
		http.Error(w, fmt.Sprintf("%s with the key %q: %v", r.URL.Path, r.Header.Get("Authorization"), err), http.StatusTeapot)
		return
	}
	s.mu.Lock()
	look := len(s.seen)
	s.seen = append(s.seen, a)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, stream(s.answer(look, a))) // it is gone, or it is not
}

// open reads the question and the picture out of what was sent.
func (a *asked) open() error {
	if len(a.Messages) != 1 || len(a.Messages[0].Content) != 2 {
		return fmt.Errorf("there are not an image and a text: %+v", a.Messages)
	}
	data, ok := strings.CutPrefix(a.Messages[0].Content[0].ImageURL.URL, "data:image/jpeg;base64,")
	if !ok {
		return fmt.Errorf("there is no image")
	}
	var err error
	a.picture, err = jpeg.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	a.question = a.Messages[0].Content[1].Text
	return err
}

// stream returns an answer as it comes over the wire, in two pieces.
func stream(text string) string {
	piece := func(s string) string {
		content, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return `data: {"choices":[{"index":0,"delta":{"content":` + string(content) + "}}]}\n\n"
	}
	return piece(text[:len(text)/2]) + piece(text[len(text)/2:]) +
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
		`data: {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}}` + "\n\ndata: [DONE]\n\n"
}

// open opens a client, with a transport that ends with the test.
func open(t testing.TB, cfg vlm.Config) *vlm.Client {
	t.Helper()
	cfg.APIKey, cfg.HTTPClient = models.NewSecret(key), &http.Client{Transport: &http.Transport{}}
	t.Cleanup(cfg.HTTPClient.CloseIdleConnections)
	client, err := vlm.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// red is the color of what is looked for.
var red = color.NRGBA{R: 220, A: 255}

// screenWith returns a grey screen with a red square of that side around a point.
func screenWith(size, at image.Point, side int) *image.NRGBA {
	img := testkit.Canvas(size.X, size.Y, color.NRGBA{90, 90, 90, 255})
	square := image.Rectangle{at, at}.Inset(-side / 2)
	draw.Draw(img, square, image.NewUniform(red), image.Point{}, draw.Src)
	return img
}

// find returns the middle of what is red in a picture, as a model sees it.
func find(img image.Image) (x, y float64, ok bool) {
	sumX, sumY, n := 0, 0, 0
	ycc := img.(*image.YCbCr)
	for py := range ycc.Rect.Dy() {
		for px := range ycc.Rect.Dx() {
			if ycc.Cr[ycc.COffset(px, py)] > 180 {
				sumX, sumY, n = sumX+px, sumY+py, n+1
			}
		}
	}
	return float64(sumX)/float64(n) + 0.5, float64(sumY)/float64(n) + 0.5, n > 0
}
