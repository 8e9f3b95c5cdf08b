package plain_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/windieos/windie/internal/plain"
)

func ExampleShort() {
	fmt.Println(plain.Short("née", 3), plain.Short("née", 2), plain.Short("née", 4))
	// Output: né… n… née
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		cut  func(string, int) string
		in   string
		most int
		want string
	}{
		{"cut to fit", plain.Cut, "abc", 3, "abc"},
		{"cut", plain.Cut, "abcd", 3, "abc"},
		{"cut inside a character", plain.Cut, "abé", 3, "ab"},
		{"cut to nothing", plain.Cut, "é", 1, ""},
		{"short to fit", plain.Short, "abc", 3, "abc"},
		{"short", plain.Short, "abéd", 3, "ab…"},
		{"middle to fit", plain.Middle, "abcdef", 6, "abcdef"},
		{"middle", plain.Middle, "abcdefghij", 6, "abc\n[… 4 bytes left out …]\nhij"},
		{"middle of an odd number", plain.Middle, "abcdefghij", 5, "ab\n[… 6 bytes left out …]\nij"},
		{"middle inside characters", plain.Middle, "aéééb", 4, "a\n[… 4 bytes left out …]\nb"},
		{"one line", plain.OneLine, " a\n\tb\u202ec  \x00d\xff ", 20, "a bc d"},
		{"one line to fit", plain.OneLine, "a\nb c", 5, "a b c"},
		{"one line cut", plain.OneLine, "ééééé", 9, "ééé…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.cut(c.in, c.most); got != c.want {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzCut holds what callers rely on: the bounds, and that whole characters are
// left of whole ones.
func FuzzCut(f *testing.F) {
	f.Add("a é\n\u202e\xff…", 5)
	f.Fuzz(func(t *testing.T, in string, most int) {
		if most < 8 || most > 1000 {
			return
		}
		if out := plain.Cut(in, most); len(out) > most || utf8.ValidString(in) && !strings.HasPrefix(in, out) {
			t.Errorf("Cut(%q, %d) = %q", in, most, out)
		}
		out := plain.OneLine(in, most)
		if len(out) > most || strings.ContainsFunc(out, func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }) {
			t.Errorf("OneLine(%q, %d) = %q", in, most, out)
		}
		for _, out := range []string{plain.Short(in, most), plain.Middle(in, most)} {
			if utf8.ValidString(in) && !utf8.ValidString(out) {
				t.Errorf("of %q, cut to %d, is left %q", in, most, out)
			}
		}
	})
}
