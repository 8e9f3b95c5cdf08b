package worker

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/sdkapi"
)

// A file that the gateway cannot give now, or not to its end, is asked for again. Each has a place of its own.
func TestFilesOfARun(t *testing.T) {
	t.Parallel()
	asked := atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch asked.Add(1) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.Header().Set("Content-Length", "100") // of which a few come
		}
		_, _ = io.WriteString(w, "a file")
	}))
	defer server.Close()
	var names []string
	w, err := New(Options{URL: server.URL, Tools: agent.NewRegistry().View(), Keep: func(name string, content io.Reader) error {
		text, err := io.ReadAll(content)
		if err == nil && string(text) == "a file" {
			names = append(names, name)
		}
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	j := newJob(t.Context(), w, &sdkapi.AssignedRun{RunID: "run-1", Files: []sdkapi.RunFile{
		{ArtifactID: "x", Filename: "a/x.txt"}, {ArtifactID: "y", Filename: `..\x.txt`}, {ArtifactID: "z", Filename: ".."},
	}})
	err = j.fetch()
	if want := []string{"runs/run-1/x.txt", "runs/run-1/2/x.txt", "runs/run-1/z"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v; want %q", names, err, want)
	}
}
