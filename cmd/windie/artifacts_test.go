package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/sdk"
)

// What was stored stays readable when the gateway starts again: with its state,
// and also without, as what is older than the state.
func TestArtifactsOutliveTheirState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var id string
	t.Run("first", func(t *testing.T) {
		stored, err := clientOf(t, serveForTest(t, "WINDIE_DATA_DIR="+dir, "WINDIE_ARTIFACT_TTL=1h")).
			UploadArtifact(t.Context(), "f", strings.NewReader("content"))
		if err != nil {
			t.Fatal(err)
		}
		if stored.ExpiresAt == nil || time.Until(*stored.ExpiresAt).Round(time.Minute) != time.Hour {
			t.Errorf("it expires at %v", stored.ExpiresAt)
		}
		id = stored.ArtifactID
	})
	for _, life := range []string{"second", "without its state"} {
		t.Run(life, func(t *testing.T) {
			r, _, err := clientOf(t, serveForTest(t, "WINDIE_DATA_DIR="+dir)).OpenArtifact(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if text, err := io.ReadAll(r); string(text) != "content" {
				t.Errorf("%q, %v", text, err)
			}
		})
		files, err := filepath.Glob(filepath.Join(dir, "windie.db*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("there is no state: %v", err)
		}
		for _, file := range files {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func clientOf(t *testing.T, url string) *sdk.Client {
	t.Helper()
	client, err := sdk.New(url)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
