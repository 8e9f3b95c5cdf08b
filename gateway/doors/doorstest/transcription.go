package doorstest

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/models/speech/transcription"
)

// Transcribing returns a transcriber that uploads files to a server. The server returns fixed texts for the first two
// files and fails at the third.
func Transcribing(t *testing.T) transcription.Transcriber {
	t.Helper()
	answers := []string{`{"text":" Open the settings."}`, `{"text":"Close it."}`}
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(asked.Add(1))
		if n > len(answers) {
			http.Error(w, "the file is too loud", http.StatusBadRequest)
			return
		}
		_, _ = w.Write([]byte(answers[n-1]))
	}))
	t.Cleanup(server.Close)
	return transcription.NewUploads(transcription.UploadsOptions{URL: server.URL, Model: "whisper-1"})
}
