package memory

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Entry is a text to remember.
type Entry struct {
	Kind   Kind   // kind of the file for the entry: LongTerm or Daily
	Text   string // text of the entry, in Markdown
	Source string // origin of the text, for example "chat"; may be empty
}

// headingPattern matches the heading of an entry.
var headingPattern = regexp.MustCompile(`^## \d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC`)

// check returns a fault with all invalid fields of an entry.
func (e Entry) check(op string) error {
	f := fault.New(op, sdkapi.ValidationError, "the memory entry is invalid; details.fields lists the problems")
	if e.Kind != LongTerm && e.Kind != Daily {
		f = f.At("kind", "expected %s or %s", LongTerm, Daily)
	}
	if len(e.Text) > MaxEntry || !utf8.ValidString(e.Text) || strings.Contains(e.Text, "\x00") {
		f = f.At("text", "expected at most %d bytes of UTF-8, without NUL", MaxEntry)
	} else if strings.TrimSpace(e.Text) == "" {
		f = f.At("text", "expected at least one character other than white space")
	}
	if len(e.Source) > MaxSource || !utf8.ValidString(e.Source) || strings.IndexFunc(e.Source, unicode.IsControl) >= 0 {
		f = f.At("source", "expected one line of at most %d bytes of UTF-8", MaxSource)
	}
	if len(f.Details.Fields) > 0 {
		return f
	}
	return nil
}

// path returns the file for an entry that is written at now.
func (e Entry) path(now time.Time) string {
	if e.Kind == LongTerm {
		return longTermPath
	}
	return dailyOf(now)
}

// title is the first line of a new file.
func (e Entry) title(now time.Time) string {
	if e.Kind == LongTerm {
		return "# Memory\n"
	}
	return "# " + now.UTC().Format(time.DateOnly) + "\n"
}

// render returns an entry as the text for its file. It escapes headings of entries within the text, so that nobody can
// forge a note's source. Markdown shows the escaped text alike.
func (e Entry) render(now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s UTC", now.UTC().Format(time.DateTime))
	if source := strings.TrimSpace(e.Source); source != "" {
		b.WriteString(" · " + source)
	}
	b.WriteString("\n")
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(e.Text)
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		if headingPattern.MatchString(line) {
			b.WriteString(`\`)
		}
		b.WriteString(line)
	}
	b.WriteString("\n")
	return b.String()
}
