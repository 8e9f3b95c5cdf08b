package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// more marks the end of a cut text.
const more = "…"

// Cut returns the whole characters among the first limit bytes of a text. A text of at most limit
// bytes is returned unchanged.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// Short is Cut with "…" after a text that was cut. limit does not include the "…".
func Short(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return Cut(text, limit) + more
}

// Middle shortens a text of more than limit bytes. It returns start and end, limit bytes together,
// with a note about the omitted bytes in between, which limit does not include.
func Middle(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := text[:limit/2], text[len(text)-limit/2:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("\n[… %d bytes left out …]\n", len(text)-len(head)-len(tail)) + strings.ToValidUTF8(tail, "")
}

// OneLine returns a text on one line: each run of white space becomes one space, and unprintable
// characters are removed, such as marks of the writing direction, which Text escapes. The result
// has at most limit bytes; if it was cut, it ends with "…", which limit includes.
func OneLine(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, Cut(text, 4*limit))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= limit {
		return text
	}
	return Short(text, limit-len(more))
}
