package windie_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// withFloors are the packages that are large enough to get lost in. In the best order of
// such a package's files, at most one in ten of the arrows between them runs up.
var withFloors = []string{"agent/session", "wasmtools", "perception/locate", "perception/textline", "cmd/windie"}

func TestFloors(t *testing.T) {
	for _, dir := range withFloors {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			arrows := arrowsOf(t, dir)
			up := arrows.up(arrows.bestOrder())
			if total := len(arrows.why); 10*len(up) > total {
				t.Errorf("%d of %d arrows between files run up, more than one in ten; move what they name to a file below:\n%s", len(up), total, strings.Join(up, "\n"))
			}
		})
	}
}

// arrow is a use in one file of what another file declares.
type arrow struct{ from, to int }

// arrows are those between the files of one package.
type arrows struct {
	files []string
	why   map[arrow][]string // the names that are used
}

// arrowsOf reads a package and nothing that it imports: what other packages
// declare makes no arrow.
func arrowsOf(t *testing.T, dir string) arrows {
	t.Helper()
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	set, files := token.NewFileSet(), []*ast.File{}
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: unread{}, Error: func(error) {}}
	checked, _ := config.Check(dir, set, files, &info) // it has errors: what is imported is empty
	a := arrows{pkg.GoFiles, map[arrow][]string{}}
	at := func(pos token.Pos) int { return slices.Index(a.files, filepath.Base(set.Position(pos).Filename)) }
	for name, object := range info.Uses {
		if object.Pkg() != checked || !isDeclaration(object, checked) {
			continue
		}
		if use := (arrow{at(name.Pos()), at(object.Pos())}); use.from != use.to && !slices.Contains(a.why[use], name.Name) {
			a.why[use] = append(a.why[use], name.Name)
		}
	}
	return a
}

// isDeclaration reports whether object is a function, a method, a type, a constant or a variable of the package.
func isDeclaration(object types.Object, pkg *types.Package) bool {
	if _, is := object.(*types.Func); is {
		return true
	}
	return object.Parent() == pkg.Scope()
}

// unread imports each package as an empty one.
type unread struct{}

func (unread) Import(name string) (*types.Package, error) {
	pkg := types.NewPackage(name, path.Base(name))
	pkg.MarkComplete()
	return pkg, nil
}

// bestOrder returns the files from the top down in an order with few arrows up. It moves
// single files for as long as that helps, from several beginnings, the same at each call.
func (a arrows) bestOrder() (best []int) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		order := random.Perm(len(a.files))
		for slices.ContainsFunc(random.Perm(len(a.files)), func(file int) bool { return a.moveOne(&order, file) }) {
		}
		if best == nil || len(a.up(order)) < len(a.up(best)) {
			best = order
		}
	}
	return best
}

// moveOne moves a file to its best place, and reports whether that is another one.
func (a arrows) moveOne(order *[]int, file int) bool {
	now := slices.Index(*order, file)
	rest := slices.Delete(slices.Clone(*order), now, now+1)
	costs := make([]int, len(rest)+1) // arrows up to or from the file at each place
	for _, other := range rest {
		costs[0] += a.has(other, file)
	}
	for i, other := range rest {
		costs[i+1] = costs[i] - a.has(other, file) + a.has(file, other)
	}
	place := slices.Index(costs, slices.Min(costs))
	if costs[place] == costs[now] {
		return false
	}
	*order = slices.Insert(rest, place, file)
	return true
}

func (a arrows) has(from, to int) int { return min(1, len(a.why[arrow{from, to}])) }

// up describes the arrows that run up in an order.
func (a arrows) up(order []int) (list []string) {
	for i, file := range order {
		for _, above := range order[:i] {
			if names := a.why[arrow{file, above}]; names != nil {
				list = append(list, fmt.Sprintf("%s uses %s of %s", a.files[file], strings.Join(slices.Sorted(slices.Values(names)), ", "), a.files[above]))
			}
		}
	}
	return list
}
