package sentence

import "strconv"

// pronouns are the words for a thing that has just been named.
var pronouns = set("it this that one them there ihn sie es das den dies diesen dieses da dort darauf drauf hinein rein")

// longestPronoun is the number of words of the rest of a sentence in which a pronoun is looked for.
const longestPronoun = 8

// WithName returns the rest of a sentence with a name in the place of its first pronoun. ok is false if there is none near
// its beginning.
func WithName(said, name string) (named string, ok bool) {
	for i, t := range tokensOf(said) {
		if i == longestPronoun || i > 0 && t.after == "." {
			break
		}
		if !t.quoted && pronouns[t.word] {
			return said[:t.at] + strconv.Quote(name) + t.after + said[t.end:], true
		}
	}
	return said, false
}
