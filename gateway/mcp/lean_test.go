package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway/doors/doorstest"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
)

// tokens returns about how many tokens a text has: a quarter of its characters.
func tokens(text string) int { return (len([]rune(text)) + 3) / 4 }

// maxLeanShare is the largest share of the whole answer's tokens that the median lean answer of a tool may
// have.
var maxLeanShare = map[string]float64{
	"ocr_read": 0.08, "screen_elements": 0.15, "vision_describe": 0.15, "409 vision_locate": 0.15, "409 ocr_resolve_text": 0.15,
}

// lines returns the click points of a lean text by the texts after them.
func lines(text string) map[string][]image.Point {
	points := map[string][]image.Point{}
	for _, line := range strings.Split(text, "\n") {
		at, rest, _ := strings.Cut(line, " ")
		var p image.Point
		if n, _ := fmt.Sscanf(at, "%d,%d", &p.X, &p.Y); n == 2 {
			points[rest] = append(points[rest], p)
		}
	}
	return points
}

// has reports whether points have one in a box, and not on its far edges.
func has(points []image.Point, box sdkapi.Box) bool {
	return slices.ContainsFunc(points, func(p image.Point) bool { return p.In(box.Rect()) })
}

// A reader of the short text alone sees every row with a click point in its box, and each answer costs at
// most a small part of the whole one. go test -v prints the figures.
func TestMCPAnswersAreLean(t *testing.T) {
	t.Parallel()
	var screens []string
	for _, folder := range []string{"screens", "kits"} {
		list, err := filepath.Glob("../../perception/testdata/" + folder + "/*.png")
		if err != nil || len(list) < 20 {
			t.Fatal(folder, len(list), err)
		}
		screens = append(screens, list...)
	}
	if testing.Short() {
		screens = screens[:3]
	}
	const version = "2025-11-25"
	store := new(storetest.Memory)
	url := gatewaytest.Start(t, readers(t, store))
	header := doorstest.MCPSession(t, url, version)
	shares := map[string][]float64{}
	costs := map[string][4][]int{}
	for _, path := range screens {
		name := strings.TrimSuffix(filepath.Base(path), ".png")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			id, err := artifacts.Keep(t.Context(), store, data)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, tool := range []string{"ocr_read", "screen_elements", "vision_describe"} {
				whole := doorstest.MCPCall(t, url, version, tool, `{"image":"`+id+`","detail":true}`, header...)
				short := doorstest.MCPCall(t, url, version, tool, `{"image":"`+id+`"}`, header...)
				if whole.IsError || short.IsError {
					t.Fatal(tool, whole.Text(), short.Text())
				}
				checkWhole(t, tool, whole, short)
				if tool == "ocr_read" {
					found = ambiguous(t, whole)
				}
				was := [2]int{tokens(whole.Text()), tokens(string(whole.StructuredContent))}
				is := [2]int{tokens(short.Text()), tokens(string(short.StructuredContent))}
				c := costs[tool]
				for i, n := range []int{was[0], was[1], is[0], is[1]} {
					c[i] = append(c[i], n)
				}
				costs[tool] = c
				shares[tool] = append(shares[tool], float64(is[0])/float64(was[0]))
				shares[tool+" structure"] = append(shares[tool+" structure"], float64(is[1])/float64(was[1]))
			}
			asked := map[string]string{"vision_locate": `"description":"the button"`}
			for _, text := range found {
				quoted, _ := json.Marshal(text)
				asked["ocr_resolve_text"] = `"text":` + string(quoted)
			}
			for tool, what := range asked {
				r := doorstest.MCPCall(t, url, version, tool, `{"image":"`+id+`",`+what+`}`, header...)
				var failure sdkapi.Error
				if !r.IsError || json.Unmarshal(r.Meta.Error, &failure) != nil || failure.Code != sdkapi.AmbiguousMatch {
					continue
				}
				checkCandidates(t, r.Text(), failure)
				was, is := tokens("AMBIGUOUS_MATCH: "+failure.Message)+tokens(string(r.Meta.Error)), tokens(r.Text())
				kind := "409 " + tool
				c := costs[kind]
				c[0], c[2] = append(c[0], was), append(c[2], is)
				costs[kind] = c
				shares[kind] = append(shares[kind], float64(is)/float64(was))
			}
		})
	}
	for _, tool := range slices.Sorted(maps.Keys(maxLeanShare)) {
		list, c := shares[tool], costs[tool]
		t.Logf("%-20s of %d: text %d to %d, structure %d to %d tokens; the median shares are %.1f %% and %.1f %%",
			tool, len(c[0]), median(c[0]), median(c[2]), median(c[1]), median(c[3]), 100*median(list), 100*median(shares[tool+" structure"]))
		if most := maxLeanShare[tool]; median(list) > most {
			t.Errorf("%s: the median answer has %.1f %% of the tokens of the whole one, more than %.0f %%", tool, 100*median(list), 100*most)
		}
	}
}

