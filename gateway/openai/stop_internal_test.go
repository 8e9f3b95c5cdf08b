package openai

import (
	"strings"
	"testing"
)

// However a text is cut into pieces, what is said of it is the text before the first stop.
func TestCutter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		stops []string
		text  string
		want  string
		done  bool
	}{
		{"no stop", []string{"END"}, "one two", "one two", false},
		{"a stop in the middle", []string{"END"}, "one END two", "one ", true},
		{"a stop at the beginning", []string{"END"}, "END two", "", true},
		{"half of a stop at the end", []string{"END"}, "one EN", "one EN", false},
		{"a stop behind half of itself", []string{"END"}, "one ENEND", "one EN", true},
		{"the earlier of two", []string{"two", "one"}, "zero one two", "zero ", true},
		{"of two that overlap, the one that begins first", []string{"bc", "abd"}, "xabcabd", "xa", true},
		{"no stops", nil, "one", "one", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for size := 1; size <= len(tt.text); size++ {
				c := newCutter(tt.stops)
				var said strings.Builder
				for rest := tt.text; rest != "" && !c.done; {
					n := min(size, len(rest))
					said.WriteString(c.add(rest[:n]))
					rest = rest[n:]
				}
				said.WriteString(c.rest())
				if said.String() != tt.want || c.done != tt.done {
					t.Errorf("in pieces of %d: %q, done %t; want %q, %t", size, said.String(), c.done, tt.want, tt.done)
				}
			}
		})
	}
}
