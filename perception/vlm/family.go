package vlm

import (
	"slices"
	"strconv"
	"strings"

	"image"
)

// Space is the unit of the coordinates in a model's answer.
type Space string

// Values of Space.
const (
	Pixels      Space = "pixels"      // pixels of the image that the model got
	Thousandths Space = "thousandths" // thousandths of the image's width and height: 0 to 1000
	Ratio       Space = "ratio"       // fractions of the image's width and height: 0 to 1
	Percent     Space = "percent"     // percent of the image's width and height: 0 to 100
)

// pixels converts v to pixels on a side of side pixels.
func (s Space) pixels(v float64, side int) float64 {
	if whole, ok := map[Space]float64{Thousandths: 1000, Ratio: 1, Percent: 100}[s]; ok {
		return v * float64(side) / whole
	}
	return v
}

// family has the common properties of models with the same origin.
type family struct {
	name    string
	known   []string // parts of the models' names, in lower-case letters and digits only
	space   Space
	yx      bool // lists in its answers have the y first
	limits  limits
	steady  bool // ask for the likeliest answer (temperature 0); models that think become worse with it
	locates string
}

// Limits of the images for a family.
//
// The pixel count of patches28 is the maximum of Alibaba's own service and of Ollama for
// Qwen2.5-VL. They shrink larger images, so that pixels in answers would differ from ours. Sides
// are multiples of 28, so that the model's "smart resize" does not change them. If the numbers do
// not depend on the size, anySize limits the time: 1280 patches of 32, as in Qwen3-VL.
var (
	patches28 = limits{pixels: 1280 * 28 * 28, least: 4 * 28 * 28, multiples: 28}
	anySize   = limits{pixels: 1280 * 32 * 32}
)

// Questions to models, with the placeholders {target}, {width} and {height}.
const (
	orNone = " If it is not in the image, answer with the word none and nothing else."

	askJSON = "This is a screenshot of {width} x {height} pixels. Find this in it: {target}\n" +
		`Answer with where to click on it, as JSON and nothing else: {"x": <pixels from the left>, "y": <pixels from the top>}.` + orNone
	askPoint2D = "This is a screenshot of {width} x {height} pixels. Find this in it: {target}\n" +
		`Answer with its middle, as JSON and nothing else: {"point_2d": [x, y]}.` + orNone
	askThousandths = "Find this in the screenshot: {target}\n" +
		`Answer with its middle, as JSON and nothing else: {"point_2d": [x, y]}, in coordinates from 0 to 1000.` + orNone
	askHolo = "Localize an element on the GUI image according to the provided target, and output a click position as JSON, " +
		`{"x": <0 to 1000>, "y": <0 to 1000>}. Your target is: {target}`
	askHoloPixels = "Localize an element on the GUI image according to the provided target, and output a click position " +
		"as click(x, y), in pixels of the image. Your target is: {target}"
	askYX = "Point to this in the screenshot: {target}\n" +
		`Answer with JSON and nothing else: [{"point": [y, x], "label": <what it is>}], the point in [y, x] order and normalized to 0-1000.` + orNone
	askAction = "You are a GUI agent. Look at the screenshot and perform one action on it.\n" +
		"Output format:\nAction: click(start_box='(x,y)')\nInstruction: click on {target}"
	askTag = "Click on this in the screenshot: {target}\nOutput its point as <point>x y</point>."
	askRef = "Please provide the bounding box coordinate of the region this sentence describes: <ref>{target}</ref>"
	askBox = "In this UI screenshot, what is the position of the element corresponding to the command \"{target}\" (with bbox)?"
	askCog = "Task: Click on {target}\nHistory steps: \n(Platform: WIN)\n(Answer in Action-Operation format.)\n"

	askRatio = "Based on the screenshot, give the location of this: {target}\n" +
		"The location is a clickable point [x, y] of the element, in relative coordinates from 0 to 1."
	askCode    = "Click on this in the screenshot of {width} x {height} pixels: {target}\nAnswer with pyautogui.click(x=..., y=...) and nothing else."
	askMolmo   = "Point to {target}"
	askXY      = "Locate the element in this screenshot of {width} x {height} pixels, and output its middle as (x, y), in pixels: {target}"
	askCorners = "Outline the position of {target}. Output its bounding box as [x1, y1, x2, y2], in pixels of the image of {width} x {height}."
)

