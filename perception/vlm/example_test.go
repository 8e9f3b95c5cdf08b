package vlm_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/disintegration/imaging"

	"github.com/windieos/windie/perception/vlm"
)

// A server says where the search button is on the image that it got, which is
// smaller than the screen; the point comes out on the screen, on the button
// that was found there otherwise.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream(`{"point_2d": [630, 98]}`))
	}))
	defer server.Close()
	web := &http.Client{Transport: &http.Transport{}}
	defer web.CloseIdleConnections()

	client, err := vlm.Open(vlm.Config{URL: server.URL, Model: "Qwen/Qwen2.5-VL-7B-Instruct", Looks: vlm.LooksOnce, HTTPClient: web})
	if err != nil {
		fmt.Println(err)
		return
	}
	screen := imaging.New(1440, 900, color.White)
	found, err := client.Locate(context.Background(), screen, "the search button")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Looks[0].Sent, found.Point, found.Space, found.Family, found.Usage.Total())

	buttons := []image.Rectangle{image.Rect(100, 90, 180, 120), image.Rect(725, 90, 805, 120)}
	fmt.Println(vlm.Snap(found.Point, buttons, 12))
	// Output:
	// (1260,784) (720,112) pixels qwen2.5-vl 110
	// 1 (765,105)
}
