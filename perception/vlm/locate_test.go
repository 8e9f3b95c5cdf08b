package vlm_test

import (
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/perception/vlm"
	"github.com/windieos/windie/sdkapi"
)

// way is how a model of a family answers, given where on its picture something is.
type way struct {
	model, family string
	space         vlm.Space
	sent          image.Point // of a screen of 1440 x 900
	answer        func(x, y, w, h float64) string
}

// box returns the corners of a box around a point.
func box(x, y, by float64) []any {
	return []any{int(x - by), int(y - by), int(x + by), int(y + by)}
}

var ways = []way{
	{"Qwen/Qwen2.5-VL-7B-Instruct", "qwen2.5-vl", vlm.Pixels, image.Pt(1260, 784), func(x, y, _, _ float64) string {
		return fmt.Sprintf("```json\n[\n\t{\"point_2d\": [%.0f, %.0f], \"label\": \"red square (1, 2)\"}\n]\n```", x, y)
	}},
	{"qwen2.5vl:7b", "qwen2.5-vl", vlm.Pixels, image.Pt(1260, 784), func(x, y, _, _ float64) string {
		return fmt.Sprintf("```json\n[{\"bbox_2d\": [%d, %d, %d, %d], \"label\": \"red\"}]\n```", box(x, y, 8)...)
	}},
	{"ByteDance-Seed/UI-TARS-1.5-7B", "ui-tars-1.5", vlm.Pixels, image.Pt(1260, 784), func(x, y, _, _ float64) string {
		return fmt.Sprintf("Thought: The square is near (7, 7).\nAction: click(start_box='(%.0f,%.0f)')", x, y)
	}},
	{"UI-TARS-7B-DPO", "ui-tars", vlm.Thousandths, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf("Action: click(start_box='<|box_start|>(%.0f,%.0f)<|box_end|>')", 1000*x/w, 1000*y/h)
	}},
	{"qwen2-vl-7b", "qwen2-vl", vlm.Thousandths, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf("<|object_ref_start|>red<|object_ref_end|><|box_start|>(%d,%d),(%d,%d)<|box_end|>", box(1000*x/w, 1000*y/h, 5)...)
	}},
	{"qwen/qwen3-vl-8b", "qwen3-vl", vlm.Thousandths, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf("<think>Is it (3, 4)?</think>{\"point_2d\": [%.0f, %.0f]}", 1000*x/w, 1000*y/h)
	}},
	{"gemini-2.5-flash", "gemini", vlm.Thousandths, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf(`[{"point": [%.0f, %.0f], "label": "red"}]`, 1000*y/h, 1000*x/w)
	}},
	{"models/gemini-3-pro", "gemini", vlm.Thousandths, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf(`[{"box_2d": [%d, %d, %d, %d], "label": "red"}]`, box(1000*y/h, 1000*x/w, 4)...)
	}},
	{"OpenGVLab/InternVL3-8B", "internvl", vlm.Thousandths, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf("<ref>red square</ref><box>[[%d, %d, %d, %d]]</box>", box(1000*x/w, 1000*y/h, 5)...)
	}},
	{"OS-Copilot/OS-Atlas-Base-7B", "os-atlas", vlm.Thousandths, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf("CLICK <point>[[%.0f, %.0f]]</point>", 1000*x/w, 1000*y/h)
	}},
	{"showlab/ShowUI-2B", "showui", vlm.Ratio, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf("[%.2f, %.3f]", x/w, y/h)
	}},
	{"moonshotai/Kimi-VL-A3B", "aguvis", vlm.Ratio, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf("pyautogui.click(x=%.3f, y=%.3f)", x/w, y/h)
	}},
	{"THUDM/cogagent-9b-20241220", "cogagent", vlm.Thousandths, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf("Grounded Operation: CLICK(box=[[%03d,%03d,%03d,%03d]], element_type='item', element_info='[1, 2]')", box(1000*x/w, 1000*y/h, 5)...)
	}},
	{"zai-org/GLM-4.5V", "glm-v", vlm.Thousandths, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf("It is at <|begin_of_box|>[[%d,%d,%d,%d]]<|end_of_box|>.", box(1000*x/w, 1000*y/h, 5)...)
	}},
	{"doubao-1-5-thinking-vision-pro", "seed", vlm.Thousandths, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf("<point>%.0f %.0f</point>", 1000*x/w, 1000*y/h)
	}},
	{"allenai/Molmo-7B-D-0924", "molmo", vlm.Percent, image.Pt(1440, 900), func(x, y, w, h float64) string {
		return fmt.Sprintf(`<point x="%.1f" y="%.1f" alt="red square">red square</point>`, 100*x/w, 100*y/h)
	}},
	{"Hcompany/Holo1.5-7B", "holo-1", vlm.Pixels, image.Pt(1260, 784), func(x, y, _, _ float64) string {
		return fmt.Sprintf("Click(%.0f, %.0f)", x, y)
	}},
	{"claude-sonnet-4-5", "claude", vlm.Pixels, image.Pt(1356, 847), func(x, y, _, _ float64) string {
		return fmt.Sprintf(`{"x": %.0f, "y": %.0f}`, x, y)
	}},
	{"gpt-4o", "gpt", vlm.Pixels, image.Pt(1228, 768), func(x, y, _, _ float64) string {
		return fmt.Sprintf("click(%.0f, %.0f)", x, y)
	}},
	{"some-new-model", "plain", vlm.Pixels, image.Pt(1356, 847), func(x, y, _, _ float64) string {
		return fmt.Sprintf("The middle is at (%.0f, %.0f).", x, y)
	}},
}

