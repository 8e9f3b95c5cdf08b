package openai

import (
	"strings"

	"github.com/windieos/windie/models"
)

// cutter cuts the text of an answer before the first stop sequence. It holds back text that may be
// the start of a stop sequence.
type cutter struct {
	stops []string
	kept  string // the text held back
	done  bool   // a stop sequence was found; the answer ends
}

// newCutter returns a cutter for one answer. Without stops it passes all text on at once.
func newCutter(stops []string) *cutter { return &cutter{stops: stops} }

// event returns e with the text that can already be sent. The result has no kind if no text can be
// sent.
func (c *cutter) event(e models.Event) models.Event {
	if e.Kind != models.Text || len(c.stops) == 0 {
		return e
	}
	if e.Text = c.add(e.Text); e.Text == "" {
		return models.Event{}
	}
	return e
}

// add adds text, and returns the text that can be sent.
func (c *cutter) add(text string) string {
	text = c.kept + text
	c.kept = ""
	end := -1
	for _, stop := range c.stops {
		if i := strings.Index(text, stop); i >= 0 && (end < 0 || i < end) {
			end = i
		}
	}
	if end >= 0 {
		c.done = true
		return text[:end]
	}
	keep := 0
	for _, stop := range c.stops {
		for n := min(len(stop)-1, len(text)); n > keep; n-- {
			if strings.HasSuffix(text, stop[:n]) {
				keep = n
				break
			}
		}
	}
	c.kept = text[len(text)-keep:]
	return text[:len(text)-keep]
}

// rest returns the text held back, for the end of the answer.
func (c *cutter) rest() string {
	if c.done {
		return ""
	}
	return c.kept
}
