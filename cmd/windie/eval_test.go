package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// TestEvalScreens asks a gateway every question about every screen of a
// folder, and tells how much it finds. The folder, EVAL_DIR, holds NAME.png
// with its true words in NAME.json, and questions.json; without it the
// project's sample screen is read. That every route answers is tested; how
// well is reported.
func TestEvalScreens(t *testing.T) {
	gatewaytest.Scenes(t)
	url := serveForTest(t)
	client, err := sdk.New(url)
	if err != nil {
		t.Fatal(err)
	}
	dir := os.Getenv("EVAL_DIR")
	if dir == "" {
		dir = filepath.Join(testkit.RepoRoot(t), "examples", "click-target")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no screens in %s", dir)
	}
	var total score
	answers := map[string]*tally{}
	questions := readQuestions(t, dir)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".png")
		start := time.Now()
		rows, image := readScreen(t, client, file)
		cold := time.Since(start)
		s := scoreWords(t, strings.TrimSuffix(file, ".png")+".json", rows)
		total.add(s)
		askEveryRoute(t, client, image, rows)
		for _, q := range questions {
			if q.Screen == name && q.Kind == "resolve" {
				count(answers, q.Expect, q.asExpected(t, client, image))
			}
		}
		t.Logf("%-20s %4d words  recall %.3f  precision %.3f  located %.3f  %5d ms", name, s.words, s.recall(), s.precision(), s.located(), cold.Milliseconds())
	}
	t.Logf("%-20s %4d words  recall %.3f  precision %.3f  located %.3f", "all", total.words, total.recall(), total.precision(), total.located())
	for _, expect := range []string{"found", "ambiguous", "missing"} {
		if a := answers[expect]; a != nil {
			t.Logf("resolve %-12s %d of %d", expect, a.right, a.asked)
		}
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

// question is one line of questions.json.
type question struct {
	Screen, Kind, Text, Expect string
	Box                        []float64 // x, y, width, height
}

func readQuestions(t *testing.T, dir string) []question {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "questions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []question
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// asExpected reports whether resolve-text answers the question rightly: with
// a point in the box, or with the failure that is due.
func (q question) asExpected(t *testing.T, client *sdk.Client, image sdkapi.ImageSource) bool {
	t.Helper()
	found, err := client.OCR.ResolveText(t.Context(), sdkapi.OCRTextRequest{Image: image, Text: q.Text})
	switch q.Expect {
	case "found":
		if err != nil {
			return false
		}
		x, y := float64(found.Match.Center.X), float64(found.Match.Center.Y)
		return x >= q.Box[0] && x <= q.Box[0]+q.Box[2] && y >= q.Box[1] && y <= q.Box[1]+q.Box[3]
	case "ambiguous":
		return errors.Is(err, &sdkapi.Error{Code: sdkapi.AmbiguousMatch})
	default:
		return errors.Is(err, &sdkapi.Error{Code: sdkapi.TextNotFound})
	}
}

// tally counts answers to one kind of question.
type tally struct{ right, asked int }

func count(tallies map[string]*tally, kind string, right bool) {
	if tallies[kind] == nil {
		tallies[kind] = new(tally)
	}
	tallies[kind].asked++
	if right {
		tallies[kind].right++
	}
}

// score counts words: those on the screen, those read rightly, those read at
// all in their place, and those read that are not there.
type score struct{ words, hit, placed, extra int }

func (s *score) add(o score) {
	s.words += o.words
	s.hit += o.hit
	s.placed += o.placed
	s.extra += o.extra
}

func (s score) recall() float64    { return ratio(s.hit, s.words) }
func (s score) located() float64   { return ratio(s.placed, s.words) }
func (s score) precision() float64 { return ratio(s.hit, s.hit+s.extra) }

func ratio(a, b int) float64 { return float64(a) / math.Max(float64(b), 1) }

// truth is what is really on a screen, in CSS pixels.
type truth struct {
	DPR    float64
	Words  []trueWord
	Ignore [][4]float64
}

type trueWord struct {
	Text       string
	X, Y, W, H float64
	Field      any // set for what stands in a form field: it counts neither way
}

// scoreWords compares what was read with what is there. A word read belongs to
// a true one when its middle lies within that one's box and three pixels more.
func scoreWords(t *testing.T, file string, rows []sdkapi.Row) score {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := truth{DPR: 1}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	var read []sdkapi.Word
	for _, r := range rows {
		for _, w := range r.Words {
			if hasText(w.Text) {
				read = append(read, w)
			}
		}
	}
	var s score
	used := make([]bool, len(read))
	for _, w := range want.Words {
		if w.Field != nil && w.Field != false || !hasText(w.Text) {
			continue
		}
		s.words++
		if i := w.readAs(read, used, want.DPR); i >= 0 {
			s.placed++
			if same(read[i].Text, w.Text) {
				s.hit++
				used[i] = true
			}
		}
	}
	for i, w := range read {
		if !used[i] && !want.ignores(w) {
			s.extra++
		}
	}
	return s
}

// readAs returns the index of the unused word read in w's place, rather one
// that is right, or -1.
func (w trueWord) readAs(read []sdkapi.Word, used []bool, dpr float64) int {
	best := -1
	for i, r := range read {
		x, y := middle(r)
		if used[i] || x < w.X*dpr-3 || x > (w.X+w.W)*dpr+3 || y < w.Y*dpr-3 || y > (w.Y+w.H)*dpr+3 {
			continue
		}
		best = i
		if same(r.Text, w.Text) {
			break
		}
	}
	return best
}

// ignores reports whether a word read lies in a form field or an ignored box.
func (tr truth) ignores(w sdkapi.Word) bool {
	x, y := middle(w)
	x, y = x/tr.DPR, y/tr.DPR
	in := func(bx, by, bw, bh float64) bool { return bx <= x && x <= bx+bw && by <= y && y <= by+bh }
	return slices.ContainsFunc(tr.Words, func(f trueWord) bool {
		return f.Field != nil && f.Field != false && in(f.X, f.Y, f.W, f.H)
	}) || slices.ContainsFunc(tr.Ignore, func(b [4]float64) bool { return in(b[0], b[1], b[2], b[3]) })
}

func middle(w sdkapi.Word) (x, y float64) {
	return float64(w.BBox.X) + float64(w.BBox.Width)/2, float64(w.BBox.Y) + float64(w.BBox.Height)/2
}

// folded are typographic marks that look alike.
var folded = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "−", "-", "·", ".", "•", ".",
	"›", ">", "»", ">", "‹", "<", "«", "<", "…", "...", "×", "x")

var space = regexp.MustCompile(`\s+`)

func same(a, b string) bool { return fold(a) == fold(b) }

func fold(s string) string { return space.ReplaceAllString(norm.NFKC.String(folded.Replace(s)), "") }

func hasText(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