// A model of each family sees the picture that it was sent, and answers in its
// family's way; the point comes out where the square is. Coordinates in
// thousandths and hundredths cannot be exact to a pixel.
func TestFamilies(t *testing.T) {
	t.Parallel()
	at := image.Pt(1033, 207)
	screen := screenWith(image.Pt(1440, 900), at, 24)
	for _, w := range ways {
		t.Run(w.model, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(_ int, a asked) string {
				x, y, _ := find(a.picture)
				size := a.picture.Bounds().Size()
				return w.answer(x, y, float64(size.X), float64(size.Y))
			})
			got, err := open(t, vlm.Config{URL: s.URL, Model: w.model, Looks: vlm.LooksOnce}).Locate(t.Context(), screen, "the red square")
			if err != nil {
				t.Fatal(err)
			}
			if d := got.Point.Sub(at); math.Hypot(float64(d.X), float64(d.Y)) > 8 || got.Space != w.space || got.Family != w.family {
				t.Errorf("%v in %s of %s", got.Point, got.Space, got.Family)
			}
			a := s.seen[0]
			if size := a.picture.Bounds().Size(); len(s.seen) != 1 || size != w.sent || got.Looks[0].Sent != w.sent {
				t.Errorf("%d pictures, the first of %v", len(s.seen), size)
			}
			if a.Model != w.model || a.MaxTokens == 0 || !strings.Contains(a.question, "the red square") || strings.ContainsAny(a.question, "{}") && strings.Contains(a.question, "{target}") {
				t.Errorf("asked %+v: %s", a, a.question)
			}
			if got.Usage.Total() != 110 || got.Confidence != 0.7 || got.Doubt != "" || got.Model != w.model || got.Took <= 0 || got.Looks[0].Said == "" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// On a large screen a second look makes the point exact, wherever it is.
func TestTwoLooks(t *testing.T) {
	t.Parallel()
	for i, at := range []image.Point{{1101, 603}, {9, 9}, {1989, 1291}, {12, 1290}, {1500, 40}} {
		screen := screenWith(image.Pt(2000, 1300), at, 15)
		for _, w := range ways {
			of := map[string]bool{"qwen2.5vl:7b": true, "gemini-2.5-flash": true} // for all places; for the first one more that differ in size or space
			if !of[w.model] && (i > 0 || !slices.Contains([]string{"internvl", "molmo", "claude", "gpt", "showui"}, w.family)) {
				continue
			}
			t.Run(fmt.Sprint(w.model, at), func(t *testing.T) {
				t.Parallel()
				s := serve(t, func(_ int, a asked) string {
					x, y, _ := find(a.picture)
					size := a.picture.Bounds().Size()
					return w.answer(x, y, float64(size.X), float64(size.Y))
				})
				got, err := open(t, vlm.Config{URL: s.URL, Model: w.model}).Locate(t.Context(), screen, "the red square")
				if err != nil || len(got.Looks) != 2 {
					t.Fatalf("%+v, %v", got, err)
				}
				if d := got.Point.Sub(at); max(d.X, -d.X, d.Y, -d.Y) > 7 || got.Confidence < 0.7 || got.Usage.Total() != 220 {
					t.Errorf("%v: %+v", got.Point, got)
				}
				crop := got.Looks[1]
				if !crop.Region.In(screen.Rect) || crop.Region.Size() != crop.Sent || crop.Sent != s.seen[1].picture.Bounds().Size() {
					t.Errorf("the second look is resampled: %v as %v", crop.Region, crop.Sent)
				}
			})
		}
	}
}

// What the second look finds is taken where it can be; where not, the first
// stays, and the result says so.
func TestLooksThatDisagree(t *testing.T) {
	t.Parallel()
	const model = "gemini-2.5-flash"
	screen := screenWith(image.Pt(2000, 1000), image.Pt(500, 500), 20)
	first := `[{"point": [500, 250]}]` // (500,500): the crop is (0,250)-(1000,750)
	for _, tt := range []struct {
		name, second string
		point        image.Point
		least, most  float64
		doubt        string
	}{
		{"agrees", `[{"point": [500, 500]}]`, image.Pt(500, 500), 0.9, 0.9, ""},
		{"is near", `[{"point": [520, 510]}]`, image.Pt(510, 510), 0.85, 0.9, ""},
		{"is far off", `[{"point": [100, 900]}]`, image.Pt(900, 300), 0.5, 0.6, "at a different place than (500,500)"},
		{"is outside", `[{"point": [500, 1400]}]`, image.Pt(500, 500), 0.3, 0.3, "outside"},
		{"sees nothing", "none", image.Pt(500, 500), 0.3, 0.3, "does not find the target"},
		{"sees several", `[{"point": [1, 2]}, {"point": [300, 400]}]`, image.Pt(500, 500), 0.3, 0.3, "several"},
		{"is junk", "The button!", image.Pt(500, 500), 0.3, 0.3, "no point"},
		{"says nothing", "", image.Pt(500, 500), 0.3, 0.3, "answer is empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, says(first, tt.second))
			got, err := open(t, vlm.Config{URL: s.URL, Model: model}).Locate(t.Context(), screen, "it")
			if err != nil || got.Point != tt.point || got.Confidence < tt.least || got.Confidence > tt.most || len(got.Looks) != 2 {
				t.Errorf("%+v, %v", got, err)
			}
			if (got.Doubt == "") != (tt.doubt == "") || !strings.Contains(got.Doubt, tt.doubt) {
				t.Errorf("doubt: %s", got.Doubt)
			}
		})
	}
}

// How often to look can be chosen, and follows from the screen otherwise.
func TestHowOftenToLook(t *testing.T) {
	t.Parallel()
	small, large := screenWith(image.Pt(800, 600), image.Pt(400, 300), 20), screenWith(image.Pt(2000, 1000), image.Pt(400, 300), 20)
	for _, tt := range []struct {
		looks vlm.Looks
		large bool
		want  int
	}{{vlm.LooksAsNeeded, false, 1}, {vlm.LooksAsNeeded, true, 2}, {vlm.LooksOnce, true, 1}, {vlm.LooksTwice, false, 2}} {
		t.Run(fmt.Sprint(tt.looks, " ", tt.large), func(t *testing.T) {
			s := serve(t, says(`{"x": 300, "y": 200}`, `{"x": 128, "y": 100}`))
			screen := small
			if tt.large {
				screen = large
			}
			got, err := open(t, vlm.Config{URL: s.URL, Model: "claude-opus", Looks: tt.looks}).Locate(t.Context(), screen, "it")
			if err != nil || len(got.Looks) != tt.want {
				t.Errorf("%+v: %+v, %v", tt, got, err)
			}
		})
	}
}

// Answers without one point are faults that programs and people can distinguish.
func TestMisses(t *testing.T) {
	t.Parallel()
	screen := screenWith(image.Pt(800, 600), image.Pt(400, 300), 20)
	for _, tt := range []struct {
		answer string
		code   sdkapi.Code
		why    vlm.Why
		told   string
	}{
		{"none", sdkapi.TargetNotFound, vlm.Absent, "does not find the target: none"},
		{"```json\n[]\n```", sdkapi.TargetNotFound, vlm.Absent, "does not find the target"},
		{`{"point_2d": null}`, sdkapi.TargetNotFound, vlm.Absent, "does not find the target"},
		{"[-1, -1]", sdkapi.TargetNotFound, vlm.Absent, "does not find the target"},
		{"I'm sorry, but there is no red square in this screenshot.", sdkapi.TargetNotFound, vlm.Absent, "I'm sorry, but there is no red square"},
		{"I'm sorry, I can't assist with that.", sdkapi.ModelError, vlm.Refused, "refused: I'm sorry, I can't assist with that."},
		{"As an AI model I do not click. " + strings.Repeat("long ", 200), sdkapi.ModelError, vlm.Refused, "…"},
		{"The button is in the top right corner.", sdkapi.TargetNotFound, vlm.Unclear, "has no point: The button"},
		{"12", sdkapi.TargetNotFound, vlm.Unclear, "has no point"},
		{"\x00\x01\xff¿¿¿", sdkapi.TargetNotFound, vlm.Unclear, "has no point"},
		{`{"x": 900, "y": 20}`, sdkapi.ModelError, vlm.Outside, "outside the image"},
		{`{"x": -5, "y": 20}`, sdkapi.ModelError, vlm.Outside, "outside the image"},
		{`{"x": ` + strings.Repeat("9", 400) + `, "y": 20}`, sdkapi.ModelError, vlm.Outside, "outside the image"},
		{`[{"x": 10, "y": 20}, {"x": 300, "y": 400}]`, sdkapi.AmbiguousMatch, vlm.Several, "(10,20), (300,400)"},
		{"", sdkapi.ModelError, "", "answer is empty"},
		{strings.Repeat("so ", 20_000), sdkapi.ModelError, "", "stopped the vision model's answer"},
	} {
		t.Run(tt.answer[:min(len(tt.answer), 20)], func(t *testing.T) {
			t.Parallel()
			s := serve(t, says(tt.answer))
			got, err := open(t, vlm.Config{URL: s.URL, Model: "m"}).Locate(t.Context(), screen, "the red square")
			f := fault.From(err)
			if f == nil || f.Code != tt.code || !strings.Contains(f.Message, tt.told) || len(f.Message) > 400 {
				t.Fatalf("%v", err)
			}
			m, _ := errors.AsType[*vlm.Miss](err)
			if (m == nil) != (tt.why == "") || m != nil && (m.Why != tt.why || tt.why == vlm.Several && len(m.Points) != 2) {
				t.Errorf("%+v", m)
			}
			if len(got.Looks) != 1 || got.Looks[0].Err == nil || got.Confidence != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// The fault of a server that fails says what may be done about it, in time, and
// without the key.
func TestServersThatFail(t *testing.T) {
	t.Parallel()
	testFailures(t, []failure{
		{"401", []modelstest.Reply{fails(modelstest.BadKey), well}, sdkapi.ModelError, 1},
		{"429 for longer than there is time", []modelstest.Reply{fails(modelstest.RateLimit), well}, sdkapi.ModelRateLimited, 1},
		{"500 once", []modelstest.Reply{fails(modelstest.Broken), well}, "", 2},
		{"a reset once", []modelstest.Reply{fails(modelstest.Reset), well}, "", 2},
		{"half a body", []modelstest.Reply{fails(modelstest.HalfLine), well}, sdkapi.ModelUnavailable, 1},
		{"a web page", []modelstest.Reply{fails(modelstest.Page)}, sdkapi.ModelError, 1},
		{"text without end", []modelstest.Reply{fails(modelstest.EndlessText)}, sdkapi.ModelError, 1},
		{"too large an image", []modelstest.Reply{fails(modelstest.ContextFull)}, sdkapi.ModelContextFull, 1},
		{"no choices", []modelstest.Reply{{Raw: "data: {\"choices\":[]}\n\ndata: [DONE]\n\n"}, well}, "", 2},
		{"a filter", []modelstest.Reply{{Text: []string{"No"}, End: "refused"}}, sdkapi.ModelError, 1},
	})
}

// failure is what a server does when it is asked, and what comes of it.
type failure struct {
	name    string
	replies []modelstest.Reply
	code    sdkapi.Code
	asked   int
}

var well = modelstest.Reply{Text: []string{`{"x": 40, `, `"y": 30}`}}

func fails(f modelstest.Fault) modelstest.Reply { return modelstest.Reply{Fault: f} }

func testFailures(t *testing.T, failures []failure) {
	t.Helper()
	screen := screenWith(image.Pt(80, 60), image.Pt(40, 30), 2)
	for _, tt := range failures {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := modelstest.Serve(t, modelstest.OpenAI, tt.replies...)
			got, err := open(t, vlm.Config{URL: s.URL, Model: "m", Timeout: 5 * time.Second}).Locate(t.Context(), screen, "the red square")
			if fault.CodeOf(err) != tt.code || len(s.Asked()) != tt.asked || err == nil && got.Point != image.Pt(40, 30) {
				t.Errorf("asked %d times: %v, %v", len(s.Asked()), got.Point, err)
			}
			if text := fmt.Sprintf("%v %+v", err, got); strings.Contains(text, key) {
				t.Errorf("the key comes out: %s", text)
			}
		})
	}
}

// What cannot be asked is not.
func TestWrongQuestions(t *testing.T) {
	t.Parallel()
	s := serve(t, says("(1, 2)"))
	client := open(t, vlm.Config{URL: s.URL, Model: "m"})
	screen := screenWith(image.Pt(80, 60), image.Pt(40, 30), 2)
	for _, tt := range []struct {
		screen *image.NRGBA
		text   string
		code   sdkapi.Code
	}{
		{screen, " ", sdkapi.ValidationError},
		{screen, strings.Repeat("a", vlm.MaxDescription+1), sdkapi.ValidationError},
		{screen, strings.Repeat("a", vlm.MaxDescription), ""},
		{nil, "it", sdkapi.InvalidImage},
		{image.NewNRGBA(image.Rectangle{}), "it", sdkapi.InvalidImage},
		{screen.SubImage(image.Rect(5, 5, 50, 50)).(*image.NRGBA), "it", sdkapi.InvalidImage},
	} {
		t.Run(fmt.Sprint(tt.text, " ", tt.code), func(t *testing.T) {
			if _, err := client.Locate(t.Context(), tt.screen, tt.text); fault.CodeOf(err) != tt.code {
				t.Errorf("%.10q: %v", tt.text, err)
			}
		})
	}
	if len(s.seen) != 1 {
		t.Errorf("the model was asked %d times", len(s.seen))
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cfg  vlm.Config
		path string // of the field that is wrong; empty for none
	}{
		{vlm.Config{URL: "http://127.0.0.1:1/v1", Model: "m"}, ""},
		{vlm.Config{URL: "http://127.0.0.1:1/v1", Model: "m", Family: "gemini"}, ""},
		{vlm.Config{Model: "m"}, "url"},
		{vlm.Config{URL: "http://127.0.0.1:1/v1"}, "model"},
		{vlm.Config{URL: "127.0.0.1:1", Model: "m"}, "base_url"},
		{vlm.Config{URL: "http://127.0.0.1:1/v1", Model: "m", Family: "Gemini"}, "family"},
	} {
		t.Run(fmt.Sprint(tt.cfg), func(t *testing.T) {
			client, err := vlm.Open(tt.cfg)
			f := fault.From(err)
			if tt.path == "" && err != nil || tt.path != "" && (f == nil || f.Code != sdkapi.ValidationError || f.Details.Fields[0].Path != tt.path) {
				t.Errorf("%+v: %v", tt.cfg, err)
			}
			if err == nil && tt.cfg.Family != "" && client.Family() != tt.cfg.Family {
				t.Errorf("it is %s", client.Family())
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	screen := screenWith(image.Pt(1440, 900), image.Pt(400, 300), 20)
	s := serve(t, says("<think>hm</think>\nA red square."))
	got, err := open(t, vlm.Config{URL: s.URL, Model: "qwen2.5vl"}).Describe(t.Context(), screen)
	if err != nil || got.Text != "A red square." || got.Cut || got.Usage.Total() != 110 || got.Model != "qwen2.5vl" || got.Took <= 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if size := s.seen[0].picture.Bounds().Size(); size != image.Pt(1260, 784) {
		t.Error(size)
	}
	screen = screenWith(image.Pt(80, 60), image.Pt(40, 30), 2)
	for _, tt := range []struct {
		reply modelstest.Reply
		cut   bool
		code  sdkapi.Code
	}{
		{modelstest.Reply{Text: []string{"A red"}, End: "length"}, true, ""},
		{modelstest.Reply{Text: []string{"A"}, End: "refused"}, false, sdkapi.ModelError},
		{modelstest.Reply{Fault: modelstest.Silence}, false, sdkapi.Timeout},
	} {
		t.Run(fmt.Sprint(tt.reply), func(t *testing.T) {
			s := modelstest.Serve(t, modelstest.OpenAI, tt.reply)
			timeout := 30 * time.Second
			if tt.code == sdkapi.Timeout {
				timeout = 300 * time.Millisecond
			}
			got, err := open(t, vlm.Config{URL: s.URL, Model: "m", Timeout: timeout}).Describe(t.Context(), screen)
			if fault.CodeOf(err) != tt.code || got.Cut != tt.cut {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	if _, err := open(t, vlm.Config{URL: s.URL, Model: "m"}).Describe(t.Context(), nil); fault.CodeOf(err) != sdkapi.InvalidImage {
		t.Error(err)
	}
}

// The key does not stand in what a client prints.
func TestKeyIsSecret(t *testing.T) {
	t.Parallel()
	client := open(t, vlm.Config{URL: "http://127.0.0.1:1/v1", Model: "m"})
	if text := fmt.Sprintf("%v %+v %#v", client, client, client); strings.Contains(text, key) {
		t.Error(text)
	}
}
