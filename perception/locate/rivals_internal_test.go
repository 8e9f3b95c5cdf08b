package locate

import (
	"slices"
	"testing"

	"github.com/windieos/windie/perception/elements"
)

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
