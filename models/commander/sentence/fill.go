package sentence

import (
	"math"
	"slices"
)

// filler fills a step with what its words are.
type filler struct {
	p              *parser
	*likely        // what is filled
	act            string
	roles          [][]float64
	mentions       []Mention // those that the act can be done to
	target, second []float64 // how likely nothing and each of them is what it is done to, and where that goes
}

// fill fills a step of an act. It reports whether the step has all that it needs.
func (p *parser) fill(l *likely, act int, c Clues, s seen, part []float32) bool {
	f := filler{p: p, likely: l, act: Acts[act], roles: s.roles[:l.end]}
	for _, m := range c.Mentions {
		m.Things = p.suited(m.Things, f.act)
		m.noun.Things = m.Things
		if m.To <= l.end && f.suits(m) {
			f.mentions = append(f.mentions, m)
		}
	}
	f.target, f.second = reader.points(s, part, act, f.mentions)
	switch f.act {
	case "on", "off", "set", "clear", "type":
		return f.sets()
	case "press":
		return f.presses()
	case "menu":
		return f.chooses()
	case "drag", "pull":
		return f.drags()
	case "select":
		return f.selects()
	case "scroll", "scrollto", "end", "top":
		return f.scrolls()
	case "wait", "gone", "opens", "seconds":
		return f.waits()
	case "activate", "close":
		l.step.Act = map[string]Act{"activate": Activate, "close": Close}[f.act]
		return f.noun(&l.step.Target, f.target) || f.act == "close"
	}
	return f.clicks()
}

// The kinds of things that can be set on or off, that have no value to set, and of windows.
var (
	switched    = []string{"checkbox", "switch", "radio", "menu item", "button", "list item", "tree item"}
	unset       = []string{"button", "link", "menu", "menu item", "tab", "window", "heading", "icon", "image", "column header", "checkbox", "tree item", "list item"}
	windowKinds = []string{"window", "dialog"}
)

// suits reports whether the act can be done to a mention. A text of several lines is replaced only if it is named.
func (f *filler) suits(m Mention) bool {
	kind, lines := "", false
	if len(m.Things) > 0 {
		kind, lines = f.p.screen[m.Things[0]].Kind, f.p.screen[m.Things[0]].Lines
	}
	switch f.act {
	case "on", "off":
		return slices.Contains(switched, kind)
	case "set", "type", "clear":
		return !slices.Contains(unset, kind) && (!lines || m.noun.Label != "")
	case "activate", "close":
		return slices.Contains(windowKinds, kind)
	}
	return true
}

// noun fills a noun with the likeliest mention. It reports whether there is one.
func (f *filler) noun(to *Noun, likely []float64) bool {
	best, sure := pick(f.mentions, likely)
	f.sure *= sure
	if best < 0 {
		return false
	}
	*to = f.mentions[best].noun.Noun
	f.uses(f.mentions[best].From, f.mentions[best].To)
	return true
}

// text fills the step's text. It reports whether there is one.
func (f *filler) text() bool {
	r, ok := value(f.roles)
	if ok {
		f.sure *= r.sure
		f.step.Text = f.p.spoken(r.from, r.to)
		f.uses(r.from, r.to)
	}
	return ok
}

// clicks fills a step with the mouse.
func (f *filler) clicks() (ok bool) {
	f.step.Act = Click
	switch f.act {
	case "hover":
		f.step.Act = Hover
	case "double":
		f.step.Times = 2
	case "right":
		f.step.Button = "right"
	case "held":
		if f.step.Keys, _, ok = f.p.pressed(runs(f.roles), true); !ok {
			return false
		}
	}
	if !f.noun(&f.step.Target, f.target) {
		return false
	}
	if t := f.step.Target.Things; f.act == "click" && len(t) == 1 && f.p.screen[t[0]].Kind == "window" {
		f.step.Act = Activate
	}
	return true
}

