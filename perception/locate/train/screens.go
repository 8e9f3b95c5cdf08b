package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/reader"
)

// asked is a description, with what is meant.
type asked struct {
	Screen, Kind, Description, Expect string
	Box                               []float64   // x, y, width, height, in image pixels; only with found
	Boxes                             [][]float64 // of all that an ambiguous description fits
	Held                              bool
	own                               bool // asked to learn from, and not to measure with
}

// screen is what is seen on one, with what is asked about it.
type screen struct {
	*elements.Screen
	set, name string
	asked     []asked
}

func (q *asked) holds(p image.Point) bool { return len(q.Box) == 4 && holds(q.Box, p) }

func holds(b []float64, p image.Point) bool {
	x, y := float64(p.X), float64(p.Y)
	return x >= b[0] && x <= b[0]+b[2] && y >= b[1] && y <= b[1]+b[3]
}

// isRight reports whether an element with this middle and area is meant, or one of those meant.
func (q *asked) isRight(middle image.Point, area int) bool {
	switch q.Expect {
	case "found":
		return q.holds(middle) && float64(area) < mostLarge*q.Box[2]*q.Box[3]
	case "ambiguous":
		for _, b := range q.Boxes {
			if holds(b, middle) {
				return true
			}
		}
	}
	return false
}

// readFolder looks at the screens of a folder about which something is asked that is not held.
func readFolder(ctx context.Context, dir string) (list []*screen, err error) {
	var all []asked
	if err := readJSON(filepath.Join(dir, "questions.json"), &all); err != nil {
		return nil, err
	}
	by := map[string][]asked{}
	for _, q := range all {
		if q.Kind == "locate" && !q.Held {
			if q.Expect == "" {
				q.Expect = "found"
			}
			by[q.Screen] = append(by[q.Screen], q)
		}
	}
	screens := elements.NewScreens(perception.NewScenes(reader.New(reader.Config{}), perception.Options{}))
	files, err := filepath.Glob(filepath.Join(dir, "*.png"))
	for _, file := range files {
		base := strings.TrimSuffix(file, ".png")
		s := &screen{set: filepath.Base(dir), name: filepath.Base(base), asked: by[filepath.Base(base)]}
		var truth struct{ Held bool }
		if err := readJSON(base+".json", &truth); err != nil {
			return nil, err
		}
		if truth.Held || len(s.asked) == 0 {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if s.Screen, err = screens.Screen(ctx, perception.SourceOf(data)); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, s)
	}
	return list, err
}

func readJSON(file string, to any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
}

// readKits reads screens.json.gz and questions.txt of a folder.
func readKits(dir string) (list []*screen, err error) {
	file, err := os.Open(filepath.Join(dir, "screens.json.gz"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var seen []struct {
		Name          string
		Width, Height int
		Elements      []elements.Element
	}
	if err := json.NewDecoder(packed).Decode(&seen); err != nil {
		return nil, err
	}
	by := map[string]*screen{}
	for _, s := range seen {
		header := perception.Header{Width: s.Width, Height: s.Height}
		by[s.Name] = &screen{Screen: &elements.Screen{Scene: &perception.Scene{Header: header}, Elements: s.Elements}, set: kitSet, name: s.Name}
		list = append(list, by[s.Name])
	}
	return list, readQuestions(filepath.Join(dir, "questions.txt"), by, false, boxOfElement)
}

// readQuestions adds the questions of a file to screens. A line is: screen | what is meant | description.
// Meant is "-" for nothing, or one or more things with ";" between, whose boxes boxOf returns.
func readQuestions(name string, screens map[string]*screen, own bool, boxOf func(*screen, string) ([]float64, error)) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		parts := strings.SplitN(strings.TrimSpace(lines.Text()), "|", 3)
		if len(parts) < 3 {
			continue
		}
		s := screens[parts[0]]
		if s == nil {
			return fmt.Errorf("%s: line %d: no screen %q", name, n, parts[0])
		}
		q := asked{Description: parts[2], Expect: "missing", own: own}
		if parts[1] != "-" {
			for thing := range strings.SplitSeq(parts[1], ";") {
				box, err := boxOf(s, thing)
				if err != nil {
					return fmt.Errorf("%s: line %d: %w", name, n, err)
				}
				q.Boxes = append(q.Boxes, box)
			}
			if q.Expect = "ambiguous"; len(q.Boxes) == 1 {
				q.Expect, q.Box = "found", q.Boxes[0]
			}
		}
		s.asked = append(s.asked, q)
	}
	return lines.Err()
}

// boxOfElement returns the box of an element of a screen: #element or @label#number.
func boxOfElement(s *screen, ref string) ([]float64, error) {
	i := s.find(ref)
	if i < 0 {
		return nil, fmt.Errorf("no element %q", ref)
	}
	b := s.Elements[i].Box
	return []float64{float64(b.Min.X), float64(b.Min.Y), float64(b.Dx()), float64(b.Dy())}, nil
}

// find returns the element that is referred to, or -1.
func (s *screen) find(ref string) int {
	if number, ok := strings.CutPrefix(ref, "#"); ok {
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(s.Elements) {
			return -1
		}
		return i
	}
	label, number, _ := strings.Cut(strings.TrimPrefix(ref, "@"), "#")
	which, _ := strconv.Atoi(number) // the first if it says none
	var seen []image.Rectangle
	for i, e := range s.Elements {
		if e.Label != label || overlapsAny(e.Box, seen) {
			continue
		}
		if len(seen) == which {
			return i
		}
		seen = append(seen, e.Box)
	}
	return -1
}

func overlapsAny(b image.Rectangle, list []image.Rectangle) bool {
	for _, o := range list {
		if geo.Area(b.Intersect(o)) > 0 {
			return true
		}
	}
	return false
}

// readBoxes adds the questions of a file to screens. A line is: folder/screen | what is meant | description.
// Meant is "-" for nothing, or one or more boxes as x,y,width,height, with ";" between.
func readBoxes(name string, screens []*screen) error {
	by := map[string]*screen{}
	for _, s := range screens {
		by[s.set+"/"+s.name] = s
	}
	return readQuestions(name, by, true, func(_ *screen, box string) ([]float64, error) {
		var b [4]float64
		_, err := fmt.Sscanf(box, "%f,%f,%f,%f", &b[0], &b[1], &b[2], &b[3])
		return b[:], err
	})
}
