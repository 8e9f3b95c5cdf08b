package main

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// TestServeDamaged refuses to serve from a damaged database, and says what to do.
func TestServeDamaged(t *testing.T) {
	t.Parallel()
	code, _, complaint := windie(t, nil, "serve", "--listen", "127.0.0.1:0", "--data-dir", damagedDatabase(t, 8192))
	for _, want := range []string{"windie.db is damaged", "windie restore", ".recover", "windie doctor"} {
		if code != exitDamaged || !strings.Contains(complaint, want) {
			t.Errorf("%d %s; want %d with %q", code, complaint, exitDamaged, want)
		}
	}
}

// TestCommandsOnDamaged ends a command on a damaged database with the exit code of the help page.
func TestCommandsOnDamaged(t *testing.T) {
	t.Parallel()
	code, _, complaint := windie(t, nil, "user", "list", "--data-dir", damagedDatabase(t, 8192))
	if code != exitDamaged || !strings.Contains(complaint, "is damaged") {
		t.Errorf("%d %s; want %d", code, complaint, exitDamaged)
	}
}

// TestReportsJoinedErrors prints the errors that nothing has printed, and only those.
func TestReportsJoinedErrors(t *testing.T) {
	t.Parallel()
	printed := silentError(exitFailed)
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"printed already":    {printed, ""},
		"both printed":       {errors.Join(printed, printed), ""},
		"one printed":        {errors.Join(printed, errors.New("no such plugin")), "windie: no such plugin\n"},
		"the second printed": {errors.Join(errors.New("no such plugin"), printed), "windie: no such plugin\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said strings.Builder
			if code := reportError(t.Context(), tt.err, &said); code != exitFailed || said.String() != tt.want {
				t.Errorf("%d %q, want %q", code, said.String(), tt.want)
			}
		})
	}
}

// TestDataFolderRemoved removes the data folder of a gateway that runs: what it would lose it does
// not acknowledge, and /ready says no.
func TestDataFolderRemoved(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(dir string) error{
		"removed":  os.RemoveAll,
		"replaced": func(dir string) error { return errors.Join(os.Rename(dir, dir+".old"), os.Mkdir(dir, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			url := serveForTest(t, "WINDIE_DATA_DIR="+dir)
			c, err := sdk.New(url, sdk.WithUser("ada"), sdk.WithRetries(0))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Install.Register(t.Context(), "Linux"); err != nil {
				t.Fatal(err)
			}
			if err := remove(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Install.Register(t.Context(), "Linux"); !errors.Is(err, &sdkapi.Error{Code: sdkapi.StateUnavailable}) {
				t.Errorf("a registration: %v", err)
			}
			var failed error
			for _, err := range c.Prompts.Start(t.Context(), sdkapi.PromptStart{Input: "hello"}) {
				failed = errors.Join(failed, err)
			}
			if !errors.Is(failed, &sdkapi.Error{Code: sdkapi.StateUnavailable}) {
				t.Errorf("a prompt: %v", failed)
			}
			if _, err := c.UploadArtifact(t.Context(), "a.txt", strings.NewReader("text")); err == nil {
				t.Error("an upload was acknowledged")
			}
			testkit.Eventually(t, "/ready says no", func() (int, bool) {
				resp, err := http.Get(url + sdkapi.ReadyPath)
				if err != nil {
					return 0, false
				}
				_ = resp.Body.Close()
				return resp.StatusCode, resp.StatusCode == http.StatusServiceUnavailable
			})
		})
	}
}

// TestDamagedArtifact damages what a gateway serves: it answers with an error, or breaks the
// connection off, hands out no wrong byte, and counts.
func TestDamagedArtifact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := serveForTest(t, "WINDIE_DATA_DIR="+dir)
	c, err := sdk.New(url, sdk.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("0123456789", 100_000)
	for name, at := range map[string]int{"in the first piece": 1000, "in a later one": 600_000} {
		t.Run(name, func(t *testing.T) {
			stored, err := c.UploadArtifact(t.Context(), "a.txt", strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.OpenFile(filepath.Join(dir, artifactsDir, stored.ArtifactID[:2], stored.ArtifactID), os.O_RDWR, 0)
			if err == nil {
				_, err = file.WriteAt([]byte("oops"), int64(at))
			}
			if err = errors.Join(err, file.Close()); err != nil {
				t.Fatal(err)
			}
			resp, err := http.Get(url + sdkapi.ArtifactsPath + stored.ArtifactID)
			if err != nil {
				t.Fatal(err)
			}
			got, readErr := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			switch {
			case at < artifacts.PieceSize && (resp.StatusCode != http.StatusInternalServerError || !strings.Contains(string(got), string(sdkapi.ArtifactDamaged))):
				t.Errorf("%d %.200s", resp.StatusCode, got)
			case at >= artifacts.PieceSize && (readErr == nil || len(got) >= at || !strings.HasPrefix(text, string(got))):
				t.Errorf("%d bytes, then %v", len(got), readErr)
			}
			if code, _, said := windie(t, nil, "scrub", "--data-dir", dir, "--rate", "1"); code != exitUsage || !strings.Contains(said, "--rate: must be 0, or at least") {
				t.Errorf("a byte per second: %d %s", code, said)
			}
			if code, out, _ := windie(t, nil, "scrub", "--data-dir", dir); code != exitFailed || !strings.Contains(out, stored.ArtifactID) {
				t.Errorf("scrub: %d %s", code, out)
			}
			if code, out, _ := windie(t, nil, "doctor", "--data-dir", dir); code != exitFailed || !strings.Contains(out, "then run windie scrub") {
				t.Errorf("doctor: %d %s", code, out)
			}
		})
	}
	resp, err := http.Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if figures, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(figures), "windie_artifact_damage_met_total 2") {
		t.Errorf("the figures do not count two reads: %v", err)
	}
}