// sets fills a step that sets or types something. What goes into a field replaces its text; what goes elsewhere is typed.
func (f *filler) sets() bool {
	if f.act == "set" || f.act == "type" {
		if !f.text() {
			return false
		}
		f.without(f.target)
	}
	named := f.noun(&f.step.Target, f.target)
	f.step.Act = Set
	switch f.act {
	case "on", "off":
		f.step.Text = f.act
		return named
	case "clear":
		return named
	case "set":
		if !named {
			return false
		}
	}
	t := f.step.Target.Things
	isField := len(t) == 1 && f.p.isField(t[0]) && f.p.screen[t[0]].Kind != "text"
	isLines := f.step.Target.Cell != "" || len(t) == 1 && f.p.screen[t[0]].Lines
	if f.act == "type" && !isField || isLines {
		f.step.Act = Type
	}
	return true
}

// without makes the mentions unlikely whose words have just got a part in the step: the text to type names nothing.
func (f *filler) without(likely []float64) {
	last := f.used[len(f.used)-1]
	for k, m := range f.mentions {
		if m.From < last[1] && last[0] < m.To {
			likely[1+k] = 0
		}
	}
}

// presses fills a step that presses keys.
func (f *filler) presses() (ok bool) {
	f.step.Act = Press
	f.step.Keys, f.step.Times, ok = f.p.pressed(runs(f.roles), false)
	f.step.Times = max(f.step.Times, f.p.timesIn(f.end))
	return ok
}

// chooses fills a step that chooses an entry of a menu.
func (f *filler) chooses() bool {
	f.step.Act = Menu
	for _, r := range runs(f.roles) {
		if r.role == PathBegin {
			f.sure *= r.sure
			f.uses(r.from, r.to)
			f.step.Path = append(f.step.Path, f.p.text(r.from, r.to))
		}
	}
	f.p.menuFirst(f.step.Path)
	return len(f.step.Path) > 1
}

// drags fills a step that drags something to something else, or by pixels.
func (f *filler) drags() (ok bool) {
	if f.act == "pull" {
		best := reading{}
		for _, r := range f.p.clause(0, f.end) {
			if r.step.Act == Drag && (!ok || r.cost < best.cost) {
				best, ok = r, true
			}
		}
		f.step = best.step
		return ok
	}
	f.step.Act = Drag
	if !f.noun(&f.step.Target, f.target) {
		return false
	}
	f.without(f.second)
	return f.noun(&f.step.To, f.second)
}

// selects fills a step that selects a text.
func (f *filler) selects() bool {
	f.step.Act = Select
	if !f.text() {
		return false
	}
	said := f.step.Text
	f.step.Text, f.step.Target = "", Noun{Said: said, Label: said}
	p := newParser(`"`+said+`"`, f.p.screen)
	if n := p.nounsOf(0, len(p.tokens)); len(n) > 0 {
		f.step.Target = n[0].Noun
	}
	if len(f.step.Target.Things) == 0 {
		f.sure *= leftOver // it is not known that the screen has the text
	}
	return true
}

// scrolls fills a step that scrolls.
func (f *filler) scrolls() bool {
	f.step.Act = Scroll
	right, down := f.p.direction(f.end)
	switch f.act {
	case "scrollto":
		f.step.Down = min(0, down)
		return f.text()
	case "end", "top":
		f.step.End, f.step.Down = true, map[string]int{"top": -1}[f.act]
	default:
		f.step.Right, f.step.Down, f.step.Times = right, down, f.p.number(f.end, 2)
		f.step = scrolled(f.step)
	}
	f.noun(&f.step.Target, f.target)
	return true
}

// waits fills a step that waits.
func (f *filler) waits() bool {
	f.step.Act = Wait
	if f.act == "seconds" {
		f.step.Seconds = f.p.number(f.end, 1)
		return f.step.Seconds > 0
	}
	f.step.Gone, f.step.Window = f.act == "gone", f.act == "opens"
	return f.text()
}

// number returns the first number in the words before end that is at least least, or 0.
func (p *parser) number(end, least int) int {
	for _, t := range p.tokens[:end] {
		if n := count(t.word); n >= least {
			return n
		}
	}
	return 0
}

