package locate

import (
	"slices"
	"testing"

	"github.com/windieos/windie/perception/elements"
)

// What stands over a group, and what is first or last in it, is known whatever is asked; a part stands where its thing does.
func TestStanding(t *testing.T) {
	t.Parallel()
	s := drawn(
		label(elements.Text, "Places", 8, 60, 44, 18),
		label(elements.MenuItem, "Home", 20, 90, 150, 28), label(elements.Text, "Home", 40, 95, 40, 18),
		label(elements.MenuItem, "Desktop", 20, 122, 150, 28), label(elements.MenuItem, "Trash", 20, 154, 150, 28),
		label(elements.Button, "Save", 400, 700, 80, 30), label(elements.Button, "Discard", 490, 700, 80, 30),
	)
	for name, want := range map[int]standing{
		0: {over: 3, first: true}, 1: {column: 1, columns: 3}, 4: {column: 3, columns: 3}, 6: {row: 2, rows: 2},
	} {
		t.Run(s.labels[name], func(t *testing.T) {
			if got := s.standings()[name]; got != want {
				t.Errorf("it stands %+v, want %+v", got, want)
			}
		})
	}
	t.Run("numbers", func(t *testing.T) {
		of := func(i int, asked string) []float64 {
			said := tokens(asked)
			q := attach(said, 0, false)
			return s.newScales(&q, nil, said, Answer{}).ofStanding(i)
		}
		if got := of(0, "title of the menu"); got[0] != 1 || got[1] != 3 {
			t.Errorf("a title that is asked for stands %v", got)
		}
		if part, thing := of(2, "home"), of(1, "home"); part[5] != 0 || part[6] != thing[6] {
			t.Errorf("a part stands %v, its thing %v", part, thing)
		}
		if got := of(4, "trash"); got[0] != 0 || got[5] != 1 {
			t.Errorf("the last one stands %v", got)
		}
	})
}

// A text that says what a control is for is not a rival of the control, unless a text is asked for.
func TestCaptionsAreNoRivals(t *testing.T) {
	t.Parallel()
	field := label(elements.Field, "", 400, 122, 300, 40)
	field.Caption = "Country"
	s := drawn(label(elements.Text, "Country", 400, 100, 80, 18), field, label(elements.Link, "Country", 20, 300, 80, 18), label(elements.Text, "Nation", 20, 400, 80, 18))
	for name, tt := range map[string]struct {
		kinds      []string
		kept, want []int
	}{
		"the field":       {nil, []int{0, 1}, []int{1}},
		"a text":          {[]string{"text"}, []int{0, 1}, []int{0, 1}},
		"a heading":       {[]string{"heading"}, []int{0, 1}, []int{0, 1}},
		"far away":        {nil, []int{1, 2}, []int{1, 2}},
		"another text":    {nil, []int{1, 3}, []int{1, 3}},
		"without a field": {nil, []int{0, 3}, []int{0, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			var kept []candidate
			for _, i := range tt.kept {
				kept = append(kept, candidate{element: i})
			}
			var got []int
			for _, c := range s.withoutCaptions(&query{kinds: tt.kinds}, kept) {
				got = append(got, c.element)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("the rivals are %v, want %v", got, tt.want)
			}
		})
	}
}
