package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/sdkapi"
)

// sampleScreen is the screen of the README.
func sampleScreen(t *testing.T) string {
	return filepath.Join(testkit.RepoRoot(t), "examples", "click-target", "screen.png")
}

// isPNG reports whether a file holds a PNG.
func isPNG(file string) bool {
	data, err := os.ReadFile(file)
	return err == nil && http.DetectContentType(data) == "image/png"
}

// The look command lists what was asked for, as a table and as JSON.
func TestLookCommand(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	marked := filepath.Join(t.TempDir(), "marked.png")
	for name, tt := range map[string]struct {
		args         []string
		lines        int // without the first, which names the columns; -1 for many
		has, lacking string
	}{
		"everything":   {nil, -1, `button `, ""},
		"a role":       {[]string{"--role", "button", "--text", "ADD TO CART"}, 2, `"Add to cart"`, "link"},
		"two roles":    {[]string{"--role", "button,field", "--region", "0,0,1280,64"}, -1, "button ", "text"},
		"a part":       {[]string{"--role", "button", "--text", "add to cart", "--region", "640,0,640,800"}, 1, ",564", ",563"},
		"marked":       {[]string{"--text", "check out", "--overlay", marked}, -1, "Check out", "Add to cart"},
		"in sentences": {[]string{"--describe"}, -1, "1280 x 800", "role"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, complaint := windie(t, nil, append([]string{"look", sampleScreen(t)}, tt.args...)...)
			if code != 0 || !strings.Contains(out, tt.has) || tt.lacking != "" && strings.Contains(out, tt.lacking+" ") {
				t.Errorf("%s: %d\n%s%s", name, code, out, complaint)
			}
			if lines := strings.Count(out, "\n") - 1; tt.lines >= 0 && lines != tt.lines {
				t.Errorf("%s: %d lines, want %d\n%s", name, lines, tt.lines, out)
			}
		})
	}
	if !isPNG(marked) {
		t.Error("nothing was marked")
	}
}

// As JSON there is what the routes answer.
func TestLookCommandAsJSON(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	_, out, _ := windie(t, nil, "look", sampleScreen(t), "--role", "button", "--text", "search", "--json")
	var listed sdkapi.ScreenElementsResult
	if err := json.Unmarshal([]byte(out), &listed); err != nil || listed.Total != 1 || len(listed.Elements) != 1 || listed.Elements[0].Label != "Search" || listed.Image.Width != 1280 {
		t.Errorf("%v\n%s", err, out)
	}
	_, out, _ = windie(t, nil, "look", sampleScreen(t), "--describe", "--json")
	var told sdkapi.VisionDescribeResult
	if err := json.Unmarshal([]byte(out), &told); err != nil || told.Provider != sdkapi.Offline || told.Theme != "light" || len(told.Controls) < 10 {
		t.Errorf("%v\n%s", err, out)
	}
}

// listOf returns elements as the routes list them, each with its place as its id.
func listOf(list ...elements.Element) (all []sdkapi.Element) {
	for i, e := range list {
		wire := sdkapi.Element{ID: strconv.Itoa(i), Role: string(e.Role), Label: e.Label}
		wire.BBox = sdkapi.Box{X: e.Box.Min.X, Y: e.Box.Min.Y, Width: e.Box.Dx(), Height: e.Box.Dy()}
		if e.Parent >= 0 {
			wire.Parent = new(strconv.Itoa(e.Parent))
		}
		all = append(all, wire)
	}
	return all
}

func box(x, y, w, h int) image.Rectangle { return image.Rect(x, y, x+w, y+h) }

func places(list []sdkapi.Element) string {
	var ids []string
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	return strings.Join(ids, " ")
}

