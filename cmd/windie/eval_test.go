package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/evaluate"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// evalDir returns the folder of screens to read: EVAL_DIR, or the project's
// sample screen.
func evalDir(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("EVAL_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(testkit.RepoRoot(t), "examples", "click-target")
}

// Every route answers about every screen.
func TestEveryRouteAnswers(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	client, err := sdk.New(serveForTest(t))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(evalDir(t), "*.png"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no screens in %s: %v", evalDir(t), err)
	}
	for _, file := range files {
		rows, image := readScreen(t, client, file)
		askEveryRoute(t, client, image, rows)
	}
}

// readScreen uploads a screen and reads it.
func readScreen(t *testing.T, client *sdk.Client, file string) ([]sdkapi.Row, sdkapi.ImageSource) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := client.UploadArtifact(t.Context(), filepath.Base(file), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	image := sdk.Stored(stored.ArtifactID)
	run, err := client.OCR.Run(t.Context(), image)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return run.Results, image
}

// askEveryRoute fails the test if a route does not answer about a screen.
func askEveryRoute(t *testing.T, client *sdk.Client, image sdkapi.ImageSource, rows []sdkapi.Row) {
	t.Helper()
	if len(rows) == 0 {
		t.Fatal("nothing was read")
	}
	row := rows[len(rows)/2]
	ask := sdkapi.OCRTextRequest{Image: image, Text: row.Text}
	_, err := client.OCR.FindText(t.Context(), ask)
	_, err2 := client.OCR.FindTextCandidates(t.Context(), ask)
	again, err3 := client.OCR.ResolveCandidate(t.Context(), sdkapi.OCRResolveCandidateRequest{Image: image, CandidateID: row.CandidateID})
	inspected, err4 := client.OCR.Inspect(t.Context(), sdkapi.OCRInspectRequest{Image: image, Text: &row.Text, IncludeOverlay: true})
	drawn, err5 := client.OCR.Overlay(t.Context(), sdkapi.OCROverlayRequest{Image: image})
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	if again.Match.BBox != row.BBox || len(inspected.Results) != len(rows) || drawn.AnnotationCount != len(rows) {
		t.Errorf("the routes disagree about %q", row.Text)
	}
}

// The sample screen is read well, and the questions about it are answered.
func TestEvalCommand(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	dir := filepath.Join(testkit.RepoRoot(t), "examples", "click-target")
	code, out, complaint := windie(t, nil, "eval", dir, "--json")
	var e evaluate.Evaluation
	if err := json.Unmarshal([]byte(out), &e); code != 0 || err != nil {
		t.Fatalf("%d, %v\n%s%s", code, err, out, complaint)
	}
	if e.WordRecall < 0.9 || e.Precision < 0.9 || e.Located < e.WordRecall || e.Resolve.Found != 1 || e.Resolve.Ambiguous != 1 || e.Resolve.Missing != 1 {
		t.Errorf("%+v", e)
	}
	s := e.Screens[0]
	if s.Name != "screen" || s.WordRecall != e.WordRecall || len(s.Missed) != int(math.Round(float64(s.Words)*(1-s.WordRecall))) {
		t.Errorf("%+v", s)
	}
	if e.Cold <= 0 || e.Same <= 0 || e.Changed <= 0 || e.Cold != s.Cold || e.Same != s.Same || e.Changed != s.Changed || e.Looking != s.Looking {
		t.Errorf("%+v, and of the one screen %+v", e, s)
	}
}

// As a table, and with the program tesseract.
func TestEvalCommandWithTesseract(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tesseract"); err != nil {
		testkit.Skip(t, "the program tesseract", "make deps")
	}
	code, out, _ := windie(t, nil, "eval", filepath.Join(testkit.RepoRoot(t), "examples", "click-target"), "--engine", "tesseract")
	for _, want := range []string{"resolve: found 1.000 of 4, ambiguous 1.000 of 2, missing 1.000 of 1\n", "times as long as the same again"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%d, without %q\n%s", code, want, out)
		}
	}
}

// A problem of a folder or a flag names the folder or the flag.
func TestEvalFailures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string
		args  []string
		code  int
		text  string
	}{
		"no screens":        {nil, nil, exitFailed, "expected NAME.png with NAME.json"},
		"no labels":         {map[string]string{"a.png": ""}, nil, exitFailed, "a.json: cannot be read: no such file"},
		"broken labels":     {map[string]string{"a.png": "", "a.json": `{"dpr":1,`}, nil, exitFailed, "a.json: unexpected end"},
		"a wrong type":      {map[string]string{"a.png": "", "a.json": `{"words":"none"}`}, nil, exitFailed, "a.json: json: cannot unmarshal string"},
		"no size of pixel":  {map[string]string{"a.png": "", "a.json": `{"dpr":0}`}, nil, exitFailed, "a.json: dpr is 0"},
		"broken questions":  {map[string]string{"a.png": "", "a.json": `{}`, "questions.json": `[{]`}, nil, exitFailed, "questions.json: invalid character"},
		"an answer unknown": {map[string]string{"a.png": "", "a.json": `{}`, "questions.json": `[{"screen":"a","kind":"resolve","text":"x","expect":"foun"}]`}, nil, exitFailed, `questions.json: question 1: the field "expect" of the question is "foun"`},
		"no box": {map[string]string{"a.png": "", "a.json": `{}`, "questions.json": `[{"kind":"other"},{"screen":"a","kind":"resolve","text":"x","expect":"found"}]`}, nil, exitFailed,
			"questions.json: question 2: the question expects to find \"x\", but has no box"},
		"no box of a description": {map[string]string{"a.png": "", "a.json": `{}`, "questions.json": `[{"screen":"a","kind":"locate","description":"the x"}]`}, nil, exitFailed,
			"questions.json: question 1: the question expects to find \"the x\", but has no box"},
		"no description": {map[string]string{"a.png": "", "a.json": `{}`, "questions.json": `[{"screen":"a","kind":"locate","text":"x","expect":"missing"}]`}, nil, exitFailed,
			"questions.json: question 1: the question must name a screen, and a text or description to look for"},
		"no picture":       {map[string]string{"a.png": "text", "a.json": `{}`}, nil, exitFailed, "a.png: perception.Decode: the data is not an image"},
		"a part no one":    {nil, []string{"--held", "some"}, exitUsage, `--held: invalid kind "some"; expected only or without`},
		"none held":        {map[string]string{"a.png": "", "a.json": `{}`}, []string{"--held", "only"}, exitFailed, "contains none of the requested screens"},
		"an engine no one": {nil, []string{"--engine", "crystal-ball"}, exitUsage, `ocr.engine (WINDIE_OCR_ENGINE): "crystal-ball" is not one of: `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, content := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			code, out, complaint := windie(t, nil, append([]string{"eval", dir}, tt.args...)...)
			if code != tt.code || !strings.Contains(complaint, tt.text) || strings.Count(complaint, dir) > 1 {
				t.Errorf("%d, want %d and %q\n%s%s", code, tt.code, tt.text, out, complaint)
			}
		})
	}
}
