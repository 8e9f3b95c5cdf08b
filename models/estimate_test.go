package models_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/windieos/windie/models"
)

func TestEstimate(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"": 0, "a": 1, "abcd": 1, "abcde": 2, "日本": 2, "café": 2, strings.Repeat("word ", 800): 800, "x, y": 1, `{"x":12}`: 5, "a\n\n\n  b": 2, "\x00\x01": 2,
	} {
		t.Run(fmt.Sprintf("%.60q", s), func(t *testing.T) {
			if got := models.EstimateText(s); got != want {
				t.Errorf("%.10q: %d", s, got)
			}
		})
	}
	for _, tt := range []struct{ w, h, want int }{{1, 1, 85}, {300, 300, 120}, {1000, 750, 1000}, {1920, 1080, 1600}} {
		t.Run(fmt.Sprintf("%dx%d", tt.w, tt.h), func(t *testing.T) {
			var b bytes.Buffer
			if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, tt.w, tt.h))); err != nil {
				t.Fatal(err)
			}
			if got := models.EstimateImage(models.Image{Data: b.Bytes()}); got != tt.want {
				t.Errorf("%dx%d: %d", tt.w, tt.h, got)
			}
		})
	}
	if got := models.EstimateImage(models.Image{Data: []byte("?")}); got != 1600 {
		t.Errorf("what is no image: %d", got)
	}
	req := models.Request{
		System: "abcd", Messages: []models.Message{text(models.User, "abcd"), call("1"), result("1", "abcd"), thought("test"), {Role: models.User, Parts: []models.Part{{Image: &models.Image{}}}}},
		Tools: []models.Tool{{Name: "abcd", Description: "abcd", Schema: json.RawMessage(`{   }`)}},
	}
	if got, want := models.Estimate(req), 1+5*4+1+(4+1+1)+(4+1)+1+1600+12+1+1+1; got != want {
		t.Errorf("a request: %d, not %d", got, want)
	}
}
