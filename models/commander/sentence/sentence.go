// Package sentence reads what a user asks a desktop to do, in English or German, against the names of the
// things on the screen.
//
//	step, rest, err := sentence.Read("Tick Match case in the Find window, then press Enter", things)
//
// A sentence is read one step at a time, because the next step may name what the first one opens. The names
// on the screen decide where a name begins and ends, and what a verb means: "open" chooses an entry of a menu
// and opens a file by two clicks. Every word of a step must have a part in it; a step with a word too many is
// not understood.
//
// Of all readings of a sentence the cheapest one counts. A reading costs more the less of it is on the screen:
// see the costs in noun.go.
package sentence

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strings"
)

// Thing is something on the screen that a sentence may name.
type Thing struct {
	Kind   string          // as "button" or "text": a key of kindWords, or "window"
	Name   string          // its label; of a window its title
	Text   string          // the text in it
	Window string          // title of the window that it is in
	Rect   image.Rectangle // in pixels of the screen
	Active bool            // it is in the window that has the keyboard
	Popup  bool            // it is in an open menu
	On     bool            // it is checked
	Has    bool            // it can be checked, or has a value to set
	Lines  bool            // it is a text of several lines
}

// Act is what a step does.
type Act string

// The acts.
const (
	Click    Act = "click"
	Set      Act = "set"      // Target to Text
	Type     Act = "type"     // Text; into Target, unless that is empty
	Press    Act = "press"    // Keys, Times times
	Menu     Act = "menu"     // Path
	Hover    Act = "hover"    // over Target
	Drag     Act = "drag"     // Target to To, or by Right and Down pixels
	Select   Act = "select"   // the text of Target, or from Target to To
	Scroll   Act = "scroll"   // by Down and Right notches; to Text, or to the end, in the direction of Down
	Wait     Act = "wait"     // for Text, or for a window; or until one is gone; or for Seconds
	Activate Act = "activate" // the window Target
	Close    Act = "close"    // the window Target
	Look     Act = "look"
)

// Step is one step of a sentence.
type Step struct {
	Act    Act
	Target Noun
	To     Noun
	Text   string
	Path   []string
	Keys   []string // for Click: keys to hold
	Times  int      // 0 is once
	Button string   // for Click; "" is the left one

	Down, Right int
	End         bool // scroll to the end
	Gone        bool // wait until it is gone
	Window      bool // wait for a window
	Seconds     int  // to hold the mouse button, or to wait
}

// Noun is a part of a sentence that names a thing.
type Noun struct {
	Said   string // its words, without articles
	Label  string // the label in it, "" if it names the kind alone
	Kind   string // the word for the kind, "" if there is none
	Things []int  // the things that it may mean; none: it is not on the screen; several: it is ambiguous
	Cell   string // the cell of a sheet, such as B7
	Nth    int    // place among equals, from 1; -1 is the last; 0 if the sentence says none
}

// pointSaid is what is said of a point: a noun for one has no words of its own.
const pointSaid = "a point"

// IsPoint reports whether a noun is the point Right, Down of its step, in pixels of the screen.
func (n Noun) IsPoint() bool { return n.Said == pointSaid && n.Label == "" && n.Kind == "" }

// given reports whether a sentence has the noun.
func (n Noun) given() bool { return n.Said != "" }

// Unclear is the error for a sentence that is no step.
type Unclear struct{ Part string }

// Error names the part that is not understood.
func (u *Unclear) Error() string { return fmt.Sprintf("%q is no step that can be carried out", u.Part) }

// MaxWords is the maximum number of words in a sentence.
const MaxWords = 400

// reading is a way to understand the first step of a sentence.
type reading struct {
	step Step
	cost float64
	verb string // its words, if a label alone may follow as the next step: "tick Match case and Wrap around"
	then string // what the step leaves to do before the rest of the sentence
	end  int    // of its tokens
}

// Read returns the first step of a sentence, and the rest of the sentence. The error is an *Unclear.
func Read(said string, screen []Thing) (step Step, rest string, err error) {
	p := newParser(said, screen)
	if len(p.tokens) > MaxWords {
		return step, "", &Unclear{Part: fmt.Sprintf("%.60s…", said)}
	}
	begin := p.skipBegin(0)
	var best []reading
	for _, end := range p.ends(begin) {
		for _, r := range p.clause(begin, end) {
			r.end = end
			best = append(best, r)
		}
	}
	if len(best) == 0 {
		return step, "", &Unclear{Part: strings.TrimSpace(said)}
	}
	slices.SortStableFunc(best, func(a, b reading) int { return cmp.Compare(a.cost, b.cost) })
	return best[0].step, p.after(best[0]), nil
}

// after returns what is left of a sentence after a reading of its first step. If it has no verb, it has that of the first.
func (p *parser) after(r reading) string {
	rest := p.rest(r.end)
	if next := p.skipBegin(r.end); next < len(p.tokens) && r.verb != "" && !p.verbAt(next) && !p.is(next, fronts...) {
		rest = r.verb + " " + p.rest(next)
	}
	if r.then != "" && rest != "" {
		return r.then + ", then " + rest
	}
	return cmp.Or(r.then, rest)
}

// IsCommand reports whether a sentence begins or ends with a verb for something that can be done on a screen.
func IsCommand(said string) bool {
	p := newParser(said, nil)
	if len(p.tokens) == 0 || len(p.tokens) > MaxWords {
		return false
	}
	begin := p.skipBegin(0)
	for _, end := range p.ends(begin) {
		if len(p.verbsIn(begin, end)) > 0 {
			return true
		}
	}
	return false
}
