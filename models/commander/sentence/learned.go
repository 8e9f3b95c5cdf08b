package sentence

import (
	"cmp"
	"math"
	"slices"
)

// likely is a step as the network reads it.
type likely struct {
	step Step
	end  int      // of its words
	sure float64  // how likely all of it is right
	used [][2]int // the words of its nouns, texts, and keys
}

// uses notes that words have a part in the step.
func (l *likely) uses(i, j int) { l.used = append(l.used, [2]int{i, j}) }

// left returns the number of things that the words of the step name as a whole, and that have no part in it.
func (l *likely) left(mentions []Mention) (n int) {
	to := 0
	for _, m := range mentions {
		if m.To > l.end || m.From < to || m.Facts[14] == 0 || m.Facts[13] > 0 {
			continue
		}
		if !slices.ContainsFunc(l.used, func(u [2]int) bool { return u[0] < m.To && m.From < u[1] }) {
			n++
			to = m.To
		}
	}
	return n
}

// leftOver is by how much less likely a step is right for each thing that it names and leaves out.
const leftOver = 0.5

// Limits of what is tried: ends of the first step, and acts of it.
const (
	maxEnds    = 5
	maxActs    = 4
	leastStart = 0.1  // how likely a step must begin at a word to be tried
	leastAct   = 0.02 // how likely an act must be to be tried
)

// learned reads the first step of a sentence by the network. ok is false if it is no step.
func (p *parser) learned() (best likely, ok bool) {
	c := p.clues()
	if len(p.screen) == 0 || len(c.Words) == 0 || len(c.Words) > maxRead {
		return best, false
	}
	s := reader.see(c.Words)
	sure := 1.0
	ends := 0
	for end := 1; end <= len(c.Words) && ends < maxEnds; end++ {
		starts := 1.0
		if end < len(c.Words) {
			starts = s.starts[end]
		}
		if starts >= leastStart {
			ends++
			part := segment(s.words[:end])
			all := softmax(reader.act.of(part))
			for _, act := range likeliest(all) {
				l := likely{end: end, sure: sure * starts * all[act]}
				if l.sure <= best.sure || !p.fill(&l, act, c, s, part) {
					continue
				}
				if Acts[act] != "press" {
					l.sure *= math.Pow(leftOver, float64(l.left(c.Mentions)))
				}
				if len(l.step.Target.Things) > 1 || len(l.step.To.Things) > 1 {
					l.sure *= leftOver
				}
				if l.sure > best.sure {
					best, ok = l, true
				}
			}
		}
		if end < len(c.Words) {
			sure *= 1 - s.starts[end]
		}
	}
	return best, ok
}

// likeliest returns the acts that are likely enough to be tried, the likeliest first. What must not be carried out is
// nothing to try.
func likeliest(all []float64) (list []int) {
	for act, v := range all {
		if v >= leastAct && Acts[act] != "ask" {
			list = append(list, act)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(all[b], all[a]) })
	return list[:min(len(list), maxActs)]
}

// switched are the kinds of things that are set on or off.
var switched = []string{"checkbox", "switch", "radio", "menu item", "button", "list item", "tree item"}

