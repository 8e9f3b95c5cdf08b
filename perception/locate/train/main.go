// Train makes rank.trees and click.trees, by which perception/locate judges what a description means.
//
//	go run ./perception/locate/train -out perception/locate FOLDER...
//
// Each folder has screens as perception/evaluate reads them: NAME.png and questions.json. Screens and questions
// that are held are left out. To these come the screens of screens.json.gz, two kits of pages as perception/elements
// saw them, with the questions of questions.txt. The command prints how well screens are judged by models that
// have not seen them.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/locate"
	"github.com/windieos/windie/perception/trees"
)

// How the models are trained.
const (
	folds     = 6
	kitSet    = "kit"     // the screens in data
	ownFolder = "screens" // whose questions the rules were made with
	ownWeight = 0.5       // of these
	mostLarge = 4         // times the box of what is meant that an element may be as large
)

var (
	rankOptions  = trees.Options{Trees: 300, Depth: 5, Rate: 0.03, Least: 8}
	clickOptions = trees.Options{Trees: 80, Depth: 3, Rate: 0.06, Least: 5}
)

// example is a question with what is known of the elements that it may mean.
type example struct {
	locate.Example
	asked
	set, screen string
	right       []bool
	chance      []float64
	numbers     []float32
	top         []int
	sure, alike float64
	fold        int // in which it is judged
}