// What is listed stands behind what it is in, beside it in reading order.
func TestListOrder(t *testing.T) {
	t.Parallel()
	all := listOf(
		elements.Element{Role: elements.Panel, Box: box(0, 0, 100, 100), Parent: -1},
		elements.Element{Role: elements.Panel, Box: box(0, 100, 100, 90), Parent: -1},
		elements.Element{Role: elements.Button, Box: box(50, 10, 20, 20), Parent: 0},
		elements.Element{Role: elements.Button, Box: box(10, 14, 20, 20), Parent: 0},
		elements.Element{Role: elements.Text, Box: box(52, 12, 10, 10), Parent: 2, Label: "Save"},
		elements.Element{Role: elements.Link, Box: box(10, 50, 10, 10), Parent: 0},
	)
	for want, o := range map[string]lookOptions{
		"0 3 2 4 5 1": {},
		"3 2":         {roles: []string{"button"}},
		"4 5":         {roles: []string{"link", "text"}},
		"4":           {text: "SAV"},
		"3 5":         {roles: []string{"link", "button"}, within: box(0, 0, 30, 100)},
	} {
		t.Run(want, func(t *testing.T) {
			if got := places(o.list(all)); got != want {
				t.Errorf("%+v: %s, want %s", o, got, want)
			}
		})
	}
	listed := new(lookOptions).list(all)
	if marks := marksOn(all, listed, false); len(marks) != 3 || marks[0].Label != "3" || marks[0].Color != marks[1].Color || marks[1].Color == marks[2].Color {
		t.Errorf("%+v", marks)
	}
	if marks := marksOn(all, listed, true); len(marks) != 6 {
		t.Errorf("with panels: %+v", marks)
	}
}

// The locate command prints one point, or why there is none.
func TestLocateCommand(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	marked := filepath.Join(t.TempDir(), "marked.png")
	for _, tt := range []struct {
		args []string
		code int
		out  string // a pattern of all that is printed
		told []string
	}{
		{[]string{"the orange Search button", "--overlay", marked}, 0, `^673,32\n$`, nil},
		{[]string{"the Add to cart button"}, exitFailed, "^$", []string{"2 things fit", `button "Add to cart"`}},
		{[]string{"the Add to cart button", "--region", "640,0,640,800"}, 0, `^(7|8)\d\d,56\d\n$`, nil},
		{[]string{"the Add to cart button", "--all"}, 0, `^4\d\d,56\d  1.00  blue button "Add to cart".*\n.*\n$`, nil},
		{[]string{"orange search button on the right side of the search bar"}, 0, `^673,32\n$`, nil},
		{[]string{"promo code field"}, 0, `^1062,372\n$`, nil}, // in the field, and not on its label
		{[]string{"email field"}, 0, `^1106,448\n$`, nil},
		{[]string{"the zebra button"}, exitFailed, "^$", []string{"nothing fits", "not met: zebra", "the nearest:"}},
		{[]string{"the zebra button", "--all"}, 0, "^$", nil},
		{[]string{" "}, exitUsage, "^$", []string{"DESCRIPTION: must say"}},
		{[]string{strings.Repeat("x", 1001), "--region", "1"}, exitUsage, "^$", []string{"DESCRIPTION: must be of at most 1000", "--region: must be"}},
		{[]string{"it", "--region", "1280,0,5,5"}, exitUsage, "^$", []string{"--region: its corner must lie"}},
	} {
		t.Run(fmt.Sprint(tt.args), func(t *testing.T) {
			code, out, complaint := windie(t, nil, append([]string{"locate", sampleScreen(t)}, tt.args...)...)
			if code != tt.code || !regexp.MustCompile(tt.out).MatchString(out) || len(tt.told) == 0 && complaint != "" {
				t.Errorf("%.40q: %d\n%s%s", tt.args, code, out, complaint)
			}
			for _, told := range tt.told {
				if !strings.Contains(complaint, told) {
					t.Errorf("%.40q does not tell %q\n%s", tt.args, told, complaint)
				}
			}
		})
	}
	if !isPNG(marked) {
		t.Error("nothing was marked")
	}
}

