package vlm

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Choice is the element that a model chose.
type Choice struct {
	Index int    // index in the lines, or -1 if the model means none of them
	Said  string // the model's answer, shortened
	// Model is the name of the model at the server.
	Model string
	// Took is the duration of Choose.
	Took  time.Duration
	Usage models.Usage
}

// MaxChoices is the maximum number of lines of Choose.
const MaxChoices = 24

// choose is the question of Choose, before the numbered lines.
const choose = "These are elements of a screen. Each is described in one line, from what a program sees. " +
	"Answer with the number of the element that fits this description, and nothing else. " +
	"If none of them fits, answer with the word none.\nDescription: "

// Choose asks the model which of 1 to MaxChoices lines fits a description. The model gets no image.
// Answers that are neither one of the numbers nor none fail with the errors of Locate: words alone
// with TARGET_NOT_FOUND, several numbers with AMBIGUOUS_MATCH, and other numbers and refusals with
// MODEL_ERROR. The cause is a *Miss.
func (c *Client) Choose(ctx context.Context, description string, lines []string) (Choice, error) {
	out := Choice{Index: -1, Model: c.name}
	if description == "" || len(description) > MaxDescription || len(lines) == 0 || len(lines) > MaxChoices {
		return out, fault.New("vlm.Choose", sdkapi.ValidationError, "the description or the list of elements is empty or too long").
			At("description", "expected 1 to %d bytes", MaxDescription)
	}
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var question strings.Builder
	question.WriteString(choose + description)
	for n, line := range lines {
		fmt.Fprintf(&question, "\n%d %s", n+1, line)
	}
	s, err := c.ask(limited, models.Part{Text: question.String()})
	out.Took, out.Usage, out.Said = time.Since(began), s.usage, s.shortened()
	if err == nil {
		out.Index, err = chosen(s, lines)
	}
	return out, c.inTime(ctx, err)
}

// whole matches the numbers of an answer. A fraction or a negative number is one number, which no
// element has.
var whole = regexp.MustCompile(`-?\d+(?:\.\d+)*`)

// chosen returns the index of the line that an answer names, or -1 for the word "none". The answer may repeat
// the line, whose label may contain numbers.
func chosen(s reply, lines []string) (int, error) {
	text := s.text
	first := whole.FindString(text)
	if n, err := strconv.Atoi(first); err == nil && n >= 1 && n <= len(lines) {
		text = strings.Replace(text, lines[n-1], "", 1)
	}
	miss := &Miss{Said: s.shortened()}
	why, denied := denial(text)
	switch {
	case s.refused:
		miss.Why = Refused
	case denied && why == Absent, nothing.MatchString(text):
		return -1, nil
	case denied:
		miss.Why = why
	case s.cut:
		miss.Why = Unclear // the last number may be incomplete
	}
	numbers := whole.FindAllString(text, maxMarks)
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	switch {
	case miss.Why != "":
	case len(numbers) == 0:
		miss.Why = Unclear
	case len(numbers) > 1:
		miss.Why = Several
	default:
		if n, err := strconv.Atoi(numbers[0]); err == nil && n >= 1 && n <= len(lines) {
			return n - 1, nil
		}
		miss.Why = Outside
	}
	return -1, missed("vlm.Choose", miss)
}
