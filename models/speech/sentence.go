package speech

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths of a spoken sentence, in bytes. Shorter sentences are joined with the next one. Longer
// ones are cut at a comma, or at the maximum.
const (
	leastSentence = 12
	longSentence  = 200
	mostSentence  = 400
)

// sentences splits a streamed text into sentences that can be spoken. It removes Markdown, shortens
// a URL to its host, and replaces a code block with the word "Code". A sentence ends at ".", "!" or
// "?" before white space, unless that belongs to an abbreviation, an initial or the number of a
// list item. It also ends at Chinese and Japanese full stops, and at the end of a paragraph,
// heading or list item. The zero value is ready to use.
type sentences struct {
	text string // text that is not split yet
	said string // a short sentence that waits for the next one
	code bool   // inside a code block
}

// add adds a piece, and returns the sentences that are complete.
func (s *sentences) add(piece string) []string {
	s.text += piece
	return s.cut(false)
}

// end returns the remaining sentences.
func (s *sentences) end() []string {
	list := s.cut(true)
	if s.said != "" {
		list = append(list, s.said)
	}
	*s = sentences{}
	return list
}

// cut removes the complete sentences from the text and returns them in spoken form. With all, the rest counts as
// complete. A short sentence waits in s.said.
func (s *sentences) cut(all bool) (list []string) {
	for {
		next, spoken := s.next, speakable
		if s.code || fences(s.text) {
			next, spoken = s.line, s.codeLine
		}
		n := next(all)
		if n == 0 {
			return list
		}
		part := s.text[:n]
		s.text = s.text[n:]
		if spoken := spoken(part); spoken != "" {
			if s.said = joined(s.said, spoken); len(s.said) >= leastSentence {
				list, s.said = append(list, s.said), ""
			}
		}
	}
}

// joined joins two sentences, with a space unless their script uses no spaces.
func joined(a, b string) string {
	if last, _ := utf8.DecodeLastRuneInString(a); a == "" || last > 0x2e80 {
		return a + b
	}
	return a + " " + b
}

// fence starts a line that begins or ends a code block.
const fence = "```"

// fences reports whether the first line of text begins or ends a code block. As in Markdown, a line
// with more backticks behind the fence does not: its code ends on the same line.
func fences(text string) bool {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " "), "\n")
	return strings.HasPrefix(line, fence) && !strings.Contains(strings.TrimLeft(line, "`"), "`")
}

// line returns the length of the first line of the text, 0 if it is not complete.
func (s *sentences) line(all bool) int {
	if i := strings.IndexByte(s.text, '\n'); i >= 0 {
		return i + 1
	}
	return rest(s.text, all)
}

// codeLine returns the spoken form of a line in a code block, or of one that begins or ends it.
func (s *sentences) codeLine(line string) string {
	if !fences(line) {
		return ""
	}
	if s.code = !s.code; s.code {
		return "Code."
	}
	return ""
}

// next returns the length of the next sentence in the text, 0 if it is not complete.
func (s *sentences) next(all bool) int {
	comma := 0
	for i, r := range s.text {
		end := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			end = i + 1
		}
		after := s.text[end:]
		switch {
		case r == '\n' && s.lineEnds(i, after, all):
			return end
		case strings.ContainsRune("。！？", r):
			return end
		case strings.ContainsRune(".!?…", r) && s.stops(i, r, after, all):
			return end + len(after) - len(strings.TrimLeft(after, closing))
		case strings.ContainsRune(",;:，；", r) && (after == "" || unicode.IsSpace(first(after)) || r > 0x7f):
			comma = end
		}
		switch {
		case i < longSentence:
		case comma > 0:
			return comma
		case unicode.IsSpace(r), i > mostSentence:
			return end
		}
	}
	return rest(s.text, all)
}

// rest returns the length of the whole text with all, and 0 without it.
func rest(text string, all bool) int {
	if all {
		return len(text)
	}
	return 0
}

// first returns the first character of text, and utf8.RuneError if text is empty.
func first(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

var blockStart = regexp.MustCompile("^(?:[-*+] |[0-9]+[.)] |#{1,6} |> |```|\\|)")

// lineEnds reports whether the line break at i ends a sentence. It does before an empty line or a
// block, and after a block of one line.
func (s *sentences) lineEnds(i int, after string, all bool) bool {
	line := strings.TrimSpace(s.text[:i])
	if line == "" || blockStart.MatchString(line) && !strings.HasPrefix(line, "> ") {
		return true
	}
	if after == "" {
		return all
	}
	return after[0] == '\n' || blockStart.MatchString(strings.TrimLeft(after, " "))
}

var (
	listNumber   = regexp.MustCompile(`(?:^|\n)\s*[0-9]{1,3}$`)
	abbreviation = regexp.MustCompile(`(?:^|[\s("'])(?:\p{Lu}|(?i:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|no|nr|ca|approx|fig|inc|ltd|jr|sr|z\.b|d\.h|bzw|usw|p\.ex))$`)
)

// closing are marks that belong to the sentence before them.
const closing = "\"')]*_”»"

// stops reports whether the mark r at i ends a sentence.
func (s *sentences) stops(i int, r rune, after string, all bool) bool {
	if after == "" {
		return all
	}
	next := first(strings.TrimLeft(after, closing))
	if next == utf8.RuneError && !all {
		return false
	}
	if !unicode.IsSpace(next) && next != utf8.RuneError {
		return false
	}
	if r != '.' {
		return true
	}
	before := s.text[:i]
	if listNumber.MatchString(before) || abbreviation.MatchString(before) {
		return false
	}
	word := first(strings.TrimLeft(after, closing+" \n"))
	return word == utf8.RuneError && all || word != utf8.RuneError && !unicode.IsLower(word)
}

var (
	image     = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	link      = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	address   = regexp.MustCompile(`https?://[^\s)>\]]+`)
	emphasis  = regexp.MustCompile(`\*{1,3}|~~|(^|[\s("'])_{1,3}|_{1,3}($|[\s.,;:!?)"'])`)
	lineStart = regexp.MustCompile(`(?m)^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+)`)
	ruler     = regexp.MustCompile(`(?m)^\s*(?:[-*_=]\s*){3,}$|^\s*\|?(?:\s*:?-{2,}:?\s*\|)+.*$`)
)

// speakable returns the spoken form of a sentence, empty if nothing is to be spoken.
func speakable(text string) string {
	text = ruler.ReplaceAllString(text, "")
	text = lineStart.ReplaceAllString(text, "")
	text = image.ReplaceAllString(text, "$1")
	text = link.ReplaceAllString(text, "$1")
	text = address.ReplaceAllStringFunc(text, func(a string) string {
		if u, err := url.Parse(a); err == nil && u.Host != "" {
			return strings.TrimPrefix(u.Hostname(), "www.")
		}
		return ""
	})
	text = emphasis.ReplaceAllString(text, "$1$2")
	text = strings.NewReplacer("`", "", "|", ", ").Replace(text)
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return ""
	}
	return text
}
