package locate

import "slices"

// refused maps a verb to the verb that means the same as its negation, for example "discard" for
// "do not keep my changes".
var refused = expand(map[string]string{"keep|save|store|apply|submit|send|take": "discard", "accept|allow|agree|permit": "decline", "continue|proceed": "cancel"})

// withoutNot reads "do not keep my changes" as "discard my changes", unless the words are on the
// screen. "Don't save" alone is the name of a button.
func (s *screen) withoutNot(list []token) []token {
	for i := 0; i+1 < len(list); i++ {
		n := 0
		switch t := list[i].text; {
		case list[i].quoted, s.span(list[i:]) > 0:
		case t == "don't" || t == "dont" || t == "won't":
			n = 1
		case (t == "do" || t == "will") && list[i+1].text == "not":
			n = 2
		}
		if n > 0 && i+n+1 < len(list) && !list[i+n].quoted && meaning(list[i+n+1:], asked)+meaning(list[i+n+1:], relationWords) == 0 && refused[list[i+n].text] != "" {
			return slices.Concat(list[:i], []token{{text: refused[list[i+n].text], later: i > 0}}, list[i+n+1:])
		}
	}
	return list
}

// marked sets stands for the words for sizes that are on the screen. They may be part of a name.
func (s *screen) marked(list []token) []token {
	for i := range list {
		list[i].stands = sizes[list[i].text] != 0 && s.onScreen[stem(list[i].text)]
	}
	return list
}

// grounded joins words that are together on the screen into one quoted text, for example "Keep me
// signed in". A single word with a capital becomes a text if it also has another meaning.
func (s *screen) grounded(list []token) (out []token) {
	for i := 0; i < len(list); {
		n := s.span(list[i:])
		// "the last day"
		counted := i > 0 && !list[i].proper && ordinalWords[list[i-1].text] != 0 && nouns[list[i].text] != ""
		if n == 0 && !counted && !list[i].quoted && s.known(list[i:i+1]) && (list[i].proper && isMeant(list[i:i+1]) || nouns[list[i].text] != "") {
			n = 1
		}
		if n == 0 {
			out = append(out, list[i])
			i++
			continue
		}
		out = append(out, token{text: joined(list[i : i+n]), quoted: true, seen: true})
		i += n
	}
	return out
}

// span returns how many words at the start of list are a text of the screen. It returns 0 for a
// single word.
func (s *screen) span(list []token) int {
	for n := min(maxSpan, len(list)); n > 1; n-- {
		if !slices.ContainsFunc(list[:n], func(t token) bool { return t.quoted }) && s.known(list[:n]) && !isKind(list[:n]) {
			return n
		}
	}
	return 0
}

// known reports whether words, joined, are the whole label of an element. It ignores the signs that letters removes.
func (s *screen) known(list []token) bool { return s.texts[letters(joined(list))] }

// isKind reports whether a phrase names a kind, position, place or state.
func isKind(list []token) bool {
	n := len(list)
	return meaning(list, asked) == n || meaning(list, positionWords) == n || meaning(list, places) == n || meaning(list, stateWords) == n
}

// isMeant reports whether every word of a phrase is in a lexicon.
func isMeant(list []token) bool {
	for len(list) > 0 {
		n := max(meaning(list, noise), meaning(list, relationWords), meaning(list, asked), meaning(list, colorWords),
			meaning(list, stateWords), meaning(list, places), meaning(list, ordinalWords), meaning(list, tones))
		if n == 0 {
			return false
		}
		list = list[n:]
	}
	return true
}
