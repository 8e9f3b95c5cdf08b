package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/perception"
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
	var e evaluation
	if err := json.Unmarshal([]byte(out), &e); code != 0 || err != nil {
		t.Fatalf("%d, %v\n%s%s", code, err, out, complaint)
	}
	if e.WordRecall < 0.9 || e.Precision < 0.9 || e.Located < e.WordRecall || e.Resolve != (resolved{1, 1, 1}) {
		t.Errorf("%+v", e)
	}
	s := e.Screens[0]
	if s.Name != "screen" || s.WordRecall != e.WordRecall || len(s.Missed) != int(math.Round(float64(s.Words)*(1-s.WordRecall))) {
		t.Errorf("%+v", s)
	}
	if e.MSCold <= e.MSSame || e.MSChanged <= e.MSSame {
		t.Errorf("cold %v ms, same %v ms, changed %v ms", e.MSCold, e.MSSame, e.MSChanged)
	}
	if code, out, _ := windie(t, nil, "eval", dir); code != 0 || !strings.Contains(out, "resolve: found 1.000") {
		t.Errorf("as a table: %d\n%s", code, out)
	}
	if code, _, complaint := windie(t, nil, "eval", t.TempDir()); code != exitFailed || !strings.Contains(complaint, "NAME.png") {
		t.Errorf("an empty folder: %d %s", code, complaint)
	}
}

// What counts as read, and what counts neither way.
func TestScore(t *testing.T) {
	t.Parallel()
	want := truth{DPR: 2, Ignore: [][4]float64{{200, 0, 50, 50}}, Words: []trueWord{
		{Text: "Don’t", X: 0, Y: 0, W: 20, H: 10},
		{Text: "Save", X: 30, Y: 0, W: 20, H: 10},
		{Text: "Open", X: 60, Y: 0, W: 20, H: 10},
		{Text: "•", X: 90, Y: 0, W: 5, H: 10},
		{Text: "secret", X: 100, Y: 0, W: 50, H: 10, Field: true},
	}}
	word := func(text string, x int) perception.Word {
		return perception.Word{Text: text, Box: image.Rect(x, 2, x+40, 18)}
	}
	got := want.score([]perception.Row{{Words: []perception.Word{
		word("Don't", 0), word("Safe", 62), word("ghost", 500), word("secret", 210), word("ignored", 410), word("|", 300), word("twice", 2),
	}}})
	if got.words != 3 || got.hit != 1 || got.placed != 2 || got.extra != 3 {
		t.Errorf("%+v", got)
	}
	if len(got.missed) != 2 || *got.missed[0].Read != "Safe" || got.missed[1].Read != nil {
		t.Errorf("missed %+v", got.missed)
	}
}
