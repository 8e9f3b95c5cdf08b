package vlm

import (
	"errors"
	"fmt"
	"image"
	"reflect"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// shapes are answers in the shapes that models are documented to write, and
// what they mean.
var shapes = []struct {
	name, text string
	yx         bool
	want       []mark
}{
	{"JSON", `{"x": 12, "y": 34}`, false, []mark{{12, 34, false}}},
	{"JSON, y first", `{"y": 34, "x": 12}`, false, []mark{{12, 34, false}}},
	{"JSON with texts", `{"x": "12", "y": "34"}`, false, []mark{{12, 34, false}}},
	{"JSON cut short", `{"x": 12, "y": 34, "reason": "because it`, false, []mark{{12, 34, false}}},
	{"single quotes", `{'x': 12, 'y': 34}`, false, []mark{{12, 34, false}}},
	{"sides", `{"x1": 10, "y1": 20, "x2": 30, "y2": 40}`, false, []mark{{20, 30, false}}},
	{"sides by other names", `{"xmin": 10, "ymin": 20, "xmax": 30, "ymax": 40}`, false, []mark{{20, 30, false}}},
	{"point_2d", "```json\n[{\"point_2d\": [12, 34], \"label\": \"Add (5, 6)\"}]\n```", false, []mark{{12, 34, false}}},
	{"point_2d as texts", `{"point_2d": ["12", "34"]}`, false, []mark{{12, 34, false}}},
	{"label first", `{"label": "at (5, 6)", "point_2d": [12, 34]}`, false, []mark{{12, 34, false}}},
	{"bbox_2d", `{"bbox_2d": [10, 20, 30, 40], "label": "x"}`, false, []mark{{20, 30, false}}},
	{"point beside a box", `{"bbox_2d": [10, 20, 30, 40], "point_2d": [12, 34]}`, false, []mark{{12, 34, false}}},
	{"tool call", `<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [12, 34]}}</tool_call>`, false, []mark{{12, 34, false}}},
	{"several", `[{"point_2d": [1, 2]}, {"point_2d": [3, 4]}, {"point_2d": [1, 2]}]`, false, []mark{{1, 2, false}, {3, 4, false}}},
	{"points", `{"points": [[1, 2], [3, 4]]}`, false, []mark{{1, 2, false}, {3, 4, false}}},
	{"Gemini's point", `[{"point": [34, 12], "label": "x"}]`, true, []mark{{12, 34, false}}},
	{"Gemini's box", `[{"box_2d": [20, 10, 40, 30]}]`, true, []mark{{20, 30, false}}},
	{"Gemini's bare list", `[34, 12]`, true, []mark{{12, 34, false}}},
	{"Gemini with names", `{"x": 12, "y": 34}`, true, []mark{{12, 34, false}}},
	{"Gemini's call", `click_at(x=12, y=34)`, true, []mark{{12, 34, false}}},
	{"Gemini in prose", `at (12, 34)`, true, []mark{{12, 34, false}}},
	{"point tag", `<point>12 34</point>`, false, []mark{{12, 34, false}}},
	{"point tag in a call", `click(point='<point>12 34</point>')`, false, []mark{{12, 34, false}}},
	{"point tag with a list", `CLICK <point>[[12, 34]]</point>`, false, []mark{{12, 34, false}}},
	{"bbox tag", `<bbox>10 20 30 40</bbox>`, false, []mark{{20, 30, false}}},
	{"box tag", `<ref>button 2</ref><box>[[10, 20, 30, 40]]</box>`, false, []mark{{20, 30, false}}},
	{"two box tags", `<box>[[10, 20, 30, 40]]</box><box>[[1, 2, 3, 4]]</box>`, false, []mark{{20, 30, false}, {2, 3, false}}},
	{"Qwen's point", `<|box_start|>(12,34)<|box_end|>`, false, []mark{{12, 34, false}}},
	{"Qwen's box", `<|object_ref_start|>a 7<|object_ref_end|><|box_start|>(10,20),(30,40)<|box_end|>`, false, []mark{{20, 30, false}}},
	{"GLM", `It is <|begin_of_box|>[[10, 20, 30, 40]]<|end_of_box|>`, false, []mark{{20, 30, false}}},
	{"GLM with JSON", `<|begin_of_box|>{"point_2d": [12, 34]}<|end_of_box|>`, false, []mark{{12, 34, false}}},
	{"DeepSeek", `<|ref|>x<|/ref|><|det|>[[10, 20, 30, 40]]<|/det|>`, false, []mark{{20, 30, false}}},
	{"Molmo", `<point x="63.5" y="44.5" alt="button 2">button 2</point>`, false, []mark{{63.5, 44.5, false}}},
	{"Molmo, several", `<points x1="10.5" y1="20" x2="30" y2="40" alt="x">x</points>`, false, []mark{{10.5, 20, false}, {30, 40, false}}},
	{"UI-TARS", "Thought: near (1, 2)\nAction: click(start_box='(12,34)')", false, []mark{{12, 34, false}}},
	{"UI-TARS with a tag", `click(start_box='<|box_start|>(12,34)<|box_end|>')`, false, []mark{{12, 34, false}}},
	{"UI-TARS, a box", `left_double(start_box='[10, 20, 30, 40]')`, false, []mark{{20, 30, false}}},
	{"CogAgent", `CLICK(box=[[010,020,030,040]], element_type='x', element_info='[7, 8]')`, false, []mark{{20, 30, false}}},
	{"pyautogui", `pyautogui.click(x=12, y=34)`, false, []mark{{12, 34, false}}},
	{"pyautogui without names", `pyautogui.moveTo(12, 34, duration=2)`, false, []mark{{12, 34, false}}},
	{"call", `click(12, 34)`, false, []mark{{12, 34, false}}},
	{"call with a list", `left_click([12, 34])`, false, []mark{{12, 34, false}}},
	{"call with a pair", `tap((12, 34))`, false, []mark{{12, 34, false}}},
	{"ratio", `[0.25, 0.5]`, false, []mark{{0.25, 0.5, true}}},
	{"ratio without zeros", `(.25, .5)`, false, []mark{{0.25, 0.5, true}}},
	{"ratio, a box", `(0.25, 0.5, 0.75, 1.0)`, false, []mark{{0.5, 0.75, true}}},
	{"the first pixel is no ratio", `(1, 0)`, false, []mark{{1, 0, false}}},
	{"prose", `It is at (12, 34).`, false, []mark{{12, 34, false}}},
	{"a box of two pairs", `(10, 20), (30, 40)`, false, []mark{{20, 30, false}}},
	{"numbers alone", "12, 34", false, []mark{{12, 34, false}}},
	{"four numbers alone", "10 20 30 40", false, []mark{{20, 30, false}}},
	{"named in prose", "x: 12, y: 34", false, []mark{{12, 34, false}}},
	{"nowhere", "[-1, -1]", false, nil},
	{"nothing", "none", false, nil},
	{"three numbers", "(1, 2, 3)", false, nil},
	{"one number", "12", false, nil},
	{"prose with numbers", "There are 2 buttons, 3 fields.", false, nil},
	{"brackets without end", strings.Repeat("point: [", 2000), false, nil},
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for _, tt := range shapes {
		if got := marksIn(tt.text, tt.yx); len(got)+len(tt.want) > 0 && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %.80q gives %v, want %v", tt.name, tt.text, got, tt.want)
		}
	}
}

