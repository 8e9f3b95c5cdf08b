// Package plain prepares texts from other people and programs for display, so that these texts
// cannot affect their surroundings.
//
//	fmt.Fprintf(w, "is  %s\n", plain.Text(plugin.Description))
//
// A plugin's description, a tool's arguments or a label on a screen may imitate or hide the lines
// around it. Characters that move the cursor, begin a line, change the writing direction or are
// invisible make this possible.
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

// Text returns text as one line in which every character is visible. It escapes line ends, control
// and format characters, uncommon spaces, invisible characters, and bytes that are not UTF-8, with
// Go's escapes such as \n, \u202e or \xff. All other characters are unchanged, even the backslash:
// the result is for people to read, not for programs to parse.
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

// IsHidden reports whether r is invisible or looks like another character. For example, an uncommon
// space looks like a space. IsHidden also returns true for utf8.RuneError, because bytes that are
// not UTF-8 decode to RuneError; Text examines such bytes. The console has a similar rule, and a
// test compares the two rules.
func IsHidden(r rune) bool {
	return r == utf8.RuneError || !strconv.IsPrint(r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == brailleBlank
}

// brailleBlank is a symbol without a dot. Unicode's tables do not list it as invisible.
const brailleBlank = '\u2800'

// escaped returns the escape of r in a Go string. It returns r itself if the text has the
// replacement character.
func escaped(r rune) string {
	if r == utf8.RuneError {
		return string(r)
	}
	quoted := strconv.QuoteRuneToASCII(r)
	return quoted[1 : len(quoted)-1]
}

// Lines returns text like Text, but keeps line ends (\n or \r\n). Each line except the first begins
// with indent.
func Lines(text, indent string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = Text(line)
	}
	return strings.Join(lines, "\n"+indent)
}

// Explain returns err with a text for people who may see the private cause. If err is a fault, the
// text has each invalid field on its own line. If the message of the fault refers to the log, the
// text ends with the cause. Joined errors are explained one by one. Explain does not change other
// errors, or errors that it has already explained. err stays in the error chain.
func Explain(err error) error {
	if parts, is := err.(interface{ Unwrap() []error }); is {
		if all := parts.Unwrap(); err.Error() == errors.Join(all...).Error() { // no text around the parts
			lines := make([]error, len(all))
			for i, each := range all {
				lines[i] = Explain(each)
			}
			return errors.Join(lines...)
		}
	}
	var f *fault.Error
	if errors.As(err, new(*explained)) || !errors.As(err, &f) {
		return err
	}
	text := Text(strings.TrimSuffix(f.Message, "; details.fields lists the problems")) // the fields follow
	for _, field := range f.Details.Fields {
		text += "\n  "
		if field.Path != "" { // an empty path means the whole input
			text += Text(field.Path) + ": "
		}
		text += Text(field.Message)
	}
	if f.Cause != nil && strings.Contains(text, "the log has the reason") {
		text += ": " + Text(f.Cause.Error())
	}
	return &explained{text, err}
}

// explained is an error with a text for people. It keeps err, whose code gives the exit code.
type explained struct {
	text string
	err  error
}

// Error returns the text for people.
func (e *explained) Error() string { return e.text }

// Unwrap returns the explained error.
func (e *explained) Unwrap() error { return e.err }

// JSON writes v as indented JSON, for people and programs. It does not escape <, > and &.
func JSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
