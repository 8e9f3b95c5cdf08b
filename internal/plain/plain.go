// Package plain shows people what others wrote, so that the words stay inside
// the place they are shown in.
//
//	fmt.Fprintf(w, "is  %s\n", plain.Text(plugin.Description))
//
// A plugin's description, a tool's arguments or a label on a screen may forge the lines around it
// by characters that move the cursor, begin a line, turn the reading direction or are invisible.
package plain

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-isatty"

	"github.com/windieos/windie/internal/fault"
)

// Text returns text as one line in which every character is seen: line ends, control and format
// characters, spaces other than the common one, characters that have no shape, and bytes that are
// not UTF-8 are escaped as in Go: \n, \u202e or \xff. All others stay, the backslash included: the
// result is to be read, not parsed.
func Text(text string) string {
	hidden := strings.IndexFunc(text, IsHidden)
	if hidden < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:hidden])
	for rest := text[hidden:]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(rest[0]), 16))
		case IsHidden(r):
			b.WriteString(escaped(r))
		default:
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return b.String()
}

// IsHidden reports whether a reader would not see r as itself: it is a space other than the common one, or not seen at all. Every byte
// that is not UTF-8 is read as utf8.RuneError, which is looked at closer by Text. The console has a rule of its own, which is tested against
// this one.
func IsHidden(r rune) bool {
	return r == utf8.RuneError || !strconv.IsPrint(r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == brailleBlank
}

// brailleBlank is a symbol without a dot, which no table of Unicode calls invisible.
const brailleBlank = '\u2800'

// escaped returns the escape of r, as Go writes it in a string; r itself where
// somebody wrote the replacement character.
func escaped(r rune) string {
	if r == utf8.RuneError {
		return string(r)
	}
	quoted := strconv.QuoteRuneToASCII(r)
	return quoted[1 : len(quoted)-1]
}

// Lines is Text for text of several lines: its line ends (\n, or \r\n) stay, and each line but the
// first begins with indent, to show that it goes on.
func Lines(text, indent string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = Text(line)
	}
	return strings.Join(lines, "\n"+indent)
}

// Explain returns err for people who may read causes: a fault with each invalid field on a line of
// its own, and with its private cause. Other errors stay as they are.
func Explain(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	text := Text(strings.TrimSuffix(f.Message, "; details.fields says why")) // the fields follow
	for _, field := range f.Details.Fields {
		text += "\n  "
		if field.Path != "" { // else it is about the whole
			text += Text(field.Path) + ": "
		}
		text += Text(field.Message)
	}
	if f.Cause != nil && strings.Contains(text, "the log has the reason") {
		text += ": " + Text(f.Cause.Error())
	}
	return errors.New(text)
}

// JSON writes v for people and programs: indented, with <, > and & as they are.
func JSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// IsTerminal reports whether people read what is written to w.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
