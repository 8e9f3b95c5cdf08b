package openai_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors/doorstest"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models/speech/pcm"
	"github.com/windieos/windie/sdkapi"
)

// transcribed uploads a silent recording and returns the status of the response.
func transcribed(t *testing.T, url string, seconds int) int {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "speech.wav")
	if err == nil {
		_, err = part.Write(pcm.WAV(make([]int16, 16000*seconds), 16000))
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url+sdkapi.OpenAITranscriptionsPath, w.FormDataContentType(), &form)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// A recording longer than the limit of sound takes the whole limit. A recording that is refused
// takes nothing.
func TestRecordingsAreCharged(t *testing.T) {
	t.Parallel()
	const limit, ok, refused = 60, http.StatusOK, http.StatusTooManyRequests
	for name, tt := range map[string]struct{ seconds, statuses []int }{
		"longer than the limit":   {[]int{3 * limit, 1}, []int{ok, refused}},
		"refused takes nothing":   {[]int{2, limit, limit - 2}, []int{ok, refused, ok}},
		"longer than is left":     {[]int{2, 3 * limit, limit - 2}, []int{ok, refused, ok}},
		"as long as the limit is": {[]int{limit, 1}, []int{ok, refused}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := gatewaytest.Start(t, gateway.App{
				Store: gatewaytest.Store(t, false), Models: doorstest.ModelAlone{Model: &doorstest.Obedient{}}, Transcriber: doorstest.Transcribing(t),
				Limits: quota.Limits{AddressSound: limit}, LimitWindow: 24 * 365 * time.Hour,
			})
			var got []int
			for _, seconds := range tt.seconds {
				got = append(got, transcribed(t, url, seconds))
			}
			if !slices.Equal(got, tt.statuses) {
				t.Errorf("recordings of %v s: statuses %v, want %v", tt.seconds, got, tt.statuses)
			}
		})
	}
}