// As JSON there is what the routes answer, errors included.
func TestLocateCommandAsJSON(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	code, out, _ := windie(t, nil, "locate", sampleScreen(t), "the orange Search button", "--json")
	var one sdkapi.VisionLocateResult
	if err := json.Unmarshal([]byte(out), &one); code != 0 || err != nil || one.Match.Text != "Search" || one.Point.X != 673 || one.Provider != sdkapi.Offline {
		t.Errorf("%d, %v\n%s", code, err, out)
	}
	code, out, _ = windie(t, nil, "locate", sampleScreen(t), "the Add to cart button", "--json", "--all")
	var all sdkapi.VisionLocateAllResult
	if err := json.Unmarshal([]byte(out), &all); code != 0 || err != nil || len(all.Matches) != 2 || all.Matches[1].Hint == "" {
		t.Errorf("%d, %v\n%s", code, err, out)
	}
	for description, want := range map[string]sdkapi.Code{"the Add to cart button": sdkapi.AmbiguousMatch, "the zebra button": sdkapi.TargetNotFound} {
		t.Run(description, func(t *testing.T) {
			code, out, complaint := windie(t, nil, "locate", sampleScreen(t), description, "--json")
			var failed sdkapi.ErrorResponse
			err := json.Unmarshal([]byte(out), &failed)
			if p := failed.Error.Details.ResolverPayload; code != exitFailed || err != nil || failed.Error.Code != want || p == nil || len(p.Candidates) == 0 || complaint != "" {
				t.Errorf("%s: %d, %v\n%s%s", description, code, err, out, complaint)
			}
		})
	}
}

// The vision model of the settings is asked, and done without when it fails.
func TestLocateCommandAsksTheVisionModel(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	for name, tt := range map[string]struct {
		reply           modelstest.Reply
		out, told, json string
	}{
		"it points":        {modelstest.Reply{Text: []string{`{"point_2d": [434, 563]}`}}, "4", "", `"provider": "qwen2.5vl"`},
		"its key is wrong": {modelstest.Reply{Fault: modelstest.BadKey}, "673,32\n", "the vision model did not answer, so it was done without", `"fallback": {`},
	} {
		t.Run(name, func(t *testing.T) {
			s := modelstest.Serve(t, modelstest.OpenAI, tt.reply, tt.reply, tt.reply, tt.reply)
			args := []string{"locate", sampleScreen(t), "the orange Search button", "--vision-url", s.URL, "--vision-model", "qwen2.5vl"}
			if code, out, complaint := windie(t, nil, args...); code != 0 || !strings.HasPrefix(out, tt.out) || !strings.Contains(complaint, tt.told) {
				t.Errorf("%s: %d\n%s%s", name, code, out, complaint)
			}
			if code, out, complaint := windie(t, nil, append(args, "--json")...); code != 0 || !strings.Contains(out, tt.json) {
				t.Errorf("%s, as JSON: %d\n%s%s", name, code, out, complaint)
			}
		})
	}
}

// A picture that cannot be drawn does not take the place of a file.
func TestOverlayThatFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "marked.png")
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the pencil broke")
	if _, err := (&picture{overlay: file}).Keep(t.Context(), iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("drawn: %v", err)
	}
	if kept, err := os.ReadFile(file); err != nil || string(kept) != "before" {
		t.Errorf("the file has %q, %v", kept, err)
	}
}

// What is looked for and is not there ends with 1, as a table and as JSON; an empty picture of which nothing is asked does not.
func TestLookFindsNothing(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	var blank bytes.Buffer
	if err := png.Encode(&blank, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args []string
		code int
		told string
	}{
		"no text": {[]string{"--text", "zebra"}, exitFailed, "no element matches"},
		"no role": {[]string{"--role", "slider", "--json"}, exitFailed, "no element matches"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, complaint := windie(t, bytes.NewReader(blank.Bytes()), append([]string{"look", "-"}, tt.args...)...)
			if code != tt.code || !strings.Contains(complaint, tt.told) || strings.Contains(out, `"role"`) {
				t.Errorf("%d\n%s%s", code, out, complaint)
			}
		})
	}
	if err := new(lookOptions).verdict(new(bytes.Buffer), 0); err != nil {
		t.Errorf("nothing is looked for: %v", err)
	}
}
