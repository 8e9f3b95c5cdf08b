package evaluate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
)

// described returns the boxes of a question by description, and reports whether their number fits Expect.
func (q question) described() ([][]float64, bool) {
	switch q.Expect {
	case "found":
		return [][]float64{q.Box}, q.Boxes == nil
	case "ambiguous":
		return q.Boxes, len(q.Boxes) > 1 && q.Box == nil
	default:
		return nil, q.Expect == "missing" && q.Box == nil && q.Boxes == nil
	}
}

// Questions with a description have places on their pictures, none is asked
// twice, and of each answer enough are asked and about a sixth is held out.
func TestCommittedDescriptions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(testkit.RepoRoot(t), "perception", "testdata", "screens")
	var list []question
	if err := readJSON(filepath.Join(dir, "questions.json"), &list); err != nil {
		t.Fatal(err)
	}
	type about struct{ screen, description string }
	seen, asked, held := map[about]bool{}, map[string]int{}, map[string]int{}
	for _, q := range list {
		if q.Kind != "locate" {
			continue
		}
		key := about{q.Screen, q.Description}
		if q.Description == "" || seen[key] {
			t.Errorf("%+v asks nothing, or what is asked already", q)
		}
		seen[key] = true
		asked[q.Expect]++
		if q.Held {
			held[q.Expect]++
		}
		checkPlaces(t, dir, q)
	}
	for expect, least := range map[string]int{"found": 120, "ambiguous": 30, "missing": 30} {
		t.Run(expect, func(t *testing.T) {
			if n, out := asked[expect], held[expect]; n < least || out*8 < n || out*4 > n {
				t.Errorf("%d of %d questions that expect %s are held out; want a sixth of at least %d", out, n, expect, least)
			}
		})
	}
}

// checkPlaces fails the test unless the boxes of q lie on its picture.
func checkPlaces(t *testing.T, dir string, q question) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, q.Screen+".png"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := perception.DecodeHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	places, fit := q.described()
	if !fit {
		t.Errorf("%+v does not have the boxes that it expects", q)
	}
	for _, b := range places {
		if len(b) != 4 || b[0] < 0 || b[1] < 0 || b[2] <= 0 || b[3] <= 0 || b[0]+b[2] > float64(h.Width) || b[1]+b[3] > float64(h.Height) {
			t.Errorf("%+v: the box %v is not on a picture of %d x %d", q, b, h.Width, h.Height)
		}
	}
}