// The families keep what their own ways of writing mean.
func TestModelNames(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"Qwen/Qwen2.5-VL-72B-Instruct-AWQ": "qwen2.5-vl", "qwen2.5vl": "qwen2.5-vl", "qwen2_5_vl_7b": "qwen2.5-vl", "Qwen2-VL-7B": "qwen2-vl",
		"qwen3-vl:235b-cloud": "qwen3-vl", "qwen/qwen3.5-9b": "qwen3-vl", "Tongyi-MAI/MAI-UI-8B": "qwen3-vl", "mPLUG/GUI-Owl-1.5-8B": "qwen3-vl", "mPLUG/GUI-Owl-7B": "qwen2.5-vl",
		"ByteDance-Seed/UI-TARS-1.5-7B": "ui-tars-1.5", "UI-TARS-72B-DPO": "ui-tars", "0000/ui-tars-1.5-7b:latest": "ui-tars-1.5",
		"Hcompany/Holo1-7B": "holo-1", "Holo1.5-3B": "holo-1", "Holo2-8B": "holo", "Holo3.1": "holo",
		"inclusionAI/UI-Venus-Ground-7B": "ui-venus", "UI-Venus-1.5-8B": "ui-venus-1.5", "Yan98/GTA1-7B": "gta1", "xlangai/OpenCUA-7B": "opencua",
		"google/gemini-2.5-pro": "gemini", "gemma3:27b": "gemini", "anthropic/claude-opus-4.8": "claude", "gpt-5.4": "gpt", "openai/gpt-4o-mini": "gpt",
		"THUDM/cogagent-9b": "cogagent", "zai-org/GLM-4.6V": "glm-v", "OpenGVLab/InternVL3_5-14B": "internvl", "OS-Atlas-Pro-7B": "os-atlas",
		"showlab/ShowUI-2B": "showui", "allenai/Molmo-72B": "molmo", "llava:13b": "plain", "": "plain",
	} {
		t.Run(fmt.Sprintf("%.60q", model), func(t *testing.T) {
			if got := familyOf(model).name; got != want {
				t.Errorf("%s is %s, want %s", model, got, want)
			}
		})
	}
	for _, name := range Families() {
		if f, ok := familyCalled(name); !ok || f.name != name || !strings.Contains(f.locates, "{target}") || f.limits.pixels == 0 || f.space == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// FuzzAnswer reads whatever a model says, as each kind of family: no answer breaks it,
// and a point is on the part of the screen that was shown.
func FuzzAnswer(f *testing.F) {
	for _, tt := range shapes {
		f.Add(tt.text)
	}
	all := []family{{name: "yx", space: Thousandths, yx: true}} // and one for each space; more differ in nothing that counts here
	for _, space := range []Space{Pixels, Thousandths, Ratio, Percent} {
		all = append(all, family{name: string(space), space: space})
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := picture{region: image.Rect(100, 50, 740, 410), size: image.Pt(644, 364)}
		for _, family := range all {
			s := reply{text: strings.TrimSpace(withoutThoughts(text))}
			point, _, err := family.read(s, p)
			code := fault.CodeOf(err)
			switch code {
			case "":
				if !point.In(p.region) {
					t.Fatalf("%s: %q gives %v", family.name, text, point)
				}
			case sdkapi.TargetNotFound, sdkapi.AmbiguousMatch, sdkapi.ModelError:
				miss, _ := errors.AsType[*Miss](err)
				if miss == nil || len(miss.Said) > maxSaid || len(miss.Points) > maxPoints || len(fault.From(err).Message) > 2*maxSaid+500 {
					t.Fatalf("%s: %q gives %v", family.name, text, err)
				}
			default:
				t.Fatalf("%s: %q gives %v", family.name, text, err)
			}
		}
	})
}
