package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// output collects what a command prints, and may be read meanwhile.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// windie runs a command to its end.
func windie(t *testing.T, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, complaint output
	code = run(t.Context(), args, []string{"WINDIE_DATA_DIR=" + t.TempDir()}, stdin, &out, &complaint)
	return code, out.String(), complaint.String()
}

var readyLine = regexp.MustCompile(`Windie is ready at (http://\S+)`)

// serveForTest runs `windie serve` until the test ends, with variables added
// to its environment, and returns its URL as it prints it.
func serveForTest(t *testing.T, variables ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var out, complaint output
	ended := make(chan int, 1)
	environ := []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_LISTEN=127.0.0.1:0", "PATH=" + os.Getenv("PATH")}
	environ = append(environ, variables...)
	go func() { ended <- run(ctx, []string{"serve"}, environ, nil, &out, &complaint) }()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("serve ended with %d:\n%s", code, complaint.String())
		}
	})
	said := testkit.Eventually(t, "serve says that it is ready", func() (string, bool) {
		said := out.String()
		return said + complaint.String(), readyLine.MatchString(said)
	})
	return readyLine.FindStringSubmatch(said)[1]
}

// The whole program: started by its command line, used by its client, asked
// by its doctor.
func TestServe(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	url := serveForTest(t)
	client, err := sdk.New(url)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := client.UploadArtifact(t.Context(), "card.png", bytes.NewReader(gatewaytest.Card()))
	if err != nil {
		t.Fatal(err)
	}
	found, err := client.OCR.ResolveText(t.Context(), sdkapi.OCRTextRequest{Image: sdk.Stored(stored.ArtifactID), Text: "Check out"})
	if err != nil || found.Match.Text != "Check out" {
		t.Errorf("%+v, %v", found, err)
	}
	code, out, _ := windie(t, nil, "doctor", "--running", "--listen", strings.TrimPrefix(url, "http://"))
	if code != 0 || !strings.Contains(out, "windie ") {
		t.Errorf("doctor --running: %d\n%s", code, out)
	}
	code, _, complaint := windie(t, nil, "serve", "--listen", strings.TrimPrefix(url, "http://"))
	if code != exitFailed || !strings.Contains(complaint, "WINDIE_LISTEN") {
		t.Errorf("a second gateway there: %d %s", code, complaint)
	}
}

// A gateway without the network of its language starts, keeps what is sent to it,
// and names the missing file and its folder in answers. It reads as soon as the
// file is there, without a restart.
func TestServeWithoutNetwork(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	dir := t.TempDir()
	url := serveForTest(t, "WINDIE_TESSDATA="+dir, "WINDIE_OCR_LANGUAGES=jpn")
	client, err := sdk.New(url)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := client.UploadArtifact(t.Context(), "card.png", bytes.NewReader(gatewaytest.Card()))
	if err != nil {
		t.Fatal(err)
	}
	told := "jpn.traineddata was not found in " + dir + ": install the package tesseract-ocr-jpn, or put jpn.traineddata"
	_, err = client.OCR.Run(t.Context(), sdk.Stored(stored.ArtifactID))
	if !errors.Is(err, &sdkapi.Error{Code: sdkapi.OCRUnavailable}) || !strings.Contains(err.Error(), told) {
		t.Errorf("ocr/run: %v", err)
	}
	if health, err := client.Health(t.Context()); err != nil || health.Healthy || !strings.HasPrefix(health.Checks[1].Message, told) {
		t.Errorf("health: %+v, %v", health, err)
	}
	code, out, _ := windie(t, nil, "doctor", "--running", "--listen", strings.TrimPrefix(url, "http://"))
	if code != exitFailed || !strings.Contains(out, "FAIL  ocr        "+told) {
		t.Errorf("doctor --running: %d\n%s", code, out)
	}
	if err := os.Symlink(testkit.Network(t), filepath.Join(dir, "jpn.traineddata")); err != nil {
		t.Fatal(err)
	}
	if run, err := client.OCR.Run(t.Context(), sdk.Stored(stored.ArtifactID)); err != nil || len(run.Results) != 3 {
		t.Errorf("once the file is there: %+v, %v", run, err)
	}
}

