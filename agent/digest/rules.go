package digest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Without a model, the summary is the sentences with the most frequent words, the facts are users'
// statements about themselves, and the title is the start of the first message.
const (
	summarySentences = 5
	summaryRead      = 20000 // maximum number of sentences examined
	ruleFacts        = 20
	shortest         = 12  // characters of the shortest useful sentence
	longest          = 300 // characters of the longest sentence in a summary
	titleWords       = 8
	untitled         = "Conversation"
)

// sentence is a sentence of a conversation.
type sentence struct {
	text  string
	user  bool
	order int
	worth float64
}

// speaker matches the speaker at the start of a line, as in "user: …".
var speaker = regexp.MustCompile(`^\s*(?i:(user|human|me|assistant|agent|ai|system))\s*:\s*`)

// sentencesOf returns the sentences of conversations. The speaker is the user unless a line says
// otherwise.
func sentencesOf(conversations []string) (list []sentence) {
	for _, text := range conversations {
		user := true
		for line := range strings.Lines(text) {
			if found := speaker.FindStringSubmatch(line); found != nil {
				user = slices.Contains([]string{"user", "human", "me"}, strings.ToLower(found[1]))
				line = line[len(found[0]):]
			}
			for _, s := range splitSentences(line) {
				if len(list) == summaryRead {
					return list
				}
				list = append(list, sentence{text: s, user: user, order: len(list)})
			}
		}
	}
	return list
}

// splitSentences splits a line after each mark that ends a sentence and is followed by a space.
func splitSentences(line string) (list []string) {
	from := 0
	runes := []rune(oneLine(line))
	for i, r := range runes {
		ends := strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?", r) && (i+1 == len(runes) || runes[i+1] == ' ')
		if ends || i+1 == len(runes) {
			if s := strings.TrimSpace(string(runes[from : i+1])); s != "" {
				list = append(list, s)
			}
			from = i + 1
		}
	}
	return list
}

// wordsOf returns the words of at least four letters in a sentence, in lower case. Shorter words
// mean little.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return slices.DeleteFunc(words, func(w string) bool { return length(w) < 4 })
}

// summaryByRules returns a summary without a model. Its text is empty if the conversations have no
// sentences.
func summaryByRules(conversations []string) Summary {
	all := sentencesOf(conversations)
	return Summary{Text: summaryOf(all), Facts: factsOf(all), Method: ByRules}
}

// summaryOf returns the sentences with the most frequent words, in their original order.
func summaryOf(all []sentence) string {
	count := map[string]int{}
	for _, s := range all {
		for _, w := range wordsOf(s.text) {
			count[w]++
		}
	}
	list := slices.DeleteFunc(slices.Clone(all), func(s sentence) bool { n := length(s.text); return n < shortest || n > longest })
	for i := range list {
		words := wordsOf(list[i].text)
		for _, w := range words {
			list[i].worth += float64(count[w])
		}
		list[i].worth /= float64(len(words) + 3) // a sentence with few words is a bad summary
		if list[i].user {
			list[i].worth *= 1.25 // users' requests show best what the conversation was about
		}
	}
	slices.SortStableFunc(list, func(a, b sentence) int { return cmp.Compare(b.worth, a.worth) })
	list = slices.CompactFunc(list, func(a, b sentence) bool { return a.text == b.text })
	list = list[:min(len(list), summarySentences)]
	slices.SortFunc(list, func(a, b sentence) int { return a.order - b.order })
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.text
	}
	if len(texts) == 0 && len(all) > 0 {
		return short(all[0].text, longest)
	}
	return strings.Join(texts, " ")
}

// aboutUser matches users' statements about themselves, in English.
var aboutUser = regexp.MustCompile(`(?i)\b(I am|I'm|I was|I have|I've|I like|I love|I hate|I prefer|I live|I moved|I work|I use|I drive|I speak|I always|I never|my [\w'-]+( [\w'-]+)? (is|are|was)|call me|remember that)\b`)

// factsOf returns at most ruleFacts sentences in which users describe themselves, in order and
// without duplicates. It omits questions.
func factsOf(all []sentence) []string {
	facts, seen := []string{}, map[string]bool{}
	for _, s := range all {
		n, key := length(s.text), strings.ToLower(s.text)
		if !s.user || seen[key] || n < shortest || n > longest || strings.HasSuffix(s.text, "?") || !aboutUser.MatchString(s.text) {
			continue
		}
		seen[key] = true
		if facts = append(facts, s.text); len(facts) == ruleFacts {
			break
		}
	}
	return facts
}

// titleByRules returns the first words of the first sentence with text.
func titleByRules(said, answered string) string {
	for _, text := range []string{said, answered} {
		for line := range strings.Lines(text) {
			for _, s := range splitSentences(line) {
				words := strings.Fields(strings.Trim(s, quotes+".!?:;,。！？"))
				if !hasText(s) {
					continue
				}
				return short(strings.Join(words[:min(len(words), titleWords)], " "), maxTitle)
			}
		}
	}
	return untitled
}

// hasText reports whether a text has a letter or a digit.
func hasText(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// short returns at most limit characters of a text, cut at the end of a word if possible.
func short(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	cut := string(runes[:limit-1])
	if i := strings.LastIndex(cut, " "); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
