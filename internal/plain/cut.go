package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// more marks the end of a cut text.
const more = "…"

// Cut shortens a text to at most limit bytes, and never splits a character. A text of at most limit
// bytes is returned unchanged.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// Short shortens a text like Cut, and then adds "…". limit does not include the "…". A text of at
// most limit bytes is returned unchanged.
func Short(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return Cut(text, limit) + more
}

// Middle shortens a text of more than limit bytes: it removes the middle. The rest has at most
// limit bytes. A note, which limit does not include, says how many bytes were removed.
func Middle(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := text[:limit/2], text[len(text)-limit/2:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("\n[… %d bytes left out …]\n", len(text)-len(head)-len(tail)) + strings.ToValidUTF8(tail, "")
}

// OneLine returns a text on one line of at most limit bytes. Each run of white space becomes one
// space. Unprintable characters, such as marks of the writing direction, are removed and not
// escaped. If the line was cut, it ends with "…", which counts towards limit.
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
