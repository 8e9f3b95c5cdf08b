package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// more marks the end of a cut text.
const more = "…"

// Cut returns the whole characters among the first most bytes of a text. A text of at most most
// bytes is returned unchanged.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// Short is Cut with "…" after a text that was cut. most does not include the "…".
func Short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return Cut(text, most) + more
}

// Middle shortens a text of more than most bytes. It returns start and end, most bytes together,
// with a note about the omitted bytes in between, which most does not include.
func Middle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := text[:most/2], text[len(text)-most/2:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("\n[… %d bytes are left out …]\n", len(text)-len(head)-len(tail)) + strings.ToValidUTF8(tail, "")
}

// OneLine returns a text on one line: each run of white space becomes one space, and unprintable
// characters are removed, such as marks of the writing direction, which Text escapes. The result
// has at most most bytes; if it was cut, it ends with "…", which most includes.
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