// checkCandidates checks that the text of an error has each candidate with its number and click point, and no
// JSON.
func checkCandidates(t *testing.T, text string, failure sdkapi.Error) {
	t.Helper()
	if !strings.HasPrefix(text, "AMBIGUOUS_MATCH: ") || strings.Contains(text, `"candidates"`) || strings.Contains(text, "resolver_payload") {
		t.Errorf("an ambiguity: %s", text)
	}
	for i, c := range failure.Details.ResolverPayload.Candidates {
		if !strings.Contains(text, fmt.Sprintf("\n%d at %d,%d ", i+1, c.Center.X, c.Center.Y)) {
			t.Errorf("no candidate %d in: %s", i+1, text)
		}
	}
}

func median[T int | float64](list []T) T {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// ambiguous returns a text that several rows of a screen have, if there is one.
func ambiguous(t *testing.T, whole doorstest.MCPAnswer) (list []string) {
	t.Helper()
	var read sdkapi.OCRRunResult
	if err := json.Unmarshal(whole.StructuredContent, &read); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, row := range read.Results {
		if seen[row.Text] && len(row.Text) > 2 {
			return []string{row.Text}
		}
		seen[row.Text] = true
	}
	return nil
}

// checkWhole checks that a lean text has every row or element of the whole answer.
func checkWhole(t *testing.T, tool string, whole, short doorstest.MCPAnswer) {
	t.Helper()
	points := lines(short.Text())
	var structure struct {
		Lines []string
		Width int
	}
	if err := json.Unmarshal(short.StructuredContent, &structure); err != nil || structure.Width == 0 || !strings.HasSuffix(short.Text(), strings.Join(structure.Lines, "\n")) {
		t.Errorf("%s: the structure is not the text: %v %.200s", tool, err, short.StructuredContent)
	}
	if bytes.Contains(short.StructuredContent, []byte("confidence")) {
		t.Errorf("%s: the short answer has confidences", tool)
	}
	switch tool {
	case "ocr_read":
		var read sdkapi.OCRRunResult
		if err := json.Unmarshal(whole.StructuredContent, &read); err != nil || len(read.Results) == 0 || len(read.Results[0].Words) == 0 {
			t.Fatal(err)
		}
		for _, row := range read.Results {
			if !has(points[row.Text], row.BBox) {
				t.Errorf("ocr_read: no line with a point in the box of %q", row.Text)
			}
		}
	case "screen_elements":
		var list sdkapi.ScreenElementsResult
		if err := json.Unmarshal(whole.StructuredContent, &list); err != nil || len(list.Elements) == 0 {
			t.Fatal(err)
		}
		for _, e := range list.Elements {
			found := false
			for text, at := range points {
				found = found || (strings.HasPrefix(text, e.Line) || e.Role == "text" && text == strconv.Quote(e.Label)) && has(at, e.BBox)
			}
			// The line of an element around it may have its text, or its icon.
			inside := slices.ContainsFunc(list.Elements, func(outer sdkapi.Element) bool {
				return outer.ID != e.ID && (e.Label != "" && strings.Contains(outer.Line, e.Label) || e.Role == "icon") && e.BBox.Rect().Overlaps(outer.BBox.Rect()) && len(points[outer.Line]) > 0
			})
			if !found && !inside {
				t.Errorf("screen_elements: no line with a point in the box of %q", e.Line)
			}
		}
	case "vision_describe":
		var d sdkapi.VisionDescribeResult
		if err := json.Unmarshal(whole.StructuredContent, &d); err != nil || len(d.Text) == 0 {
			t.Fatal(err)
		}
		listed := 0
		for _, line := range d.Text {
			found := false
			for text, at := range points {
				found = found || strings.Contains(text, line.Text) && has(at, line.BBox)
			}
			if found {
				listed++
			}
		}
		if listed < min(len(d.Text), 18) || listed < len(d.Text) && !strings.Contains(short.Text(), "more texts") {
			t.Errorf("vision_describe: %d of %d texts in %s", listed, len(d.Text), short.Text())
		}
		if summary, _, _ := strings.Cut(d.Description, ". "); !strings.Contains(short.Text(), summary) {
			t.Errorf("vision_describe: no summary in %.200s", short.Text())
		}
	}
}