func TestOCRCommand(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	file := filepath.Join(t.TempDir(), "card.png")
	if err := os.WriteFile(file, gatewaytest.Card(), 0o600); err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(t.TempDir(), "overlay.png")
	code, out, complaint := windie(t, nil, "ocr", file, "--overlay", picture)
	if code != 0 || strings.Count(out, "Add to cart") != 2 {
		t.Errorf("all rows: %d\n%s%s", code, out, complaint)
	}
	if data, err := os.ReadFile(picture); err != nil || http.DetectContentType(data) != "image/png" {
		t.Errorf("the overlay: %v", err)
	}
	chinese := filepath.Join(testkit.RepoRoot(t), "perception", "testdata", "web", "web-settings-zh.png")
	code, out, complaint = windie(t, nil, "ocr", chinese)
	if code != 0 || !strings.Contains(out, "(not readable: cjk)") || !strings.Contains(complaint, "install the package tesseract-ocr-chi-sim") {
		t.Errorf("a Chinese screen: %d\n%s%s", code, out, complaint)
	}
	code, out, _ = windie(t, bytes.NewReader(gatewaytest.Card()), "ocr", "-", "--find", "check out", "--json")
	var answer sdkapi.OCRRunResult
	if err := json.Unmarshal([]byte(out), &answer); code != 0 || err != nil || len(answer.Results) != 1 || *answer.Results[0].Score < 0.98 {
		t.Errorf("one row as JSON: %d, %v\n%s", code, err, out)
	}
	if code, _, complaint := windie(t, nil, "ocr", file, "--find", "Add to cart"); code != exitFailed || !strings.Contains(complaint, "2 rows") {
		t.Errorf("two rows: %d %s", code, complaint)
	}
	if code, _, complaint := windie(t, nil, "ocr", file, "--find", "zebra"); code != exitFailed || !strings.Contains(complaint, "no row") {
		t.Errorf("no row: %d %s", code, complaint)
	}
}

// Each flag for it chooses one of two rows that match alike.
func TestOCRCommandNarrows(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	for _, tt := range []struct {
		args      []string
		code      int
		rows      string // the indexes printed
		complaint string
	}{
		{[]string{"--find", "Add to cart", "--occurrence", "2"}, 0, "2", ""},
		{[]string{"--find", "Add to cart", "--occurrence", "3"}, exitFailed, "", "only 2"},
		{[]string{"--find", "Add to cart", "--near", "check out"}, 0, "1", ""},
		{[]string{"--find", "Add to cart", "--near", "zebra"}, exitFailed, "1 2", "--near"},
		{[]string{"--find", "Add to cart", "--region", "0,105,360,55", "--languages", "eng"}, 0, "2", ""},
		{[]string{"--region", "0,0, 360,105"}, 0, "0 1", ""},
		{[]string{"--languages", "tlh"}, exitFailed, "", "tesseract-ocr-tlh"},
		{[]string{"--region", "0,0,360", "--occurrence", "-1", "--near", "x"}, exitUsage, "", "--region"},
		{[]string{"--region", "0,0,0,5"}, exitUsage, "", "--region"},
		{[]string{"--occurrence", "1"}, exitUsage, "", "--find"},
	} {
		t.Run(fmt.Sprint(tt.args), func(t *testing.T) {
			code, out, complaint := windie(t, bytes.NewReader(gatewaytest.Card()), append([]string{"ocr", "-"}, tt.args...)...)
			var rows []string
			for line := range strings.Lines(out) {
				rows = append(rows, strings.Fields(line)[0])
			}
			if code != tt.code || strings.Join(rows, " ") != tt.rows || !strings.Contains(complaint, tt.complaint) {
				t.Errorf("%v: %d\n%s%s", tt.args, code, out, complaint)
			}
		})
	}
}

// What cannot work says why, and with which exit code.
func TestFailures(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "note.txt")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"serve", "--listen", "0.0.0.0:1"}, exitUsage, "WINDIE_TRUSTED_NETWORK"},
		{[]string{"serve", "--config", "/not/there.yaml"}, exitUsage, "/not/there.yaml"},
		{[]string{"ocr", text}, exitFailed, "not an image"},
		{[]string{"ocr", "/not/there.png"}, exitFailed, "no such file"},
		{[]string{"ocr", text, "--threshold", "2"}, exitUsage, "--threshold"},
		{[]string{"doctor", "--ocr-languages", "jpn", "--ocr-tessdata", filepath.Dir(text)}, exitFailed, "FAIL  ocr        jpn.traineddata was not found in " + filepath.Dir(text) + ": install the package tesseract-ocr-jpn, or put jpn.traineddata"},
		{[]string{"doctor", "--running", "--listen", "127.0.0.1:1"}, exitFailed, "no gateway answers"},
		{[]string{"frobnicate"}, exitUsage, "unknown command"},
	} {
		t.Run(fmt.Sprint(tt.args), func(t *testing.T) {
			code, out, complaint := windie(t, nil, tt.args...)
			if code != tt.code || !strings.Contains(out+complaint, tt.text) {
				t.Errorf("%v: %d\n%s%s", tt.args, code, out, complaint)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	var b build
	if code, out, _ := windie(t, nil, "version", "--json"); code != 0 || json.Unmarshal([]byte(out), &b) != nil || b.Version != version || b.Arch != runtime.GOARCH ||
		len(b.Kernels) == 0 || b.Kernels[len(b.Kernels)-1] != "portable" {
		t.Errorf("version --json: %d\n%s", code, out)
	}
	if code, out, _ := windie(t, nil, "--version"); code != 0 || out != "windie "+version+"\n" {
		t.Errorf("--version: %d, %q", code, out)
	}
	if code, out, _ := windie(t, nil, "version"); code != 0 || out != "windie "+version+"\n" {
		t.Errorf("%d %q", code, out)
	}
}
