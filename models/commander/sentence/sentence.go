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
	"fmt"
	"image"
	"slices"
	"strconv"
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

// NeedsWholeName reports whether a click on a thing needs its whole name: "Delete" must not be "Delete all".
func (t Thing) NeedsWholeName() bool {
	switch t.Kind {
	case "button", "menu item", "menu", "link", "checkbox", "radio", "switch":
		return true
	}
	return false
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

// IsSure reports whether all that a step names is on the screen.
func (s Step) IsSure() bool {
	for _, n := range []Noun{s.Target, s.To} {
		if n.given() && len(n.Things) == 0 && !n.IsPoint() && n.Kind != EmptySpot && s.Act != Activate && s.Act != Close {
			return false
		}
	}
	return true
}

// Noun is a part of a sentence that names a thing.
type Noun struct {
	Said   string // its words, without articles
	Label  string // the label in it, "" if it names the kind alone
	Kind   string // the word for the kind, "" if there is none
	Things []int  // the things that it may mean; none: it is not on the screen; several: it is ambiguous
	Part   bool   // the label is a part of their name or text
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

// maxDoubt limits what a reading may cost, besides what it costs that a thing is not on the screen. Sentences that people had
// said for testdata were read rightly below it ten times as often as wrongly, and above it half as often.
const maxDoubt = 0.45

// MaxWords is the maximum number of words in a sentence.
const MaxWords = 400

// reading is a way to understand the first step of a sentence.
type reading struct {
	step Step
	cost float64
	verb string // its words, if a label alone may follow as the next step: "tick Match case and Wrap around"
	end  int    // of its tokens
}

// Read returns the first step of a sentence, and the rest of the sentence. The error is an *Unclear.
//
// The network reads the sentence, and so does the grammar. The network's reading counts if it is sure, or if the grammar's
// is the same. If it is not sure, a plain reading of the grammar counts that consists of names, or names a word of a
// text. What the network does not know (a point, an empty spot, a thing that is not on the screen, an unknown screen) is for the grammar alone.
func Read(said string, screen []Thing) (step Step, rest string, err error) {
	p := newParser(said, screen)
	if len(p.tokens) > MaxWords {
		return step, "", &Unclear{Part: fmt.Sprintf("%.60s…", said)}
	}
	g, ok := p.grammar()
	plain, beyond := ok && g.cost < costPlain, ok && p.isBeyond(g.step)
	if ok && len(screen) == 0 || beyond && (plain || g.step.Act == Select) {
		return g.step, p.after(g), nil
	}
	l, read := p.learned()
	if read && l.sure >= sureEnough {
		return l.step, p.left(l), nil
	}
	if ok && (read && l.step.same(g.step) || (plain || p.isWord(g.step.Target)) && g.step.isNamed() || beyond || !g.step.IsSure()) {
		return g.step, p.after(g), nil
	}
	return step, "", &Unclear{Part: strings.TrimSpace(said)}
}

// costPlain is less than what a reading of the grammar costs that is in any doubt.
const costPlain = 0.1

// sureEnough is how sure the network must be. Of the sentences of testdata, one answer of nine is wrong with it, and one of eight
// with 0.5; the latter answers a few more.
const sureEnough = 0.6

// grammar returns the cheapest reading of the first step by the grammar. ok is false if it is in doubt.
func (p *parser) grammar() (best reading, ok bool) {
	best, ok = p.best(p.skipBegin(0))
	limit := maxDoubt
	if best.step.To.given() {
		limit += costPart
	}
	if !best.step.IsSure() {
		limit += p.absent()
	}
	return best, ok && best.cost < limit
}

// isBeyond reports whether a step is one that the network does not know: keys that the sentence does not name are those of a
// common command.
func (p *parser) isBeyond(s Step) bool {
	if s.Act == Press {
		_, _, named := p.keysIn(s.Keys, 0)
		return !named
	}
	return s.Act == Look || s.Act == Select && s.To.given() || s.Act == Wait && s.Text == "" && s.Seconds == 0 || s.Act == Click && s.Seconds > 0 ||
		s.Target.IsPoint() || s.Target.Kind == EmptySpot || s.To.Kind == EmptySpot
}

// isNamed reports whether a step consists of names and keys, without a text that could be another one.
func (s Step) isNamed() bool {
	return slices.Contains([]Act{Click, Menu, Hover, Drag, Activate, Press}, s.Act)
}

// isWord reports whether a noun is a word in a text, and no control.
func (p *parser) isWord(n Noun) bool {
	return n.Part && len(n.Things) == 1 && (p.screen[n.Things[0]].Lines || p.screen[n.Things[0]].Kind == "text")
}

// same reports whether steps do the same.
func (s Step) same(o Step) bool {
	return s.Act == o.Act && s.Target.same(o.Target) && s.To.same(o.To) && fold(s.Text) == fold(o.Text) &&
		slices.Equal(s.Path, o.Path) && slices.Equal(s.Keys, o.Keys) && max(1, s.Times) == max(1, o.Times) && s.Button == o.Button &&
		s.Down == o.Down && s.Right == o.Right && s.End == o.End && s.Gone == o.Gone && s.Window == o.Window && s.Seconds == o.Seconds
}

// same reports whether nouns mean the same.
func (n Noun) same(o Noun) bool { return slices.Equal(n.Things, o.Things) && n.Cell == o.Cell }

// Find returns the thing that words such as "the Save button" and "the box next to Width" name. ok is false if it is not
// on the screen, or if it is in doubt that it is meant.
func Find(said string, screen []Thing) (n Noun, ok bool) {
	p := newParser(said, screen)
	if len(p.tokens) == 0 || len(p.tokens) > maxStep {
		return n, false
	}
	list := p.nounsOf(0, len(p.tokens))
	if len(list) == 0 || len(list[0].Things) == 0 || list[0].cost > maxDoubt {
		return n, false
	}
	return list[0].Noun, true
}

// best returns the cheapest reading of the step that begins at a token.
func (p *parser) best(begin int) (best reading, ok bool) {
	for _, end := range p.ends(begin) {
		list := p.clause(begin, end)
		for _, last := range p.trailers(begin, end) {
			for _, r := range p.clause(begin, last) {
				r.cost += costTrailer
				list = append(list, r)
			}
		}
		for _, r := range list {
			r.end = end
			if !p.startsStep(end, r.verb != "") {
				r.cost += costNowhere // the step goes on
			}
			if !ok || r.cost < best.cost {
				best, ok = r, true
			}
		}
	}
	if ok {
		return best, true
	}
	if n := p.remark(begin); n > begin { // "It asks whether you are sure - answer with OK"
		return p.best(p.skipBegin(n))
	}
	return best, false
}

// startsStep reports whether a step, or an explanation of the one before, may begin at a token. If it inherits a verb, it
// need only name something.
func (p *parser) startsStep(i int, inherits bool) bool {
	next := p.skipBegin(i)
	for k := next; inherits && k < p.partEnd(next); k++ {
		if p.namedWithin(k, p.partEnd(next)) {
			return true
		}
	}
	if next >= len(p.tokens) || p.verbAt(next) || p.is(next, fronts...) || p.namedAt(next) || p.explanation(i) > i || p.isInfinitive(p.partEnd(next)) {
		return true
	}
	for _, e := range p.ends(next) {
		if _, _, ok := p.keys(next, e); ok {
			return true
		}
	}
	for k := next; k < p.partEnd(next); k++ { // "then the field Width should say 3", "then the OK button"
		if kindWords[p.words(k, k+1)] != nil || p.phraseOf(k, len(p.tokens), strings.Split(shoulds+","+goesInto, ",")) > 0 {
			return true
		}
	}
	return false
}

// explanation returns the end of the parts that begin at a token and ask for nothing, or the token.
func (p *parser) explanation(i int) int {
	for i > 0 && i < len(p.tokens) && p.tokens[i-1].after != "" {
		e := p.partEnd(i)
		if !p.isChatter(i, e) {
			break
		}
		i = e
	}
	return i
}

// partEnd returns the end of the part of a sentence that begins at a token, up to the next sign.
func (p *parser) partEnd(i int) int {
	for e := i + 1; e < len(p.tokens); e++ {
		if p.tokens[e-1].after != "" {
			return e
		}
	}
	return len(p.tokens)
}

// isChatter reports whether tokens ask for nothing: they begin with a subject or a conjunction, no verb begins or ends them,
// they name nothing that is on the screen and no keys, and they neither set a condition nor restrict what is asked.
func (p *parser) isChatter(i, j int) bool {
	if n := p.phraseOf(i, j, explains); n > 0 && !p.verbAt(i) {
		return true
	}
	if first := p.skipBegin(i); first < j && (p.verbAt(first) || p.isInfinitive(j) || !subjects[p.tokens[first].word]) {
		return false
	}
	for k := i; k < j; k++ {
		if p.tokens[k].quoted || conditions[p.tokens[k].word] || p.namedWithin(k, j) || len(chord(p.tokens[k].text)) > 1 {
			return false
		}
		if _, ok := cellOf(p.tokens[k].text, true); ok {
			return false
		}
	}
	_, _, keys := p.keys(p.skipBegin(i), j)
	return !keys && len(p.screen) > 0
}

// trailers returns where what explains a step may begin: "…, so that the window opens".
func (p *parser) trailers(begin, end int) (list []int) {
	for k := begin + 1; k < end; k++ {
		n := p.phraseOf(k, end, explains)
		if n > 0 && (strings.ContainsAny(p.tokens[k-1].after, ",;-") || p.is(k, "so", "damit", "sodass", "indem", "because", "weil", "by", "rather", "instead", "statt", "anstatt")) {
			list = append(list, k)
		}
	}
	return list
}

// remark returns the end of a part of a sentence that asks for nothing, or begin.
func (p *parser) remark(begin int) int {
	if e := p.partEnd(begin); e < len(p.tokens) && p.isChatter(begin, e) {
		return e
	}
	return begin
}

// after returns what is left of a sentence after a reading of its first step. If it has no verb, it has that of the first.
func (p *parser) after(r reading) string {
	r.end = p.explanation(r.end)
	rest := p.rest(r.end)
	if left := fold(p.rest(p.skipBegin(r.end))); (polite[left] || slices.Contains(manners, left) || slices.Contains(politeEnds, left)) && !slices.Contains(p.names, left) || fold(rest) == "" {
		rest = ""
	}
	if next := p.skipBegin(r.end); rest != "" && next < len(p.tokens) && r.verb != "" && !p.hasVerb(next) {
		rest = r.verb + " " + p.rest(next)
	}
	return p.resolved(rest, r)
}

// hasVerb reports whether the step that begins at a token has a verb: at its beginning, after a place, or "should be" and
// the like anywhere.
func (p *parser) hasVerb(i int) bool {
	for k := i; k < p.partEnd(i); k++ {
		if p.verbAt(k) && (k == i || p.is(i, fronts...)) || p.phraseOf(k, len(p.tokens), strings.Split(shoulds+","+goesInto, ",")) > 0 {
			return true
		}
	}
	return false
}

// resolved returns the rest of a sentence with the name of what its first step named in the place of "it", as in "the one
// below it".
func (p *parser) resolved(rest string, r reading) string {
	if r.step.Target.Label == "" {
		return rest
	}
	for k := r.end + 1; k < len(p.tokens); k++ {
		for n := 1; n < 4 && k-n >= r.end; n++ {
			if besides[p.words(k-n, k)] != "" && p.is(k, "it", "ihm") {
				return strings.TrimSpace(p.said[p.tokens[r.end].at:p.tokens[k].at] + strconv.Quote(r.step.Target.Label) + p.tokens[k].after + " " + p.rest(k+1))
			}
		}
	}
	return rest
}

// IsCommand reports whether a sentence may be one for the screen: a step of it has a verb for the screen, keys, a path
// of a menu, or a word for a kind of thing.
func IsCommand(said string) bool {
	p := newParser(said, nil)
	if len(p.tokens) == 0 || len(p.tokens) > MaxWords {
		return false
	}
	begin := p.skipBegin(0)
	for _, end := range p.ends(begin) {
		if len(p.verbsIn(begin, end)) > 0 || p.path(begin, end) != nil {
			return true
		}
	}
	for i := range p.tokens {
		for n := 1; n <= longestKind && i+n <= len(p.tokens); n++ {
			if kindWords[p.words(i, i+n)] != nil {
				return true
			}
		}
		if len(chord(p.tokens[i].text)) > 1 {
			return true
		}
	}
	return len(p.tokens) == 1 && p.is(0, "ok", "cancel", "yes", "no")
}
