package digest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// readSummary extracts summary and facts from a model's answer: a JSON object, possibly in a code
// block or between other text.
func readSummary(answer string) (summary string, facts []string, err error) {
	from, to := strings.Index(answer, "{"), strings.LastIndex(answer, "}")
	if from < 0 || to < from {
		return "", nil, errors.New("the answer contains no JSON object")
	}
	var said struct {
		Summary *string  `json:"summary"`
		Facts   []string `json:"facts"`
	}
	if err := json.Unmarshal([]byte(answer[from:to+1]), &said); err != nil {
		return "", nil, fmt.Errorf("the answer's JSON is invalid: %w", err)
	}
	if said.Summary == nil || oneLine(*said.Summary) == "" {
		return "", nil, errors.New("the answer has no summary")
	}
	if n := length(*said.Summary); n > maxSummary {
		return "", nil, fmt.Errorf("the answer's summary has %d characters; the limit is %d", n, maxSummary)
	}
	facts, err = readFacts(said.Facts)
	return strings.TrimSpace(*said.Summary), facts, err
}

// readFacts returns facts without empty ones and duplicates.
func readFacts(said []string) ([]string, error) {
	facts, seen := []string{}, map[string]bool{}
	for _, fact := range said {
		fact = oneLine(fact)
		if n := length(fact); n > maxFact {
			return nil, fmt.Errorf("a fact has %d characters; the limit is %d", n, maxFact)
		}
		if key := strings.ToLower(fact); fact != "" && !seen[key] {
			seen[key] = true
			facts = append(facts, fact)
		}
	}
	if len(facts) > maxFacts {
		return nil, fmt.Errorf("the answer has %d facts; the limit is %d", len(facts), maxFacts)
	}
	return facts, nil
}

// quotes are characters that models put around a title.
const quotes = "\"'`“”„‚‘’«»*_# "

// readTitle extracts the title from a model's answer: one line, without surrounding quotes and
// labels.
func readTitle(answer string) (string, error) {
	answer = textIn(strings.TrimSpace(answer))
	if line, _, more := strings.Cut(answer, "\n"); more && strings.TrimSpace(line) != "" {
		answer = line
	}
	title := strings.Trim(oneLine(answer), quotes)
	for _, label := range []string{"title:", "titel:", "titre:"} {
		if len(title) > len(label) && strings.EqualFold(title[:len(label)], label) {
			title = strings.Trim(title[len(label):], quotes)
		}
	}
	title = strings.TrimRight(title, ". ")
	if !hasText(title) {
		return "", errors.New("the answer contains no title")
	}
	if n := length(title); n > maxTitle {
		return "", fmt.Errorf("the title has %d characters; the limit is %d", n, maxTitle)
	}
	return title, nil
}

// textIn returns the text in a JSON object with one field, a form in which some models answer. It
// returns other answers unchanged.
func textIn(answer string) string {
	var object map[string]any
	if json.Unmarshal([]byte(answer), &object) != nil || len(object) != 1 {
		return answer
	}
	for _, value := range object {
		if text, ok := value.(string); ok {
			return text
		}
	}
	return answer
}

// oneLine returns a text on one line, with single spaces and without control characters.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
