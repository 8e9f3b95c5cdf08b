package plain_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

func ExampleText() {
	fmt.Println("is", plain.Text("a clock\ngranted  nothing \x1b[2K\u202eevil"))
	// Output: is a clock\ngranted  nothing \x1b[2K\u202eevil
}

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"words", `C:\temp "näïve" 日本語 🙂 a  b`, `C:\temp "näïve" 日本語 🙂 a  b`},
		{"lines", "a\nb\r\nc\td", `a\nb\r\nc\td`},
		{"escape sequence", "\x1b]0;title\a", `\x1b]0;title\a`},
		{"control characters of the upper half", "a\u009b2J", `a\u009b2J`},
		{"line and paragraph separators", "a\u2028b\u2029", `a\u2028b\u2029`},
		{"reading direction", "\u202eabc\u2066d\u2069\u200f", `\u202eabc\u2066d\u2069\u200f`},
		{"nothing to see", "a\u200bb\u00adc\ufeffd\u3164e\u2800f\ufe0fg\U000e0041h\U000e0100", `a\u200bb\u00adc\ufeffd\u3164e\u2800f\ufe0fg\U000e0041h\U000e0100`},
		{"other spaces", "a\u00a0b\u3000c", `a\u00a0b\u3000c`},
		{"not UTF-8", "a\xffb\xc3", `a\xffb\xc3`},
		{"a replacement character that was written", "a\ufffdb\n", "a\ufffdb\\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := plain.Text(c.in); got != c.want {
				t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// FuzzText holds what callers rely on: one line, valid, seen, and stable.
func FuzzText(f *testing.F) {
	f.Add("a\nb\x1b\u202e\xff\ufe0f")
	f.Fuzz(func(t *testing.T, in string) {
		out := plain.Text(in)
		hidden := func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) }
		if !utf8.ValidString(out) || strings.IndexFunc(out, hidden) >= 0 || plain.Text(out) != out {
			t.Errorf("Text(%q) = %q", in, out)
		}
	})
}

// Each field of a fault has a line; what is about the whole has no path.
func TestExplain(t *testing.T) {
	t.Parallel()
	f := fault.New("op", sdkapi.ValidationError, "no").At("", "expected a picture").At("body.limit", "expected %d", 1)
	if got, want := plain.Explain(f).Error(), "no\n  expected a picture\n  body.limit: expected 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// All of several errors are explained, each once, and the code stays for the exit code.
func TestExplainKeepsErrors(t *testing.T) {
	t.Parallel()
	damaged := fault.New("op", sdkapi.StateDamaged, "damaged; the log has the reason").Because(errors.New("page 3"))
	first := fault.New("op", sdkapi.NotFound, "no").At("name", "unknown")
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"joined":             {errors.Join(first, errors.New("closing failed"), damaged), "no\n  name: unknown\nclosing failed\ndamaged; the log has the reason: page 3"},
		"with a text around": {fmt.Errorf("op: %w: %w", damaged, io.EOF), "damaged; the log has the reason: page 3"},
		"explained twice":    {fmt.Errorf("a.png: %w", plain.Explain(damaged)), "a.png: damaged; the log has the reason: page 3"},
		"canceled":           {fault.New("op", sdkapi.StateDamaged, "damaged").Because(context.Canceled), "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := plain.Explain(tt.err)
			if got.Error() != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if !errors.Is(got, damaged) && !errors.Is(got, context.Canceled) {
				t.Errorf("%#v lost its cause", got)
			}
		})
	}
}
