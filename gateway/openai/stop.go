package openai

import (
	"strings"

	"github.com/windieos/windie/models"
)

// cutter ends the text of an answer before the first of some texts. It keeps back what may be the beginning of one.
type cutter struct {
	stops []string
	kept  string
	done  bool // one was met: nothing more is said
}

func newCutter(stops []string) *cutter { return &cutter{stops: stops} }

// event returns a piece of an answer as it may be said now; without a kind if nothing may.
func (c *cutter) event(e models.Event) models.Event {
	if e.Kind != models.Text || len(c.stops) == 0 {
		return e
	}
	if e.Text = c.add(e.Text); e.Text == "" {
		return models.Event{}
	}
	return e
}

// add takes a piece of text, and returns what may be said.
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

// rest returns what was kept back, once the model has ended.
func (c *cutter) rest() string {
	if c.done {
		return ""
	}
	return c.kept
}