// fill fills a step of an act with what its words are. It reports whether it has all that it needs.
func (p *parser) fill(l *likely, act int, c Clues, s seen, part []float32) bool {
	name := Acts[act]
	inside := slices.Clone(c.Mentions)
	for k, m := range inside {
		inside[k].noun.Things = p.suited(m.Things, name)
		inside[k].Things = inside[k].noun.Things
	}
	inside = slices.DeleteFunc(inside, func(m Mention) bool {
		switch {
		case m.To > l.end:
			return true
		case name == "on" || name == "off":
			return len(m.Things) == 0 || !slices.Contains(switched, p.screen[m.Things[0]].Kind)
		case name == "set" || name == "type" || name == "clear":
			return len(m.Things) == 1 && m.noun.Label == "" && p.screen[m.Things[0]].Lines || len(m.Things) > 0 && slices.Contains(unset, p.screen[m.Things[0]].Kind)
		case name == "activate" || name == "close":
			return len(m.Things) == 0 || !slices.Contains(windowKinds, p.screen[m.Things[0]].Kind)
		}
		return false
	})
	target, second := reader.points(s, part, act, inside)
	kinds := runs(s.roles[:l.end])
	text := func() bool {
		r, ok := value(s.roles[:l.end])
		if ok {
			l.sure *= r.sure
			l.step.Text = p.spoken(r.from, r.to)
			l.uses(r.from, r.to)
		}
		return ok
	}
	noun := func(to *Noun, likely []float64) bool {
		best, sure := pick(inside, likely)
		l.sure *= sure
		if best < 0 {
			return false
		}
		*to = inside[best].noun.Noun
		l.uses(inside[best].From, inside[best].To)
		return true
	}
	switch name {
	case "click", "double", "right", "held", "hover":
		l.step.Act = Click
		switch name {
		case "hover":
			l.step.Act = Hover
		case "double":
			l.step.Times = 2
		case "right":
			l.step.Button = "right"
		case "held":
			var ok bool
			if l.step.Keys, _, ok = p.pressed(kinds, true); !ok {
				return false
			}
		}
		if !noun(&l.step.Target, target) {
			return false
		}
		if t := l.step.Target.Things; name == "click" && len(t) == 1 && p.screen[t[0]].Kind == "window" {
			l.step.Act = Activate
		}
		return true
	case "on", "off":
		l.step.Act, l.step.Text = Set, name
		return noun(&l.step.Target, target)
	case "set":
		l.step.Act = Set
		if !noun(&l.step.Target, target) || !text() {
			return false
		}
		if t := l.step.Target.Things; len(t) == 1 && p.screen[t[0]].Lines || l.step.Target.Cell != "" {
			l.step.Act = Type
		}
		return true
	case "clear":
		l.step.Act = Set
		return noun(&l.step.Target, target)
	case "type":
		l.step.Act = Type
		noun(&l.step.Target, target)
		if t := l.step.Target.Things; len(t) == 1 && p.isField(t[0]) && p.screen[t[0]].Kind != "text" {
			l.step.Act = Set
		}
		return text()
	case "press":
		var ok bool
		l.step.Act = Press
		if l.step.Keys, l.step.Times, ok = p.pressed(kinds, false); !ok {
			return false
		}
		l.step.Times = max(l.step.Times, p.timesIn(l.end))
		return true
	case "menu":
		l.step.Act = Menu
		for _, r := range kinds {
			if r.role == PathBegin {
				l.sure *= r.sure
				l.uses(r.from, r.to)
				l.step.Path = append(l.step.Path, p.text(r.from, r.to))
			}
		}
		p.menuFirst(l.step.Path)
		return len(l.step.Path) > 1
	case "drag":
		l.step.Act = Drag
		if !noun(&l.step.Target, target) {
			return false
		}
		first := l.used[len(l.used)-1]
		for k, m := range inside {
			if m.From < first[1] && first[0] < m.To {
				second[1+k] = 0
			}
		}
		return noun(&l.step.To, second)
	case "select":
		l.step.Act = Select
		if !text() {
			return false
		}
		said := l.step.Text
		l.step.Text, l.step.Target = "", Noun{Said: said, Label: said}
		list := newParser(`"`+said+`"`, p.screen)
		if n := list.nounsOf(0, len(list.tokens)); len(n) > 0 {
			l.step.Target = n[0].Noun
		}
		if len(l.step.Target.Things) == 0 {
			l.sure *= leftOver // it is not known that the screen has the text
		}
		return true
	case "activate", "close":
		l.step.Act = map[string]Act{"activate": Activate, "close": Close}[name]
		return noun(&l.step.Target, target) || name == "close"
	}
	l.step.Act = Scroll
	switch name {
	case "end", "top":
		l.step.End, l.step.Down = true, map[string]int{"top": -1}[name]
		noun(&l.step.Target, target)
		return true
	case "scrollto":
		_, l.step.Down = p.direction(l.end)
		l.step.Down = min(0, l.step.Down)
		return text()
	case "scroll":
		l.step.Right, l.step.Down = p.direction(l.end)
		for k := range l.end {
			if n := count(p.tokens[k].word); n > 1 && l.step.Times == 0 {
				l.step.Times = n
			}
		}
		l.step = scrolled(l.step)
		noun(&l.step.Target, target)
		return true
	case "wait", "gone", "opens":
		l.step.Act, l.step.Gone, l.step.Window = Wait, name == "gone", name == "opens"
		return text()
	case "seconds":
		l.step.Act = Wait
		for k := range l.end {
			if n := count(p.tokens[k].word); n > 0 {
				l.step.Seconds = n
				return true
			}
		}
		return false
	}
	best, ok := reading{}, false
	for _, r := range p.clause(0, l.end) {
		if r.step.Act == Drag && (!ok || r.cost < best.cost) {
			best, ok = r, true
		}
	}
	l.step = best.step
	return ok
}

// left returns what is left of a sentence after its first step. If that says "it" of what the step is done to, it has the name.
func (p *parser) left(l likely) string {
	rest := p.rest(l.end)
	if len(l.step.Target.Things) != 1 {
		return rest
	}
	named, ok := WithName(rest, p.screen[l.step.Target.Things[0]].Name)
	if !ok {
		return rest
	}
	plain, _ := newParser(rest, p.screen).learned()
	if other, _ := newParser(named, p.screen).learned(); other.sure > plain.sure {
		return named
	}
	return rest
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

// windowKinds are the kinds of windows.
var windowKinds = []string{"window", "dialog"}

// unset are the kinds of things that have no value to set.
var unset = []string{"button", "link", "menu", "menu item", "tab", "window", "heading", "icon", "image", "column header", "checkbox", "tree item", "list item"}

// maxRead is the maximum number of words that the network reads.
const maxRead = 80

// run is some words with the same role.
type run struct {
	role, from, to int
	sure           float64
}

// runs returns the words that are values, keys and parts of paths.
func runs(likely [][]float64) (list []run) {
	for i, all := range likely {
		role := 0
		for k, v := range all {
			if v > all[role] {
				role = k
			}
		}
		last := len(list) - 1
		switch {
		case role == NoRole:
		case last >= 0 && list[last].to == i && role == list[last].role+1:
			list[last].to++
			list[last].sure = min(list[last].sure, all[role])
		case role == ValueBegin || role == KeyBegin || role == PathBegin:
			list = append(list, run{role, i, i + 1, all[role]})
		default:
			list = append(list, run{role - 1, i, i + 1, all[role] / 2})
		}
	}
	return list
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