func main() {
	out := flag.String("out", ".", "the folder to write rank.trees and click.trees to")
	data := flag.String("data", filepath.Join("perception", "locate", "train"), "the folder of screens.json.gz and questions.txt")
	flag.Parse()
	if err := run(context.Background(), *out, *data, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, data string, folders []string) error {
	screens, err := readKits(data)
	if err != nil {
		return err
	}
	for _, dir := range folders {
		list, err := readFolder(ctx, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		screens = append(screens, list...)
	}
	if err := readBoxes(filepath.Join(data, "boxes.txt"), screens); err != nil {
		return err
	}
	list := examplesOf(screens)
	setFolds(list)
	inFolds(func(f int) {
		m := rankModel(list, func(e *example) bool { return e.fold != f })
		for _, e := range list {
			if e.fold == f {
				e.rank(m)
			}
		}
	})
	inFolds(func(f int) {
		others := func(e *example) bool { return e.fold != f }
		click, several := clickModel(list, others), severalModel(list, others)
		for _, e := range list {
			if e.fold == f {
				e.sure, e.alike = click.Predict(e.numbers), several.Predict(e.numbers)
			}
		}
	})
	report(list)
	failures(list)
	curve(list)
	all := func(*example) bool { return true }
	for name, m := range map[string]*trees.Model{"rank.trees": rankModel(list, all), "click.trees": clickModel(list, all), "several.trees": severalModel(list, all)} {
		if err := os.WriteFile(filepath.Join(out, name), m.Encode(), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// inFolds trains and judges by folds, side by side.
func inFolds(do func(f int)) {
	var running sync.WaitGroup
	for f := range folds {
		running.Go(func() { do(f) })
	}
	running.Wait()
}

// program is the kit or program that a screen is of, as its name begins.
func (e *example) program() string {
	program, _, _ := strings.Cut(e.screen, "-")
	return program
}

// setFolds parts the questions by program: all about one program are in one fold, and each fold has about as many.
func setFolds(list []*example) {
	asked := map[string]int{}
	for _, e := range list {
		asked[e.program()]++
	}
	names := slices.SortedFunc(maps.Keys(asked), func(a, b string) int {
		return cmp.Or(asked[b]-asked[a], strings.Compare(a, b))
	})
	of, sizes := map[string]int{}, [folds]int{}
	for _, name := range names {
		least := 0
		for f := range sizes {
			if sizes[f] < sizes[least] {
				least = f
			}
		}
		of[name], sizes[least] = least, sizes[least]+asked[name]
	}
	for _, e := range list {
		e.fold = of[e.program()]
	}
}

func examplesOf(screens []*screen) (list []*example) {
	for _, s := range screens {
		for _, q := range s.asked {
			e := &example{Example: locate.NewExample(s.Screen, q.Description), asked: q, set: s.set, screen: s.name}
			for _, i := range e.Elements {
				b := s.Elements[i].Box
				e.right = append(e.right, q.isRight(geo.Center(b), geo.Area(b)))
			}
			list = append(list, e)
		}
	}
	return list
}

// rank judges the elements, and keeps what a decision is made by.
func (e *example) rank(m *trees.Model) {
	scores := make([]float64, len(e.Rows))
	for i, row := range e.Rows {
		scores[i] = m.Score(row)
	}
	e.chance = trees.Among(scores)
	e.numbers, e.top = e.Decide(e.chance)
}

func (e *example) weight() float64 {
	if e.set == ownFolder {
		return ownWeight
	}
	return 1
}

// rankModel learns which elements are meant.
func rankModel(list []*example, in func(*example) bool) *trees.Model {
	var rows [][]float32
	var right []bool
	var weight []float64
	var group []int
	for n, e := range list {
		if !in(e) || e.Expect != "missing" && !slices.Contains(e.right, true) {
			continue
		}
		for i, row := range e.Rows {
			rows, right, weight = append(rows, row), append(right, e.right[i]), append(weight, e.weight())
			group = append(group, n)
		}
	}
	o := rankOptions
	o.Group = group
	o.Weight = weight
	return trees.Train(rows, right, o)
}

// clickModel learns whether the likeliest element is right.
func clickModel(list []*example, in func(*example) bool) *trees.Model {
	var rows [][]float32
	var right []bool
	var weight []float64
	for _, e := range list {
		if in(e) && len(e.top) > 0 {
			rows, right, weight = append(rows, e.numbers), append(right, e.Expect == "found" && e.right[e.top[0]]), append(weight, e.weight())
		}
	}
	o := clickOptions
	o.Weight = weight
	return trees.Train(rows, right, o)
}

// severalModel learns whether several elements are meant.
func severalModel(list []*example, in func(*example) bool) *trees.Model {
	var rows [][]float32
	var several []bool
	var weight []float64
	for _, e := range list {
		if in(e) && len(e.top) > 0 {
			rows, several, weight = append(rows, e.numbers), append(several, e.Expect == "ambiguous"), append(weight, e.weight())
		}
	}
	o := clickOptions
	o.Weight = weight
	return trees.Train(rows, several, o)
}

// counts are answers to questions, by what was expected, with the single answers that are wrong.
type counts struct{ found, ofFound, several, ofSeveral, missing, ofMissing, wrong, all int }

func (c *counts) count(expect string, one, right bool, rivals int) {
	c.all++
	if one && !right {
		c.wrong++
	}
	hit := func(n, of *int, is bool) {
		*of++
		if is {
			*n++
		}
	}
	switch expect {
	case "found":
		hit(&c.found, &c.ofFound, one && right)
	case "ambiguous":
		hit(&c.several, &c.ofSeveral, !one && rivals > 1)
	default:
		hit(&c.missing, &c.ofMissing, !one && rivals == 0)
	}
}

// report prints by folder what the rules answer, and what is answered with the models.
func report(list []*example) {
	by := map[string]*[2]counts{}
	for _, e := range list {
		if e.own {
			continue
		}
		if by[e.set] == nil {
			by[e.set] = &[2]counts{}
		}
		m, one := e.Rules.One()
		by[e.set][0].count(e.Expect, one, one && e.Expect == "found" && e.holds(m.Point), len(e.Rules.Matches))
		point, single, rivals := e.Answer(e.chance, e.sure, e.alike)
		by[e.set][1].count(e.Expect, single, single && e.Expect == "found" && e.holds(point), rivals)
	}
	for _, set := range slices.Sorted(maps.Keys(by)) {
		for n, name := range []string{"rules", "judged"} {
			c := by[set][n]
			fmt.Printf("%-10s %-7s wrong %d of %d (%.3f), found %.3f of %d, ambiguous %.3f of %d, missing %.3f of %d\n", set, name, c.wrong, c.all, part(c.wrong, c.all),
				part(c.found, c.ofFound), c.ofFound, part(c.several, c.ofSeveral), c.ofSeveral, part(c.missing, c.ofMissing), c.ofMissing)
		}
	}
}

// failures prints by kind why questions that expect one thing are not answered with it.
func failures(list []*example) {
	by := map[string]map[string]int{}
	for _, e := range list {
		if e.Expect != "found" {
			continue
		}
		if by[e.kind()] == nil {
			by[e.kind()] = map[string]int{}
		}
		by[e.kind()][e.failure()]++
	}
	for _, kind := range slices.Sorted(maps.Keys(by)) {
		fmt.Printf("%-13s", kind)
		for _, why := range slices.Sorted(maps.Keys(by[kind])) {
			fmt.Printf(" %s %d;", why, by[kind][why])
		}
		fmt.Println()
	}
}

// failure says where the element that is meant is lost, or that it is found.
func (e *example) failure() string {
	point, single, rivals := e.Answer(e.chance, e.sure, e.alike)
	how := "refused"
	switch {
	case single && e.holds(point):
		return "found"
	case single:
		how = "another answered"
	case rivals > 0:
		how = "called ambiguous"
	}
	switch _, byRules := e.Rules.One(); {
	case !slices.Contains(e.right, true):
		return "not among the elements, " + how
	case !e.isFirstRight():
		return "ranked below, " + how
	case byRules && how == "refused":
		return "first, answer of the rules " + how
	}
	return "first, " + how
}

func part(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// kinds says whose questions are counted together: of the kits in data, of the folders, and those to learn from.
func (e *example) kind() string {
	switch {
	case e.own:
		return "to learn from"
	case e.set == kitSet || e.set == ownFolder:
		return e.set
	}
	return "folders"
}

// curve prints how often the likeliest element is right, and how many points are right and wrong if each is answered
// that is right with at least some probability: what leastJudged is chosen by.
func curve(list []*example) {
	by := map[string][]*example{}
	for _, e := range list {
		by[e.kind()] = append(by[e.kind()], e)
	}
	for _, kind := range slices.Sorted(maps.Keys(by)) {
		first, of := 0, 0
		for _, e := range by[kind] {
			if e.Expect == "found" {
				of++
				first += count(e.isFirstRight())
			}
		}
		fmt.Printf("%-13s the likeliest is right %.3f of %d;", kind, part(first, of), of)
		for least := 0.5; least < 0.9; least += 0.05 {
			found, wrong := 0, 0
			for _, e := range by[kind] {
				if len(e.top) > 0 && e.sure >= least {
					found, wrong = found+count(e.isFirstRight()), wrong+count(!e.isFirstRight())
				}
			}
			fmt.Printf(" %.2f: %.3f, wrong %.3f;", least, part(found, of), part(wrong, len(by[kind])))
		}
		fmt.Println()
	}
}

func (e *example) isFirstRight() bool {
	return len(e.top) > 0 && e.Expect == "found" && e.right[e.top[0]]
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