// menuFirst moves the menu to the front of a path that was said the other way round: "Save in the File menu".
func (p *parser) menuFirst(path []string) {
	isMenu := func(label string) bool {
		whole, _ := p.things(fold(label))
		return slices.ContainsFunc(whole, func(k int) bool { return p.screen[k].Kind == "menu" })
	}
	if n := len(path); n > 1 && !isMenu(path[0]) && isMenu(path[n-1]) {
		slices.Reverse(path)
	}
}

// suited returns those of several things to which an act can be done, or all if there are none.
func (p *parser) suited(things []int, act string) []int {
	if len(things) < 2 {
		return things
	}
	var list []int
	for _, k := range things {
		kind := p.screen[k].Kind
		switch act {
		case "on", "off":
			if !slices.Contains(switched, kind) {
				continue
			}
		case "set", "type", "clear":
			if slices.Contains(unset, kind) || isTold(kind) && !p.screen[k].Lines {
				continue
			}
		}
		list = append(list, k)
	}
	if len(list) == 0 {
		return things
	}
	return list
}

// direction returns where the words before end say to go.
func (p *parser) direction(end int) (right, down int) {
	for k := range end {
		if side, is := sides[p.tokens[k].word]; is {
			return side[0], side[1]
		}
	}
	return 0, 0
}

// value returns the words that are likeliest a value, and nothing else in the step one. ok is false if none is likely.
func value(likely [][]float64) (r run, ok bool) {
	outside := make([]float64, len(likely)+1) // the logarithms, added up to a word
	inside := make([]float64, len(likely)+1)
	log := func(v float64) float64 { return math.Log(max(v, leastRole)) }
	for k, all := range likely {
		outside[k+1] = outside[k] + log(1-all[ValueBegin]-all[ValueIn])
		inside[k+1] = inside[k] + log(all[ValueIn])
	}
	most := math.Inf(-1)
	for i, all := range likely {
		for j := i + 1; j <= len(likely); j++ {
			v := outside[i] + log(all[ValueBegin]) + inside[j] - inside[i+1] + outside[len(likely)] - outside[j]
			if v > most {
				most, r = v, run{role: ValueBegin, from: i, to: j, sure: math.Exp(v / float64(1+j-i))}
			}
		}
	}
	return r, len(likely) > 0 && r.sure > leastValue
}

// leastValue is how likely words must be a value to be tried; no role of a word is less likely than leastRole.
const (
	leastValue = 0.03
	leastRole  = 0.001
)

// spoken returns words as a text to type.
func (p *parser) spoken(i, j int) string {
	text := p.text(i, j)
	if last := p.tokens[j-1]; !last.quoted && (last.after == "!" || last.after == "?") && j == len(p.tokens) {
		text += last.after
	}
	return text
}

// pressed returns the keys of the words that are keys: those to hold, or those to press.
func (p *parser) pressed(list []run, held bool) (keys []string, times int, ok bool) {
	for _, r := range list {
		if r.role != KeyBegin {
			continue
		}
		for to := r.to; to > r.from; to-- {
			if keys, times, ok = p.keys(r.from, to); ok && slices.Contains(modifiers, keys[len(keys)-1]) == held {
				return keys, times, true
			}
		}
	}
	return nil, 0, false
}

// timesIn returns how often the words before end say.
func (p *parser) timesIn(end int) int {
	for j := end; j > 0; j-- {
		if n, _ := p.timesAt(0, j); n > 0 {
			return n
		}
	}
	return 0
}

// pick returns the likeliest mention of the thing that mentions most likely mean together, and how likely they do. It is -1 if
// nothing, the first of likely, is likelier.
func pick(mentions []Mention, likely []float64) (best int, most float64) {
	sums := map[int]float64{}
	best, most = -1, likely[0]
	for k, m := range mentions {
		thing := -1 - k
		if len(m.Things) == 1 {
			thing = m.Things[0]
		}
		sums[thing] += likely[1+k]
		if sums[thing] > most {
			most = sums[thing]
		}
	}
	for k, m := range mentions {
		thing := -1 - k
		if len(m.Things) == 1 {
			thing = m.Things[0]
		}
		if sums[thing] == most && (best < 0 || likely[1+k] > likely[1+best]) {
			best = k
		}
	}
	return best, most
}
