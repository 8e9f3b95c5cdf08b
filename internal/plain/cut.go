package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// more stands at the end of a text that was cut.
const more = "…"

// Cut returns a text of at most most bytes as it is, and of a longer one the
// whole characters among its first most bytes.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// Short is Cut with "…" behind a text that was cut, which is not counted in most.
func Short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return Cut(text, most) + more
}

// Middle returns a text of at most most bytes as it is, and of a longer one beginning and end, most
// bytes together, around the number of bytes left out, which is not counted.
func Middle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := text[:most/2], text[len(text)-most/2:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("\n[… %d bytes left out …]\n", len(text)-len(head)-len(tail)) + strings.ToValidUTF8(tail, "")
}

// OneLine returns a text on one line, with one space in place of each run of spaces and line ends,
// and without characters that are not printed, as the marks that turn the direction of writing,
// which Text keeps. It has at most most bytes, with "…", which is counted, at the end of a text
// that was cut.
func OneLine(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, Cut(text, 4*most))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= most {
		return text
	}
	return Short(text, most-len(more))
}