// families lists the known families, special before general. A model belongs to the first family
// with a part of the model's name in known. A comment at each entry names the source for the unit
// of its numbers.
var families = []family{
	// bytedance/UI-TARS, codes/ui_tars/action_parser.py: version 1.5, on Qwen2.5-VL, answers in
	// pixels after smart_resize, with at least 100 patches; version 1.0, on Qwen2-VL, in
	// thousandths.
	{name: "ui-tars-1.5", known: []string{"uitars15"}, space: Pixels, limits: limits{pixels: patches28.pixels, least: 100 * 28 * 28, multiples: 28}, steady: true, locates: askAction},
	{name: "ui-tars", known: []string{"uitars"}, space: Thousandths, limits: anySize, steady: true, locates: askAction},
	// ByteDance-Seed/Seed1.5-VL: <point>x y</point> and <bbox>x1 y1 x2 y2</bbox> in thousandths.
	{name: "seed", known: []string{"seed15vl", "seed16", "seed18", "doubao"}, space: Thousandths, limits: anySize, locates: askTag},
	// huggingface.co/Hcompany: Holo1 and Holo1.5, on Qwen2.5-VL, answer click(x, y) or JSON in pixels
	// after smart_resize; hub.hcompany.ai/element-localization: later versions answer JSON in
	// thousandths.
	{name: "holo-1", known: []string{"holo1"}, space: Pixels, limits: patches28, steady: true, locates: askHoloPixels},
	{name: "holo", known: []string{"holo"}, space: Thousandths, limits: anySize, steady: true, locates: askHolo},
	// inclusionAI/UI-Venus: 1.0, on Qwen2.5-VL, answers [x1, y1, x2, y2] in pixels; 1.5, on
	// Qwen3-VL, in thousandths.
	{name: "ui-venus-1.5", known: []string{"uivenus15"}, space: Thousandths, limits: anySize, steady: true, locates: askThousandths},
	{name: "ui-venus", known: []string{"uivenus"}, space: Pixels, limits: patches28, steady: true, locates: askCorners},
	// Yan98/GTA1: (x, y) in pixels after smart_resize, like its base Qwen2.5-VL.
	{name: "gta1", known: []string{"gta1"}, space: Pixels, limits: patches28, steady: true, locates: askXY},
	// xlang-ai/OpenCUA: pyautogui.click(x=, y=) in pixels after smart_resize; xlang-ai/Jedi, on
	// Qwen2.5-VL, answers the same.
	{name: "opencua", known: []string{"opencua", "jedi7b", "jedi3b"}, space: Pixels, limits: patches28, steady: true, locates: askCode},
	// OS-Copilot/OS-Atlas, issue 9: points and boxes in thousandths, in the form
	// <|box_start|>(x1,y1),(x2,y2)<|box_end|>.
	{name: "os-atlas", known: []string{"osatlas"}, space: Thousandths, limits: anySize, steady: true, locates: askBox},
	// showlab/ShowUI, README: [x, y] as a ratio, for images of at most 1344 patches.
	// njucckevin/SeeClick answers (x, y) as a ratio.
	{name: "showui", known: []string{"showui", "seeclick"}, space: Ratio, limits: anySize, steady: true, locates: askRatio},
	// xlang-ai/aguvis and MoonshotAI/Kimi-VL: pyautogui.click(x=0.5, y=0.3), as a ratio.
	{name: "aguvis", known: []string{"aguvis", "kimivl"}, space: Ratio, limits: anySize, locates: askRatio},
	// THUDM/CogAgent, Action_space.md: CLICK(box=[[a,b,c,d]]), three digits each, in thousandths.
	{name: "cogagent", known: []string{"cogagent"}, space: Thousandths, limits: anySize, steady: true, locates: askCog},
	// allenai/molmo: <point x="63.5" y="44.5" alt="...">, in percent.
	{name: "molmo", known: []string{"molmo"}, space: Percent, limits: anySize, locates: askMolmo},
	// QwenLM/Qwen3-VL, cookbooks: 2.5 answers point_2d and bbox_2d in pixels after smart_resize.
	// Versions 2, 3 and later answer in thousandths, version 2 in the form
	// <|box_start|>(x1,y1),(x2,y2)<|box_end|>. Tongyi's MAI-UI and GUI-Owl 1.5 are based on version
	// 3.
	{name: "qwen2.5-vl", known: []string{"qwen25vl", "qwen25omni", "guiowl7b", "guiowl32b", "infigui"}, space: Pixels, limits: patches28, steady: true, locates: askPoint2D},
	{name: "qwen2-vl", known: []string{"qwen2vl"}, space: Thousandths, limits: anySize, steady: true, locates: askBox},
	{name: "qwen3-vl", known: []string{"qwen3", "qwen4", "maiui", "guiowl"}, space: Thousandths, limits: anySize, locates: askThousandths},
	// zai-org/GLM-V, skills/glmv-grounding: <|begin_of_box|>[[x1,y1,x2,y2]]<|end_of_box|>, in
	// thousandths.
	{name: "glm-v", known: []string{"glm"}, space: Thousandths, limits: anySize, locates: askThousandths},
	// OpenGVLab/InternVL, README: <ref>...</ref><box>[[x1, y1, x2, y2]]</box>, in thousandths; at
	// most 12 tiles of 448.
	{name: "internvl", known: []string{"internvl"}, space: Thousandths, limits: limits{pixels: 12 * 448 * 448}, steady: true, locates: askRef},
	// ai.google.dev/gemini-api/docs/image-understanding: [y, x] and box_2d [ymin, xmin, ymax,
	// xmax], in thousandths.
	{name: "gemini", known: []string{"gemini", "gemma"}, space: Thousandths, yx: true, limits: anySize, locates: askYX},
	// platform.claude.com/docs/build-with-claude/vision-coordinates: pixels; at most 1568 a side
	// and 1568 patches of 28.
	{name: "claude", known: []string{"claude"}, space: Pixels, limits: limits{pixels: 1_150_000, long: 1568}, locates: askJSON},
	// platform.openai.com/docs/guides/images-vision: shrunk to 2048 a side, and then to 768 on the
	// shorter one.
	{name: "gpt", known: []string{"gpt", "computeruse", "openaio3", "openaio4"}, space: Pixels, limits: limits{pixels: 2048 * 768, long: 2048, short: 768}, locates: askJSON},
}

// plain is the family of all other models. Its question states the size of the image.
var plain = family{name: "plain", space: Pixels, limits: limits{pixels: 1_150_000, long: 1568}, locates: askJSON}

// Families returns the names of all families, sorted.
func Families() []string {
	names := []string{plain.name}
	for _, f := range families {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return names
}

// familyOf returns the family that a model's name indicates, or plain.
func familyOf(model string) family {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(model))
	for _, f := range families {
		if slices.ContainsFunc(f.known, func(part string) bool { return strings.Contains(name, part) }) {
			return f
		}
	}
	return plain
}

// familyCalled returns the family with a name; ok is false if there is none.
func familyCalled(name string) (family, bool) {
	all := append(families[:len(families):len(families)], plain)
	i := slices.IndexFunc(all, func(f family) bool { return f.name == name })
	if i < 0 {
		return family{}, false
	}
	return all[i], true
}

// question returns the question about a target on an image of size.
func (f family) question(target string, size image.Point) string {
	return strings.NewReplacer("{target}", target, "{width}", strconv.Itoa(size.X), "{height}", strconv.Itoa(size.Y)).Replace(f.locates)
}
