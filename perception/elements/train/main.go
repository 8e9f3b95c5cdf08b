// Command train creates acted.trees and among.trees. With these models, perception/elements decides
// which elements are clickable.
//
//	go run ./perception/elements/train -out perception/elements FOLDER...
//
// Each folder has screens in the form of perception/evaluate: NAME.png, with its truth in
// NAME.json. The command skips screens that are held back from tuning. The kit of a screen is the
// part of its name before the first hyphen. The second model learns from the predictions of first
// models that were trained without the kit.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/perception/trees"
	"github.com/windieos/windie/sdkapi"
)

// Parameters of the training.
const (
	treeCount   = 280
	treeDepth   = 6
	plainWeight = 0.5 // weight of elements that the rules do not consider clickable
	ownWeight   = 6   // weight of screens of real programs, which are few
)

// drawnWeight is the weight of generated screens, by their generator. Freehand drawings resemble
// each other more than real pages do, whether they are clickable or not.
var drawnWeight = map[string]float64{"theme": 0.7, "window": 0.3, "freehand": 0.15}

var (
	actedTags  = []string{"button", "input", "textarea", "select", "a", "label", "summary", "option"}
	actedRoles = []string{"button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio",
		"option", "combobox", "listbox", "textbox", "searchbox", "slider", "spinbutton", "treeitem"}
)

// truth is the content of a screen.
type truth struct {
	DPR  float64
	Kind string
	Held bool
	Els  []struct {
		Tag, Role, Cls string
		X, Y, W, H     float64
	}
}

// screen is an example for the models.
type screen struct {
	name   string
	kit    string
	weight float64
	list   []elements.Element
	rows   [][]float32 // features
	unit   float64
	right  []bool
	guess  []float64
}

// main exits with 1 if it cannot write the models.
func main() {
	out := flag.String("out", ".", "the folder to write acted.trees and among.trees to")
	flag.Parse()
	if err := run(context.Background(), *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// run trains both models with the screens in folders, and writes them to the folder out. It fails if there are no
// screens.
func run(ctx context.Context, out string, folders []string) error {
	var list []*screen
	engine := reader.New(reader.Config{})
	for _, dir := range folders {
		files, err := filepath.Glob(filepath.Join(dir, "*.png"))
		if err != nil {
			return err
		}
		for _, file := range files {
			s, err := load(ctx, engine, file)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if s != nil {
				list = append(list, s)
			}
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("the folders %v contain no screens with labeled elements", folders)
	}
	guessAcross(list)
	for name, m := range map[string]*trees.Model{"acted.trees": fit(list, false), "among.trees": fit(list, true)} {
		if err := os.WriteFile(filepath.Join(out, name), m.Encode(), 0o600); err != nil {
			return err
		}
	}
	fmt.Println(len(list), "screens")
	return nil
}

// load returns a screen with the features of its elements; nil if it must not be used for training.
func load(ctx context.Context, engine perception.Engine, file string) (*screen, error) {
	t := truth{DPR: 1}
	known, err := os.ReadFile(strings.TrimSuffix(file, ".png") + ".json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(known, &t); err != nil || t.Held || !t.isWhole() {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	img, _, err := perception.Decode(ctx, data)
	if err != nil {
		return nil, err
	}
	if err := perception.Clean(ctx, img); err != nil {
		return nil, err
	}
	rows, err := engine.Read(ctx, perception.ScreenOf(img), sdkapi.Reading{})
	if err != nil {
		return nil, err
	}
	kit, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".png"), "-")
	s := &screen{name: filepath.Base(file), kit: kit, weight: weightOf(kit, t.Kind)}
	if s.list, s.rows, s.unit, err = elements.Examples(ctx, img, rows); err != nil {
		return nil, err
	}
	boxes := t.acted(img.Rect)
	for _, e := range s.list {
		s.right = append(s.right, slices.ContainsFunc(boxes, geo.Center(e.Box).In))
	}
	return s, nil
}

// isWhole reports whether the truth lists elements other than menu items. Some toolkits list only
// their menus, so their toolbars are no examples of elements that are not clickable.
func (t *truth) isWhole() bool {
	for _, e := range t.Els {
		if e.Role != "menuitem" {
			return true
		}
	}
	return false
}

// weightOf returns the weight of a screen by its kit and by the kind in its truth. A screen of a web page has weight 1.
func weightOf(kit, kind string) float64 {
	if w, drawn := drawnWeight[kit]; drawn {
		return w
	}
	switch {
	case kind != "web" && kind != "" && !strings.HasPrefix(kit, "web"):
		return ownWeight
	}
	return 1
}

// acted returns the boxes of clickable elements.
func (t *truth) acted(within image.Rectangle) (boxes []image.Rectangle) {
	px := func(v float64) int { return int(v * t.DPR) }
	for _, e := range t.Els {
		b := image.Rect(px(e.X), px(e.Y), px(e.X+e.W), px(e.Y+e.H)).Intersect(within)
		if (slices.Contains(actedTags, e.Tag) || slices.Contains(actedRoles, e.Role) || strings.Contains(e.Cls, "btn")) && min(b.Dx(), b.Dy()) >= 4 {
			boxes = append(boxes, b)
		}
	}
	return boxes
}

// guessAcross predicts each half of the kits with a model of the other half.
func guessAcross(list []*screen) {
	half := func(s *screen) bool {
		h := fnv.New32a()
		_, _ = h.Write([]byte(s.kit))
		if drawnWeight[s.kit] > 0 {
			_, _ = h.Write([]byte(s.name))
		}
		return h.Sum32()%2 == 0
	}
	for _, which := range []bool{true, false} {
		var others []*screen
		for _, s := range list {
			if half(s) != which {
				others = append(others, s)
			}
		}
		if len(others) == 0 {
			others = list
		}
		m := fit(others, false)
		for _, s := range list {
			if half(s) == which {
				s.guess = make([]float64, len(s.rows))
				for i, row := range s.rows {
					s.guess[i] = m.Predict(row)
				}
			}
		}
	}
}

// fit trains the first model or, with among, the second one, which also knows the surroundings.
func fit(list []*screen, among bool) *trees.Model {
	var rows [][]float32
	var right []bool
	var weight []float64
	for _, s := range list {
		var around [][]float32
		if among {
			around = elements.Among(s.list, s.guess, s.unit)
		}
		for i, row := range s.rows {
			if among {
				row = append(slices.Clone(row), around[i]...)
			}
			w := s.weight
			if !s.list[i].Role.IsActedOn() {
				w *= plainWeight
			}
			rows, right, weight = append(rows, row), append(right, s.right[i]), append(weight, w)
		}
	}
	return trees.Train(rows, right, trees.Options{Trees: treeCount, Depth: treeDepth, Weight: weight})
}
