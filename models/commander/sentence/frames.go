package sentence

import (
	"slices"
	"strconv"
	"strings"
)

// manners are phrases that say with what to do something, and add nothing; buttons are those that say how to click.
var (
	manners = strings.Split("with the mouse,with your mouse,using the mouse,on the keyboard,on your keyboard,using the keyboard,mit der maus,auf der tastatur,über die tastatur,please,bitte,now,again,for me,instead,jetzt,nochmal,stattdessen,once,einmal,first,zuerst,too,as well,auch", ",")
	buttons = map[string]Step{
		"with the right mouse button": {Button: "right"}, "with the right button": {Button: "right"}, "with a right click": {Button: "right"}, "with a right-click": {Button: "right"}, "mit der rechten maustaste": {Button: "right"}, "mit rechts": {Button: "right"}, "mit einem rechtsklick": {Button: "right"}, "using the right mouse button": {Button: "right"},
		"with the middle mouse button": {Button: "middle"}, "mit der mittleren maustaste": {Button: "middle"},
		"with the left mouse button": {}, "mit der linken maustaste": {}, "with a click": {}, "with a single click": {}, "mit einem klick": {},
		"with a double click": {Times: 2}, "with a double-click": {Times: 2}, "by double-clicking": {Times: 2}, "by double clicking": {Times: 2}, "by double-clicking it": {Times: 2}, "mit einem doppelklick": {Times: 2}, "mit doppelklick": {Times: 2}, "per doppelklick": {Times: 2}, "by a double click": {Times: 2},
	}
)

// insideManners is how many of the manners may stand inside a step too.
const insideManners = 11

// longestManner is the maximum number of words of a phrase in buttons.
const longestManner = 5

// clause returns the readings of the tokens from begin to end as one step.
func (p *parser) clause(begin, end int) (list []reading) {
	for n := 1; n > 0 && end-begin > 1; {
		if n = p.ending(begin, end, strings.Join(manners, ",")); n > 0 {
			end -= n
		}
	}
	list = p.plain(begin, end)
	for k := begin; k < end-1; k++ {
		if _, n := p.phraseOf(k, end, manners[:insideManners]); n > 0 {
			q := p.moved(slices.Concat(p.tokens[begin:k], p.tokens[k+n:end]))
			list = append(list, q.plain(0, len(q.tokens))...)
		}
	}
	for k := begin; k < end; k++ {
		for n := min(longestManner, end-k); n > 0; n-- {
			how, is := buttons[p.words(k, k+n)]
			if !is {
				continue
			}
			q := p.moved(slices.Concat(p.tokens[begin:k], p.tokens[k+n:end]))
			for _, r := range q.plain(0, len(q.tokens)) {
				if r.step.Act == Click {
					r.step.Button, r.step.Times = how.Button, how.Times
					r.cost += costSmall
					list = append(list, r)
				}
			}
		}
	}
	for i := range list {
		list[i].cost -= 0.001 * float64(end-begin) // of equals the longer one
	}
	return list
}

// moved returns a parser for tokens in another order.
func (p *parser) moved(tokens []token) *parser {
	return &parser{said: p.said, tokens: tokens, screen: p.screen, names: p.names, nouns: map[[2]int][]noun{}}
}

// plain returns the readings of a step without a manner.
func (p *parser) plain(begin, end int) (list []reading) {
	if begin >= end {
		return nil
	}
	for _, f := range p.verbsIn(begin, end) {
		list = append(list, p.frames(f)...)
	}
	if p.is(begin, fronts...) {
		list = append(list, p.fronted(begin, end)...)
	}
	list = append(list, p.middle(begin, end)...)
	list = append(list, p.objectFirst(begin, end)...)
	list = append(list, p.should(begin, end)...)
	list = append(list, p.means(begin, end)...)
	list = append(list, p.bare(begin, end)...)
	list = append(list, p.holding(begin, end)...)
	list = append(list, p.noVerb(begin, end)...)
	return list
}

// bare returns the readings of a thing and its state or value without a verb: "wrap around off", "opacity 100", "no line
// numbers", "don't match case".
func (p *parser) bare(begin, end int) (list []reading) {
	add := func(i, j int, value string) {
		for _, n := range p.nounsOf(i, j) {
			if len(n.Things) != 1 || n.cost >= costPart+costSeveral {
				continue
			}
			t := p.screen[n.Things[0]]
			isState := value == "on" || value == "off"
			if value == "" {
				continue
			}
			if isState == slices.Contains([]string{"checkbox", "switch", "radio", "menu item"}, t.Kind) && (t.Has || t.Kind == "combo box" || t.Kind == "field" && !t.Lines) {
				list = append(list, reading{step: Step{Act: Set, Target: n.Noun, Text: value}, cost: n.cost + costNoVerb})
			}
		}
	}
	for k := begin + 1; k < end; k++ {
		if state, is := states[p.words(k, end)]; is {
			add(begin, k, state)
		}
		to := k
		for _, way := range []string{"to", "down to", "up to", "at", "auf", "runter auf", "hoch auf", "bitte auf"} {
			if n := p.phrase(k, end, way); n > 0 && k+n < end {
				to = max(to, k+n)
			}
		}
		if end-to > 4 || slices.ContainsFunc(p.tokens[to:max(to, end-1)], func(t token) bool { return t.after != "" || t.word == "and" || t.word == "und" }) {
			continue
		}
		if to > k && !p.verbAt(begin) {
			add(begin, k, p.text(to, end))
		} else if to < end && strings.ContainsAny(p.tokens[to].text[:min(1, len(p.tokens[to].text))], "0123456789-") {
			add(begin, k, p.text(to, end))
		}
	}
	if n := p.longestOf(begin, end, []string{"no", "don't", "do not", "without", "kein", "keine", "keinen", "nicht mehr", "ohne", "no more", "please don't"}); n > 0 {
		last := end
		if m := p.ending(begin+n, end, "any more,anymore,any longer,mehr"); m > 0 {
			last -= m
		}
		add(begin+n, last, "off")
	}
	return list
}

// holding returns the readings of "hold Shift and click …".
func (p *parser) holding(begin, end int) (list []reading) {
	if !p.is(begin, "hold", "holding", "keep", "halt", "halte", "with", "mit") {
		return nil
	}
	for k := begin + 2; k < end; k++ {
		keys, _, ok := p.keys(begin+1, k)
		if !ok || !slices.Contains(modifiers, keys[len(keys)-1]) {
			continue
		}
		next := k
		for next < end && p.is(next, "down", "pressed", "gedrückt", "and", "und", "while", "key", "held", "then", "dann") {
			next++
		}
		for _, f := range p.verbsIn(next, end) {
			f.keys = keys
			for _, r := range p.frames(f) {
				if r.step.Act == Click {
					list = append(list, r)
				}
			}
		}
	}
	return list
}

// noVerb returns the readings of a step without a verb: "File > Save", "the In Document button", "Ctrl+S".
func (p *parser) noVerb(begin, end int) (list []reading) {
	if path := p.path(begin, end); path != nil {
		return []reading{{step: Step{Act: Menu, Path: path}, cost: costNoVerb}}
	}
	if keys, times, ok := p.keys(begin, end); ok && (len(keys) > 1 || len(keys[0]) > 1) {
		list = append(list, reading{step: Step{Act: Press, Keys: keys, Times: times}, cost: costNoVerb})
	}
	if p.is(begin, fronts...) || p.is(begin, "über", "via", "use") { // "über das Menü File und Save", "im Menü Table auf Insert"
		for k := begin + 2; k < end; k++ {
			to := k
			for to < end-1 && p.is(to, "und", "and", "bitte", "then", "dann", "auf", "dort", "there", "on", "to") {
				to++
			}
			if to == k && p.tokens[k-1].after == "" {
				continue
			}
			for _, n := range p.nounsOf(begin+1, k) {
				for _, r := range p.entryOf(to, end, n) {
					if r.step.Act == Menu {
						r.cost += costNoVerb
						list = append(list, r)
					}
				}
			}
		}
	}
	if p.is(begin, "auf", "on", "to", "zu", "zum", "zur", "in", "ins", "at") && end-begin > 1 {
		begin++
	}
	for _, n := range p.nounsOf(begin, end) {
		if len(n.Things) > 0 && n.cost < costPart && !p.isWhole(n) || len(n.Things) == 0 && n.Kind != "" && n.Label != "" {
			list = append(list, reading{step: Step{Act: Click, Target: n.Noun}, cost: n.cost + costNoVerb})
		}
	}
	return list
}

// isWhole reports whether a noun is a window, on which no click is meant.
func (p *parser) isWhole(n noun) bool { return p.screen[n.Things[0]].Kind == "window" }

// middle returns the readings of a step with a place between its verb and its object, as in German: "setz im Reiter View
// einen Haken bei Wrap".
func (p *parser) middle(begin, end int) (list []reading) {
	if end-begin < 4 || !p.is(begin+1, fronts...) || p.tokens[begin].quoted {
		return nil
	}
	last := end
	if p.is(end-1, particles...) {
		last--
	}
	for k := begin + 3; k < last; k++ {
		q := p.moved(slices.Concat(p.tokens[begin:begin+1], p.tokens[k:last], p.tokens[begin+1:k]))
		for _, f := range q.verbsIn(0, len(q.tokens)) {
			if f.from == 0 {
				continue // an infinitive at the end
			}
			for _, r := range q.frames(f) {
				r.cost += costSmall
				list = append(list, r)
			}
		}
	}
	return list
}

// objectFirst returns the readings of a step that names the object first: "The file a.txt, click it".
func (p *parser) objectFirst(begin, end int) (list []reading) {
	for k := begin + 1; k < end-1; k++ {
		if !p.verbAt(k) {
			continue
		}
		for m := k + 1; m < end; m++ {
			if !p.is(m, "it", "ihn", "sie", "es", "that", "das") {
				continue
			}
			q := p.moved(slices.Concat(p.tokens[k:m], p.tokens[begin:k], p.tokens[m+1:end]))
			for _, f := range q.verbsIn(0, len(q.tokens)) {
				for _, r := range q.frames(f) {
					if len(r.step.Target.Things) > 0 {
						r.cost += costSmall
						list = append(list, r)
					}
				}
			}
		}
	}
	return list
}

// shoulds are phrases between a thing and what it should be.
const shoulds = "should say,should only say,should be,should read,should contain,should have,should show,should be set to,should now say,should now be,must be,must say,has to be,has to say,needs to be,needs to say,is to be,shall be,i want,i'd like,i would like,i'd like to have,i would like to have,i'd like to see,i need,soll,sollte,muss,soll nur,hätte ich gern,hätte ich gerne,möchte ich,brauche ich"

// goesInto are phrases between a text and the field for it.
const goesInto = "goes into,goes in,belongs into,belongs in,comes into,should go into,kommt in,gehört in,kommt ins,gehört ins"

// wantEnds are the German verbs that end such a step.
var wantEnds = []string{"heißen", "stehen", "sein", "lauten", "haben", "enthalten", "werden", "anzeigen", "rein", "hinein", "ausgewählt", "in", "written", "entered"}

// should returns the readings of what something should be: "The field Width should say 3", "Im Feld Name soll Ada stehen".
func (p *parser) should(begin, end int) (list []reading) {
	from := begin
	if p.is(from, fronts...) {
		from++
	}
	p.splits(from+1, end, shoulds, func(k, to int) {
		last := end
		for last-1 > to && p.is(last-1, wantEnds...) {
			last--
		}
		if to >= last {
			return
		}
		for _, n := range p.wanted(from, k) {
			if n.Cell != "" && len(n.Things) == 0 {
				list = append(list, p.typed(to, last, n, true)...)
				continue
			}
			list = append(list, p.setTo(n, to, last)...)
		}
	})
	p.splits(begin+1, end, goesInto, func(k, to int) {
		for _, n := range p.nounsOf(to, end) {
			list = append(list, p.typed(begin, k, n, true)...)
		}
	})
	return list
}

// wanted returns the ways to understand what should be something. If it is not on the screen, it is the only field there.
func (p *parser) wanted(i, j int) []noun {
	list := slices.DeleteFunc(slices.Clone(p.nounsOf(i, j)), func(n noun) bool { return len(n.Things) > 0 && !p.isSet(n.Things[0]) })
	if len(list) > 0 && list[0].cost < costSeveral {
		return list
	}
	if n := p.chosen(noun{Noun: Noun{Kind: "field", Said: "field"}}); len(n.Things) == 1 {
		n.cost += costUnlikely
		list = append(list, n)
	}
	return list
}

// byMeans are phrases before the means of a step.
const byMeans = "by pressing,by clicking on,by clicking,by choosing,by using,by means of,using,using the,via,via the,through the,through,with,with the keys,by,über,über das,mit,mit den tasten,durch klick auf,durch einen klick auf,per,with a click on,mit einem klick auf,and confirm with,by going to,over"

// means returns the readings of a step that says by what it is done: "save it with Ctrl+S", "mark all using Select All in
// the Edit menu". What it is done for does not count then.
func (p *parser) means(begin, end int) (list []reading) {
	add := func(to int, cost float64, r reading) {
		for k := begin; k < to; k++ { // one step only
			if p.is(k, "and", "und", "then", "dann") || k < to-1 && strings.ContainsAny(p.tokens[k].after, ",;.") {
				return
			}
		}
		r.cost += cost + costMeans + costSmall*float64(to-begin)
		list = append(list, r)
	}
	use := func(k, to int) {
		if to >= end {
			return
		}
		for m := end; m > to; m-- { // "geh mit Strg+Ende ans Ende"
			if keys, times, ok := p.keys(to, m); ok && (m == end || len(keys) > 1) {
				add(k, costSmall*float64(end-m), reading{step: Step{Act: Press, Keys: keys, Times: times}})
				return
			}
		}
		if k == begin {
			return
		}
		for _, r := range slices.Concat(p.menus(to, end), p.fromMenu(to, end), p.menuOf(begin, to, end)) {
			add(k, 0, r)
		}
		for _, n := range p.nounsOf(to, end) {
			if len(n.Things) == 1 && n.cost < costKind && !p.isWhole(n) && !p.isField(n.Things[0]) {
				add(k, n.cost, reading{step: Step{Act: Click, Target: n.Noun}})
			}
		}
	}
	p.splits(begin, end, byMeans, use)
	for k := begin + 1; k < end; k++ { // "Save (Ctrl+S)"
		if keys, times, ok := p.keys(k, end); ok && len(keys) > 1 {
			add(k, costSmall, reading{step: Step{Act: Press, Keys: keys, Times: times}})
		}
	}
	for k := begin + 1; k < end-1; k++ { // "mit Strg+S speichern"
		if keys, times, ok := p.keys(begin+1, k); ok && len(keys) > 1 && p.is(begin, "mit", "with", "using") && p.verbAt(k) {
			add(k, 0, reading{step: Step{Act: Press, Keys: keys, Times: times}})
		}
	}
	if keys, times, ok := p.keys(begin+1, end-1); ok && p.is(begin, "mit", "with") {
		add(begin, 0, reading{step: Step{Act: Press, Keys: keys, Times: times}})
	}
	return list
}

// menuOf returns the readings of a command that names only its menu: "save it over the File menu".
func (p *parser) menuOf(begin, to, end int) (list []reading) {
	for n := 3; n > 0; n-- {
		words := p.words(begin, min(begin+n, to))
		if shortcutKeys[words] == nil {
			continue
		}
		for _, m := range p.nounsOf(to, end) {
			if len(m.Things) == 1 && strings.HasPrefix(p.screen[m.Things[0]].Kind, "menu") && m.cost < costPart {
				label := words
				if english := commands[words]; english != "" {
					label = english
				}
				list = append(list, reading{step: Step{Act: Menu, Path: []string{p.screen[m.Things[0]].Name, label}}, cost: m.cost})
			}
		}
		break
	}
	return list
}

// fronted returns the readings of a step that names a place first: "In the Find window, tick Match case". A place such as
// "at the bottom" or "in that menu" is left out.
func (p *parser) fronted(begin, end int) (list []reading) {
	for k := begin + 1; k < end; k++ {
		if !p.verbAt(k) && k > begin+1 && !p.isInfinitive(end) {
			continue
		}
		place := p.tokens[begin:k]
		if p.isVague(begin, k) {
			place = nil
		}
		for _, f := range p.verbsIn(k, end) {
			q := p.moved(slices.Concat(p.tokens[f.from:f.to], place))
			for _, r := range q.frames(found{f.verb, 0, len(q.tokens), f.words, f.keys}) {
				if place == nil {
					r.cost += costSmall * float64(k-begin)
				}
				list = append(list, r)
			}
		}
	}
	return list
}

// isInfinitive reports whether a step ends with a word that may be a German infinitive.
func (p *parser) isInfinitive(end int) bool {
	return !p.tokens[end-1].quoted && phrases[p.tokens[end-1].word] != nil && strings.HasSuffix(p.tokens[end-1].word, "n")
}

// vague are the words of a place that names nothing.
var vague = set("in at on from the that same this menu window dialog list there it of bottom top left right side and which opened opens has just popped pops up appears appeared now im in der dem diesem selben gleichen fenster menü dialog liste unten oben sich geöffnet hat aufgegangen ist ganz")

// isVague reports whether tokens are a place that names nothing.
func (p *parser) isVague(i, j int) bool {
	for ; i < j; i++ {
		if p.tokens[i].quoted || !vague[p.tokens[i].word] {
			return false
		}
	}
	return true
}

// namedWithin reports whether a thing's whole name is the tokens from i to some token up to j.
func (p *parser) namedWithin(i, j int) bool {
	for k := i + 1; k <= min(j, i+8); k++ {
		if want := fold(p.text(i, k)); len(want) > 1 && slices.Contains(p.names, want) {
			return true
		}
	}
	return false
}

// namedAt reports whether a thing's whole name begins at a token, so that a step without a verb may begin there.
func (p *parser) namedAt(i int) bool {
	for j := i + 1; j <= min(len(p.tokens), i+8); j++ {
		want := fold(p.text(i, j))
		if want != "" && slices.Contains(p.names, want) {
			return true
		}
	}
	return false
}

// frames returns the readings of a verb with the tokens that are left.
func (p *parser) frames(f found) []reading {
	list := p.readings(f)
	for k := range list {
		if slices.Contains([]verb{switchOn, switchOff, setting, clearing, choosing, pressing, typing}, f.verb) && list[k].step.Act != Menu && (f.verb != typing || list[k].step.Target.given()) {
			list[k].verb = f.words
		}
		if f.keys != nil && list[k].step.Act == Click {
			list[k].step.Keys = f.keys
		}
	}
	return list
}

func (p *parser) readings(f found) []reading {
	i, j := f.from, f.to
	switch f.verb {
	case tap:
		return slices.Concat(p.clicks(i, j, Step{Act: Click}), p.menus(i, j), p.edges(i, j), p.fromMenu(i, j), p.atKeys(f))
	case opening:
		return slices.Concat(p.opens(i, j), p.menus(i, j), p.fromMenu(i, j), p.edges(i, j))
	case choosing:
		list := slices.Concat(p.clicks(i, j, Step{Act: Click}), p.menus(i, j), p.fromMenu(i, j), p.chooses(i, j))
		return append(list, slices.DeleteFunc(p.selects(i, j), func(r reading) bool { return r.step.Act != Drag })...)
	case double:
		return p.clicks(i, j, Step{Act: Click, Times: 2})
	case triple:
		return p.clicks(i, j, Step{Act: Click, Times: 3})
	case context:
		return p.clicks(i, j, Step{Act: Click, Button: "right"})
	case middleTap:
		return p.clicks(i, j, Step{Act: Click, Button: "middle"})
	case holding:
		return p.holds(i, j)
	case switchOn:
		return p.switches(i, j, "on")
	case switchOff:
		return p.switches(i, j, "off")
	case ensuring:
		return p.ensures(i, j)
	case setting:
		return slices.Concat(p.sets(i, j), p.dragsTo(i, j), p.edges(i, j), p.fromMenu(i, j))
	case typing:
		list := p.types(i, j)
		for k := range list {
			if weak[f.words] && list[k].step.Act == Type && !list[k].step.Target.given() {
				list[k].cost += costUnlikely
			}
		}
		return list
	case filling:
		return slices.Concat(p.fills(i, j), p.types(i, j))
	case replacing:
		return p.replaces(i, j)
	case clearing:
		return p.withTarget(i, j, Step{Act: Set})
	case pressing:
		return p.presses(i, j)
	case hovering:
		return append(p.withTarget(i, j, Step{Act: Hover}), p.edges(i, j)...)
	case dragging:
		return slices.Concat(p.drags(i, j), p.dragsTo(i, j))
	case selecting:
		return p.selects(i, j)
	case scrolling:
		return p.scrolls(i, j)
	case waiting:
		return p.waits(i, j)
	case activating:
		return p.activates(i, j)
	case closingUp:
		return p.closes(i, j)
	case shortcut:
		return p.shortcuts(i, j)
	case looking:
		if i == j {
			return []reading{{step: Step{Act: Look}}}
		}
	}
	return nil
}

// weak are the verbs that type a text only with a place for it.
var weak = set("setz setze put add gib enter insert append füge füg trag trage einfügen")

// withTarget returns the readings of a step whose only part is its target.
func (p *parser) withTarget(i, j int, s Step) (list []reading) {
	for _, n := range p.nounsOf(i, j) {
		s.Target = n.Noun
		list = append(list, reading{step: s, cost: n.cost})
	}
	return list
}

// splits calls use for each phrase of a list between i and j, with where it begins and ends.
func (p *parser) splits(i, j int, phrases string, use func(k, to int)) {
	list := strings.Split(phrases, ",")
	for k := i; k < j; k++ {
		if _, n := p.phraseOf(k, j, list); n > 0 {
			use(k, k+n)
		}
	}
}

const whileHolding = "with,while holding,while you hold,while holding down,holding,and hold,mit,bei gedrückter,mit gedrückter,while pressing"

// clicks returns the readings of a click: how often, and with which keys held.
func (p *parser) clicks(i, j int, s Step) (list []reading) {
	if x, y, ok := p.point(i, j); ok {
		s.Target = Noun{Said: pointSaid}
		s.Right, s.Down = x, y
		return []reading{{step: s}}
	}
	p.splits(i, j, whileHolding, func(k, to int) {
		keys, _, ok := p.keys(to, j)
		if !ok || !slices.Contains(modifiers, keys[len(keys)-1]) {
			return
		}
		held := s
		held.Keys = keys
		list = append(list, p.withTarget(i, k, held)...)
	})
	if times, k := p.timesAt(i, j); times > 1 && times < 4 {
		s.Times = times
		return append(list, p.withTarget(i, k, s)...)
	}
	return append(list, p.withTarget(i, j, s)...)
}

// point returns the point that two numbers name.
func (p *parser) point(i, j int) (x, y int, ok bool) {
	parts := strings.FieldsFunc(strings.Trim(p.text(i, j), "()"), func(r rune) bool { return r == ',' || r == ' ' || r == 'x' || r == '(' || r == ')' })
	if len(parts) != 2 {
		return 0, 0, false
	}
	x, errX := strconv.Atoi(parts[0])
	y, errY := strconv.Atoi(parts[1])
	return x, y, errX == nil && errY == nil && x >= 0 && y >= 0
}

// edgeKeys are the keys that move the caret to the beginning or end of a text or line.
var edgeKeys = func() map[string][]string {
	all := map[string][]string{}
	for _, what := range []string{"", " of the text", " of the document", " of the file", " of the page", " des textes", " des dokuments", " der datei", " of it"} {
		for _, edge := range strings.Split("the end,the very end,end,the bottom,das ende,den schluss,ende", ",") {
			all[edge+what] = []string{"ctrl", "end"}
		}
		for _, edge := range strings.Split("the beginning,the very beginning,the start,the top,beginning,den anfang,anfang", ",") {
			all[edge+what] = []string{"ctrl", "home"}
		}
	}
	for _, what := range []string{" of the line", " der zeile", " of this line", " of the row"} {
		for _, edge := range []string{"the end", "das ende", "end"} {
			all[edge+what] = []string{"end"}
		}
		for _, edge := range []string{"the beginning", "the start", "den anfang", "beginning"} {
			all[edge+what] = []string{"home"}
		}
	}
	return all
}()

// edges returns the readings of going to the beginning or end of a text or line.
func (p *parser) edges(i, j int) []reading {
	for _, front := range []string{"the cursor to", "the caret to", "the cursor at", "the caret at", "the text cursor to", "the insertion point to", "to", "at", "den cursor an", "an", "ans"} {
		if n := p.phrase(i, j, front); n > 0 {
			i += n
			break
		}
	}
	if keys := edgeKeys[p.words(i, j)]; keys != nil && i < j {
		return []reading{{step: Step{Act: Press, Keys: keys}}}
	}
	return nil
}

// files are the words for what opens by two clicks.
var files = set("file folder directory document datei ordner verzeichnis dokument note notiz")

// opens returns the readings of "open": files and folders open by two clicks.
func (p *parser) opens(i, j int) []reading {
	list := p.clicks(i, j, Step{Act: Click})
	for k := range list {
		s := &list[k].step
		file := files[s.Target.Kind] && s.Times == 0
		if len(s.Target.Things) > 0 {
			t := p.screen[s.Target.Things[0]]
			file = slices.Contains([]string{"list item", "cell", "row"}, t.Kind) || file && isTold(t.Kind)
			if t.Kind == "window" {
				s.Act = Activate
			}
		}
		if file && s.Act == Click {
			s.Times = 2
		}
	}
	return list
}

// path returns the labels of a path such as File > Export > PDF, or nil.
func (p *parser) path(i, j int) (path []string) {
	for i < j && (p.is(i, "the", "das") || p.is(i, "menu", "menü") && i+1 < j && !p.is(i+1, ">")) {
		i++
	}
	if j == i+1 && p.tokens[i].quoted && strings.ContainsAny(p.tokens[i].text, arrows) {
		for part := range strings.FieldsFuncSeq(p.tokens[i].text, func(r rune) bool { return strings.ContainsRune(arrows, r) }) {
			path = append(path, strings.TrimSpace(part))
		}
		return path
	}
	from := i
	for k := i; k <= j; k++ {
		if k < j && !p.is(k, ">") {
			continue
		}
		if k == from {
			return nil
		}
		path = append(path, p.text(from, k))
		from = k + 1
	}
	if len(path) < 2 {
		return nil
	}
	return path
}

// menus returns the readings of a path.
func (p *parser) menus(i, j int) []reading {
	for _, begin := range []int{i, i + p.phrase(i, j, "in the menu"), i + p.phrase(i, j, "im menü")} {
		if path := p.path(begin, j); path != nil {
			return []reading{{step: Step{Act: Menu, Path: path}}}
		}
	}
	return nil
}

const fromWhere = "from,from the,in,in the,of,of the,under,under the,on,on the,within,inside,out of,aus,aus dem,aus der,im,in der,in dem,unter,bei,des,vom,auf,auf der,auf dem,an"

// fromMenu returns the readings of an entry with its menu or list: "Find from the Search menu", "Both in Direction".
func (p *parser) fromMenu(i, j int) (list []reading) {
	p.splits(i, j, fromWhere, func(k, to int) {
		for _, n := range p.nounsOf(to, j) {
			list = append(list, p.entryOf(i, k, n)...)
		}
		for m := to + 1; m < j-1; m++ { // "PDF in the File menu under Export"
			if !p.is(m, "unter", "under", "within", ">", "submenu", "in") {
				continue
			}
			sub := m + 1
			for sub < j-1 && p.is(sub, "the", "submenu", "untermenü", "dem", "den") {
				sub++
			}
			for _, n := range p.nounsOf(to, m) {
				for _, r := range p.entryOf(i, k, n) {
					if r.step.Act == Menu {
						r.step.Path = []string{r.step.Path[0], p.label(sub, j), r.step.Path[1]}
						list = append(list, r)
					}
				}
			}
		}
	})
	p.splits(i, j, fromWhere, func(k, to int) { // "from the Search menu Find", as in German and in steps that name the place first
		if k != i {
			return
		}
		for m := to + 1; m < j; m++ {
			for _, n := range p.nounsOf(to, m) {
				list = append(list, p.entryOf(m, j, n)...)
			}
		}
	})
	return list
}

// atKeys returns the readings of "confirm with Enter".
func (p *parser) atKeys(f found) []reading {
	if !strings.HasPrefix(f.words, "con") && !strings.HasPrefix(f.words, "best") && !strings.HasPrefix(f.words, "an") && !strings.HasPrefix(f.words, "use") && !strings.HasPrefix(f.words, "reply") {
		return nil
	}
	if keys, times, ok := p.keys(f.from, f.to); ok {
		return []reading{{step: Step{Act: Press, Keys: keys, Times: times}, cost: costWord}}
	}
	return nil
}

// label returns the tokens of a label without polite words around them.
func (p *parser) label(i, j int) string {
	for j-i > 1 && p.is(i, "bitte", "please", "dort", "there", "then", "dann") {
		i++
	}
	for j-i > 1 && p.is(j-1, "bitte", "please", "dort", "there", "then", "dann", "now", "jetzt") {
		j--
	}
	return p.text(i, j)
}

// entryOf returns the readings of the entry that tokens name of a menu or list.
func (p *parser) entryOf(i, k int, of noun) (list []reading) {
	if i >= k || len(of.Things) != 1 {
		return nil
	}
	cost := of.cost
	for i < k-1 && (p.is(i, "auf", "to", "on", "zu", "bitte", "the", "den", "die", "das", "option", "entry", "item", "eintrag", "command", "befehl", "punkt", "value", "wert")) {
		i++
		cost += costSmall
	}
	if k-i > 1 && p.is(k-1, "option", "entry", "item", "command") {
		k--
		cost += costSmall
	}
	label := p.label(i, k)
	if k-i > 1 || !p.tokens[i].quoted {
		cost += costSmall*float64(k-i) + p.signs(i, k)
	}
	path := []string{p.screen[of.Things[0]].Name, label}
	if p.is(i, "unter", "under") && p.tokens[k-1].quoted && k-i > 2 { // "unter Format „Toggle Comment“"
		last := k - 1
		for last > i+1 && p.is(last-1, "bitte", "please", "then", "dann", "den", "the", "eintrag", "entry") {
			last--
		}
		path = []string{path[0], p.text(i+1, last), p.tokens[k-1].text}
	} else if k-i > 1 && slices.ContainsFunc(p.tokens[i:k], func(t token) bool { return t.quoted }) {
		cost += costNowhere
	}
	switch t := p.screen[of.Things[0]]; t.Kind {
	case "menu", "menu item":
		list = append(list, reading{step: Step{Act: Menu, Path: path}, cost: cost + costSmall})
	case "combo box", "spinner":
		list = append(list, reading{step: Step{Act: Set, Target: of.Noun, Text: label}, cost: cost + costSmall})
	}
	return list
}

// chooses returns the readings of a value for a list: "PDF as File type", "Both for Direction".
func (p *parser) chooses(i, j int) (list []reading) {
	p.splits(i, j, "for,for the,as,as the,für,für die,für den,als,next to,at,bei", func(k, to int) {
		if k == i {
			return
		}
		for _, n := range p.nounsOf(to, j) {
			if len(n.Things) == 1 && !p.screen[n.Things[0]].Popup {
				list = append(list, reading{step: Step{Act: Set, Target: n.Noun, Text: p.text(i, k)}, cost: n.cost + costWord})
			}
		}
	})
	return list
}

// holds returns the readings of "press and hold".
func (p *parser) holds(i, j int) []reading {
	s := Step{Act: Click, Seconds: 1}
	for _, last := range []string{"gedrückt", "down", "lang"} {
		if j > i && p.is(j-1, last) {
			j--
		}
	}
	if j-i > 3 && p.is(j-1, "seconds", "second", "sekunden", "sekunde") && count(p.tokens[j-2].word) > 0 {
		s.Seconds = count(p.tokens[j-2].word)
		j -= 2
		if p.is(j-1, "for", "lang", "für") {
			j--
		}
	}
	for _, front := range []string{"on", "the mouse button on", "the mouse on"} {
		i += p.phrase(i, j, front)
	}
	return p.withTarget(i, j, s)
}

// switches returns the readings of setting something on or off.
func (p *parser) switches(i, j int, to string) []reading {
	list := p.withTarget(i, j, Step{Act: Set, Text: to})
	for k := range list {
		s := &list[k].step
		if len(s.Target.Things) != 1 {
			continue
		}
		switch t := p.screen[s.Target.Things[0]]; {
		case t.Kind == "window" && to == "on":
			s.Act, s.Text = Activate, ""
		case !t.Has && !isTold(t.Kind) && to == "on" && t.Kind != "checkbox" && t.Kind != "switch":
			s.Act, s.Text = Click, ""
		}
	}
	return list
}

// states are the ends of "make sure that … is on".
var states = map[string]string{}

func init() {
	for word := range strings.SplitSeq("on,ticked,checked,selected,chosen,enabled,active,activated,set,an,ein,aktiviert,angehakt,ausgewählt,eingeschaltet,angekreuzt,gewählt,aktiv,markiert,switched on,turned on,showing,shown,open", ",") {
		states[word] = "on"
	}
	for word := range strings.SplitSeq("off,unticked,unchecked,deselected,disabled,inactive,deactivated,aus,deaktiviert,abgehakt,abgewählt,ausgeschaltet,inaktiv,switched off,turned off,not ticked,not checked,not selected,nicht aktiviert,nicht angehakt,nicht ausgewählt,not on,not set", ",") {
		states[word] = "off"
	}
}

// ensures returns the readings of "make sure that … is on".
func (p *parser) ensures(i, j int) (list []reading) {
	for k := i + 1; k < j; k++ {
		if to, ok := states[p.words(k+1, j)]; ok && p.is(k, "is", "are") && k+1 < j {
			list = append(list, p.switches(i, k, to)...)
		}
		if to, ok := states[p.words(k, max(k, j-1))]; ok && p.is(j-1, "ist", "sind") && k < j-1 {
			list = append(list, p.switches(i, k, to)...)
		}
	}
	return list
}

const toValue = "to,to the,to be,at,as,auf,auf den,auf die,auf das,zu,=,with,by"

// sets returns the readings of "set … to …".
func (p *parser) sets(i, j int) (list []reading) {
	p.splits(i, j, toValue, func(k, to int) {
		if k == i { // "auf Dark bei Theme"
			p.splits(to, j, "bei,bei der,beim,in,im,für,for,at,unter", func(m, noun int) {
				if m > to {
					for _, n := range p.nounsOf(noun, j) {
						list = append(list, p.setTo(n, to, m)...)
					}
				}
			})
		}
		if k == i || to >= j {
			return
		}
		what := k
		p.splits(i, k, "from,von", func(f, _ int) { what = f }) // "from 10 to 14"
		for _, n := range p.nounsOf(i, what) {
			list = append(list, p.setTo(n, to, j)...)
		}
	})
	for k := i + 1; k < j; k++ { // "set Width 100"
		if _, err := strconv.ParseFloat(p.tokens[k].text, 64); err == nil && k == j-1 || p.tokens[k-1].after == ":" {
			for _, n := range p.nounsOf(i, k) {
				for _, r := range p.setTo(n, k, j) {
					r.cost += costUnlikely
					list = append(list, r)
				}
			}
		}
	}
	return list
}

// setTo returns the readings of setting a noun to the value of tokens. What is no control is text, which is replaced.
func (p *parser) setTo(n noun, i, j int) (list []reading) {
	cost := n.cost
	for i < j-1 && !p.tokens[i].quoted && (small[p.tokens[i].word] || p.is(i, "value", "wert", "option", "text", "number", "zahl")) && p.tokens[i].word != "all" {
		i++
		cost += costSmall
	}
	if len(n.Things) > 0 && !p.isSet(n.Things[0]) {
		cost += costKind
	}
	value := p.text(i, j)
	if to, ok := states[fold(value)]; ok && len(n.Things) == 1 && (p.screen[n.Things[0]].Has || len(p.screen) == 0) && !p.tokens[i].quoted {
		value = to
	}
	if len(n.Things) == 1 && slices.Contains([]string{"checkbox", "switch", "radio"}, p.screen[n.Things[0]].Kind) && value != "on" && value != "off" {
		return nil
	}
	if !p.tokens[i].quoted {
		cost += costWord * float64(j-i)
	}
	cost += p.signs(i, j)
	return []reading{{step: Step{Act: Set, Target: n.Noun, Text: value}, cost: cost}}
}

// isSet reports whether a thing has a state, a value or a text to set. The text may be the label of such a thing, or be
// replaced itself.
func (p *parser) isSet(k int) bool {
	t := p.screen[k]
	return t.Has || slices.Contains([]string{"field", "spinner", "combo box", "cell", "text", "checkbox", "switch", "slider", "radio"}, t.Kind)
}

// dragsTo returns the readings of moving a thing to another one, or a slider to a value.
func (p *parser) dragsTo(i, j int) (list []reading) {
	if n := p.longestOf(i, j, []string{"the mouse from", "the pointer from", "from", "von", "mit der maus von", "die maus von"}); n > 0 {
		i += n
	}
	p.splits(i, j, "to,to the,onto,onto the,into,into the,over,over to,over into,over onto,across to,on,on top of,in,in the,auf,auf den,auf die,auf das,in den,in die,in das,nach,zu,zum,zur", func(k, to int) {
		if k == i || to >= j {
			return
		}
		for _, n := range p.nounsOf(i, k) {
			if len(n.Things) == 1 && p.screen[n.Things[0]].Has && p.isNumber(to, j) {
				list = append(list, p.setTo(n, to, j)...)
				continue
			}
			for _, onto := range p.nounsOf(to, j) {
				if len(onto.Things) > 0 || onto.Cell != "" || len(n.Things) > 0 {
					list = append(list, reading{step: Step{Act: Drag, Target: n.Noun, To: onto.Noun}, cost: n.cost + onto.cost})
				}
			}
		}
	})
	return list
}

// isNumber reports whether a token is a number or a percentage.
func (p *parser) isNumber(i, j int) bool {
	if j == i+2 && p.is(j-1, "percent", "prozent", "%") {
		j--
	}
	if j != i+1 {
		return false
	}
	_, err := strconv.ParseFloat(strings.TrimSuffix(p.tokens[i].text, "%"), 64)
	return err == nil
}

// sides are words for directions.
var sides = map[string][2]int{
	"left": {-1, 0}, "links": {-1, 0}, "right": {1, 0}, "rechts": {1, 0}, "up": {0, -1}, "upwards": {0, -1}, "oben": {0, -1}, "hoch": {0, -1}, "down": {0, 1}, "downwards": {0, 1}, "unten": {0, 1}, "runter": {0, 1}, "rauf": {0, -1},
}

// drags returns the readings of dragging by pixels: "Volume 40 pixels to the right".
func (p *parser) drags(i, j int) (list []reading) {
	side, ok := sides[p.tokens[max(j-1, 0)].word]
	if !ok || j-i < 3 {
		return nil
	}
	k := j - 1
	for k > i && p.is(k-1, "to", "the", "nach", "zur", "seite") {
		k--
	}
	if p.is(k-1, "pixels", "pixel", "px") {
		k--
	}
	if k-1 <= i {
		return nil
	}
	far := count(p.tokens[k-1].word)
	k--
	if p.is(k-1, "by", "um") {
		k--
	}
	if far == 0 || k <= i {
		return nil
	}
	return p.withTarget(i, k, Step{Act: Drag, Right: side[0] * far, Down: side[1] * far})
}

const into = "into,into the,in,in the,in to,inside,to,to the,at,at the,as,as the,for,for the,on,on the,within,under,beside,next to,ins,im,in den,in das,in die,in dem,in der,bei,beim,als,unter,neben,auf,für,hinter,zu,after,behind,below,above"

// besideText are words before or after a text to type that add nothing.
var besideText = strings.Split("the text,the word,the words,the number,the value,the name,the sentence,the line,the formula,the letters,the letter,the following,the following text,the date,the search term,the term,text,den text,das wort,die wörter,die zahl,den wert,den namen,den satz,die zeile,die formel,folgendes,das datum,den begriff,den suchbegriff,here,there", ",")

// types returns the readings of typing a text, into a field or where the keyboard is.
func (p *parser) types(i, j int) (list []reading) {
	list = append(list, p.typed(i, j, noun{}, false)...)
	for k := i; k < j; k++ {
		_, n := p.phraseOf(k, j, strings.Split(into, ","))
		if n == 0 || k+n >= j {
			continue
		}
		if k > i {
			for _, at := range p.whereTyped(k, k+n, j) {
				list = append(list, p.typed(i, k, at, true)...)
			}
			continue
		}
		for m := k + n + 1; m < j; m++ { // "in the Name field Ada"
			for _, at := range p.whereTyped(k, k+n, m) {
				list = append(list, p.typed(m, j, at, true)...)
			}
		}
	}
	return list
}

// whereTyped returns the nouns into which a text is typed: the tokens from i on, or, after "next to" and the like, what
// is there. "it" and the like are where the keyboard is.
func (p *parser) whereTyped(prep, i, j int) (list []noun) {
	if j == i+1 && p.is(i, "it", "there", "here", "ihn", "es", "dort", "hier") || p.words(i, j) == "the document" || p.words(i, j) == "the text" || p.words(i, j) == "das dokument" {
		return []noun{{cost: costSmall}}
	}
	if way, is := besides[p.words(prep, i)]; is {
		for _, anchor := range p.nounsOf(i, j) {
			field := noun{Noun: Noun{Kind: "field", Said: p.text(prep, j)}}
			list = append(list, p.beside(field, anchor, way))
		}
	}
	return append(list, p.nounsOf(i, j)...)
}

// typed returns the readings of typing the tokens from i to j.
func (p *parser) typed(i, j int, at noun, into bool) []reading {
	cost := at.cost
	if _, n := p.phraseOf(i, j, besideText); n > 0 && i+n < j {
		i += n
		cost += costSmall
	}
	if i < j-1 && (p.is(j-1, "there", "dort", "hinein", "rein") || p.is(j-1, "here", "da", "ein", "in") && p.tokens[j-2].quoted) {
		j--
	}
	if i >= j {
		return nil
	}
	if j-i > 1 || !p.tokens[i].quoted {
		cost += costWord * float64(j-i)
	}
	if j-i > 1 && slices.ContainsFunc(p.tokens[i:j], func(t token) bool { return t.quoted }) {
		return nil // what is in quotes is the text, and the rest is something else
	}
	if p.hasPlace(i, j) {
		cost += costNowhere
	}
	cost += p.signs(i, j)
	s := Step{Act: Type, Text: p.text(i, j), Target: at.Noun}
	if last := p.tokens[j-1]; !last.quoted && (last.after == "!" || last.after == "?") {
		s.Text += last.after
	}
	if sign := typedSigns[p.words(i, j)]; sign != "" {
		s.Text = sign
	}
	if into && len(at.Things) == 1 && p.isField(at.Things[0]) {
		s.Act = Set
	} else if into && at.given() && at.Cell == "" && len(p.screen) > 0 && (len(at.Things) == 0 || p.screen[at.Things[0]].Kind == "button") {
		cost += costUnlikely
	}
	return []reading{{step: s, cost: cost}}
}

// signs returns what the signs in a text without quotes cost, as a comma may end it.
func (p *parser) signs(i, j int) (cost float64) {
	for k := i; k < j-1; k++ {
		if strings.ContainsAny(p.tokens[k].after, ",;:.-") {
			cost += costUnlikely
		}
	}
	return cost
}

// hasPlace reports whether a text has a place on the screen in it, so that more than a text is meant.
func (p *parser) hasPlace(i, j int) bool {
	places := strings.Split(into, ",")
	for k := i + 1; k < j-1; k++ {
		if _, n := p.phraseOf(k, j, places); n > 0 && k+n < j {
			for _, n := range p.single(k+n, min(k+n+1, j)) {
				if n.Cell != "" || len(n.Things) > 0 && !n.Part {
					return true
				}
			}
		}
	}
	return false
}

// typedSigns are the signs that words for a text are for.
var typedSigns = map[string]string{
	"an exclamation mark": "!", "an exclamation point": "!", "a question mark": "?", "a full stop": ".", "a period": ".", "a dot": ".", "a comma": ",", "a space": " ", "a colon": ":", "a hyphen": "-", "a dash": "-",
	"ein ausrufezeichen": "!", "ein fragezeichen": "?", "einen punkt": ".", "ein komma": ",", "ein leerzeichen": " ", "einen doppelpunkt": ":", "einen bindestrich": "-",
}

// isField reports whether a thing is a field of one line, whose text is replaced by what is typed into it, or the label
// of one.
func (p *parser) isField(k int) bool {
	switch t := p.screen[k]; t.Kind {
	case "field", "spinner", "combo box":
		return !t.Lines
	case "text":
		return true
	}
	return false
}

// fills returns the readings of "fill … with …".
func (p *parser) fills(i, j int) (list []reading) {
	p.splits(i, j, "with,by,mit,:", func(k, to int) {
		if k == i || to >= j {
			return
		}
		for _, n := range p.nounsOf(i, k) {
			list = append(list, p.setTo(n, to, j)...)
		}
	})
	return list
}

// replaces returns the readings of "replace … with …": of the text of a field, or of a text on the screen.
func (p *parser) replaces(i, j int) (list []reading) {
	p.splits(i, j, "with,by,with the text,with the word,by the word,durch,mit,gegen,durch das wort", func(k, to int) {
		if k == i || to >= j {
			return
		}
		from := i
		for _, front := range []string{"the text in", "the content of", "the contents of", "the text of", "the value in", "the value of", "what is in", "den text in", "den inhalt von", "the word", "the words", "the text", "das wort", "den text"} {
			if n := p.phrase(i, k, front); n > 0 && i+n < k {
				from = max(from, i+n)
			}
		}
		for _, n := range p.nounsOf(from, k) {
			list = append(list, p.setTo(n, to, j)...)
		}
	})
	return list
}

// presses returns the readings of "press": keys, or a button.
func (p *parser) presses(i, j int) (list []reading) {
	if keys, times, ok := p.keys(i, j); ok {
		cost := 0.0
		if len(keys) == 1 && len(p.screen) > 0 && len(p.nounsOf(i, j)) > 0 && len(p.nounsOf(i, j)[0].Things) > 0 && p.nounsOf(i, j)[0].cost < costPart && !slices.Contains([]string{"enter", "escape", "tab"}, keys[0]) && !p.is(j-1, "key", "taste") {
			cost = 0.1 // "press Delete" where a button has the name
		}
		list = append(list, reading{step: Step{Act: Press, Keys: keys, Times: times}, cost: cost})
	}
	if n := p.longestOf(i, j, []string{"on", "auf", "the button", "den knopf", "die schaltfläche"}); n > 0 && i+n < j {
		list = append(list, p.clicks(i+n, j, Step{Act: Click})...)
	}
	return append(list, p.clicks(i, j, Step{Act: Click})...)
}

// selects returns the readings of selecting a text.
func (p *parser) selects(i, j int) (list []reading) {
	p.splits(i, j, "through,to,until,up to,bis,bis zu,through to", func(k, to int) {
		from := i
		if p.is(i, "from", "von") {
			from++
		}
		if n := p.longestOf(from, k, []string{"everything from", "all from", "the cells", "cells", "the range", "the cells from", "cells from", "die zellen", "alles von", "die zellen von", "zellen"}); n > 0 {
			from += n
		}
		for _, n := range p.nounsOf(from, k) {
			for _, m := range p.nounsOf(to, j) {
				s := Step{Act: Select, Target: n.Noun, To: m.Noun}
				if n.Cell != "" && m.Cell != "" && len(n.Things)+len(m.Things) == 0 {
					s.Act = Drag
				} else if n.Cell != "" || m.Cell != "" {
					continue
				}
				list = append(list, reading{step: s, cost: n.cost + m.cost})
			}
		}
	})
	if text := p.text(i, j); j == i+1 && strings.Contains(text, ":") { // "A1:C5"
		from, to, _ := strings.Cut(text, ":")
		if a, ok := cellOf(from, true); ok {
			if b, ok := cellOf(to, true); ok {
				list = append(list, reading{step: Step{Act: Drag, Target: Noun{Said: a, Label: a, Cell: a}, To: Noun{Said: b, Label: b, Cell: b}}})
			}
		}
	}
	for _, n := range p.nounsOf(i, j) {
		s := Step{Act: Select, Target: n.Noun}
		if len(n.Things) == 1 && !isTold(p.screen[n.Things[0]].Kind) && n.Label != "" && p.screen[n.Things[0]].Kind != "field" {
			s.Act = Click // "mark the row Rent"
		}
		list = append(list, reading{step: s, cost: n.cost})
	}
	return list
}

// scrolls returns the readings of "scroll".
func (p *parser) scrolls(i, j int) (list []reading) {
	down := 0
	words := p.words(i, j)
	up := strings.Contains(" "+words+" ", " up ") || strings.Contains(words, "nach oben") || strings.Contains(words, "hoch")
	if up {
		down = -1
	}
	for _, end := range []string{"bottom", "end", "very end", "very bottom", "ende", "schluss"} {
		if strings.HasSuffix(words, "to the "+end) || strings.HasSuffix(words, "ans "+end) || strings.HasSuffix(words, "zum "+end) || strings.HasSuffix(words, "ganz nach unten") {
			return []reading{{step: Step{Act: Scroll, End: true}}}
		}
	}
	for _, begin := range []string{"top", "beginning", "start", "very top", "anfang"} {
		if strings.HasSuffix(words, "to the "+begin) || strings.HasSuffix(words, "an den "+begin) || strings.HasSuffix(words, "zum "+begin) || strings.HasSuffix(words, "ganz nach oben") {
			return []reading{{step: Step{Act: Scroll, End: true, Down: -1}}}
		}
	}
	p.splits(i, j, "to,until you see,until,till,until i see,so that,to see,bis,bis zu,bis du siehst", func(k, to int) {
		last := j
		if n := p.shows(to, j); n > 0 {
			last -= n
		}
		if last <= to || p.is(to, "the") && p.is(to+1, "right", "left") {
			return
		}
		for _, n := range p.nounsOf(to, last)[:min(1, len(p.nounsOf(to, last)))] {
			s := Step{Act: Scroll, Text: cmpOr(n.Label, n.Said), Down: down}
			list = append(list, reading{step: s, cost: costWord})
		}
	})
	rest := i
	s := Step{Act: Scroll}
	for rest < j {
		side, is := sides[p.tokens[rest].word]
		switch {
		case is:
			s.Right, s.Down = side[0], side[1]
		case count(p.tokens[rest].word) > 0 && s.Times == 0 && !p.is(rest, "a", "one"):
			s.Times = count(p.tokens[rest].word)
		case p.is(rest, "by", "nach", "a", "bit", "little", "further", "more", "times", "notches", "lines", "pixels", "ein", "stück", "etwas", "weiter", "mal", "the", "page", "once", "to", "steps", "clicks", "zeilen"):
		case p.is(rest, "in", "inside", "im", "over", "within", "on") && rest+1 < j:
			for _, n := range p.nounsOf(rest+1, j) {
				one := s
				one.Target = n.Noun
				list = append(list, reading{step: scrolled(one), cost: n.cost})
			}
			return list
		default:
			return list
		}
		rest++
	}
	return append(list, reading{step: scrolled(s), cost: 0})
}

// scrollNotches is how far a step scrolls without a number, in notches of the wheel.
const scrollNotches = 8

// scrolled returns a step that scrolls by notches.
func scrolled(s Step) Step {
	far := s.Times
	switch {
	case far == 0:
		far = scrollNotches
	case far > 20: // pixels
		far = max(1, far/50)
	}
	if s.Right == 0 && s.Down == 0 {
		s.Down = 1
	}
	s.Right, s.Down, s.Times = s.Right*far, s.Down*far, 0
	return s
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

const showing = "appears,appear,shows,shows up,is there,is shown,is visible,comes up,comes into view,is in view,pops up,opens,has opened,is open,to appear,to show,to show up,to come up,to open,erscheint,da ist,zu sehen ist,sichtbar ist,auftaucht,aufgeht,offen ist"
const leaving = "disappears,disappear,is gone,goes away,vanishes,has gone,closes,has closed,to disappear,to go away,to close,verschwindet,weg ist,verschwunden ist"

// shows returns the number of tokens of a phrase for showing before j, or 0.
func (p *parser) shows(i, j int) int { return p.ending(i, j, showing) }

// ending returns the number of tokens of the longest phrase of a list that ends at j, or 0.
func (p *parser) ending(i, j int, phrases string) int {
	best := 0
	for phrase := range strings.SplitSeq(phrases, ",") {
		n := len(strings.Fields(phrase))
		if n > best && j-n > i && p.phrase(j-n, j, phrase) == n {
			best = n
		}
	}
	return best
}

// waits returns the readings of "wait".
func (p *parser) waits(i, j int) []reading {
	switch words := p.words(i, j); {
	case words == "a moment", words == "a second", words == "a bit", words == "einen moment", words == "kurz", words == "einen augenblick", words == "ein bisschen", i == j:
		return []reading{{step: Step{Act: Wait, Seconds: 1}}}
	case strings.HasSuffix(words, "is still"), strings.HasSuffix(words, "is quiet"), strings.HasSuffix(words, "is calm"), strings.HasSuffix(words, "is done"), strings.HasSuffix(words, "ruhig ist"), strings.HasSuffix(words, "still ist"), strings.HasSuffix(words, "fertig ist"), strings.HasSuffix(words, "has finished"), strings.HasSuffix(words, "is ready"):
		return []reading{{step: Step{Act: Wait}}}
	}
	if j-i >= 2 && p.is(j-1, "seconds", "second", "sekunden", "sekunde") && count(p.tokens[j-2].word) > 0 {
		return []reading{{step: Step{Act: Wait, Seconds: count(p.tokens[j-2].word)}}}
	}
	s := Step{Act: Wait}
	for i < j-1 && p.is(i, "the", "for", "until", "auf", "bis", "das", "der", "die", "text", "a", "an") {
		i++
	}
	if n := p.ending(i, j, leaving); n > 0 {
		s.Gone = true
		j -= n
	} else if n := p.shows(i, j); n > 0 {
		j -= n
	}
	if p.is(i, "window", "fenster", "dialog", "dialogue") && j-i > 1 {
		s.Window = true
		i++
	} else if p.is(j-1, "window", "fenster", "dialog", "dialogue", "message") && j-i > 1 {
		s.Window = p.is(j-1, "window", "fenster", "dialog")
		j--
	}
	if i >= j {
		return nil
	}
	cost := costSmall
	if j-i > 1 || !p.tokens[i].quoted {
		cost = costWord * float64(j-i)
	}
	s.Text = p.text(i, j)
	return []reading{{step: s, cost: cost}}
}

// activates returns the readings of going to a window, or to a tab of one.
func (p *parser) activates(i, j int) (list []reading) {
	for _, last := range []string{"to the front", "to the foreground", "forward", "nach vorn", "nach vorne", "in den vordergrund"} {
		if n := len(strings.Fields(last)); j-n > i && p.phrase(j-n, j, last) == n {
			j -= n
		}
	}
	for _, n := range p.nounsOf(i, j) {
		s := Step{Act: Click, Target: n.Noun}
		switch {
		case len(n.Things) == 1 && p.screen[n.Things[0]].Kind == "window", len(n.Things) == 0 && (n.Kind == "" || n.Kind == "window" || n.Kind == "fenster"):
			s.Act = Activate
		}
		list = append(list, reading{step: s, cost: n.cost})
	}
	return list
}

// closes returns the readings of closing a window, a menu, or something with a button or keys.
func (p *parser) closes(i, j int) (list []reading) {
	p.splits(i, j, "with,by,using,by pressing,by clicking,with the keys,mit,über,by clicking on,with a click on", func(k, to int) {
		list = append(list, p.presses(to, j)...)
	})
	switch words := p.words(i, j); {
	case slices.Contains([]string{"", "it", "the window", "this window", "the dialog", "the dialogue", "the program", "the application", "the app", "das fenster", "den dialog", "das programm", "es", "dialog", "the message", "this dialog", "the pop-up", "the editor"}, words):
		return append(list, reading{step: Step{Act: Close}})
	case slices.Contains([]string{"the menu", "the context menu", "das menü", "das kontextmenü", "the list"}, words):
		return append(list, reading{step: Step{Act: Press, Keys: []string{"escape"}}})
	}
	for _, n := range p.nounsOf(i, j) {
		s := Step{Act: Close, Target: n.Noun}
		if len(n.Things) > 0 && p.screen[n.Things[0]].Kind != "window" && p.screen[n.Things[0]].Kind != "dialog" {
			n.cost += costAbsent
		}
		list = append(list, reading{step: s, cost: n.cost})
	}
	return list
}

// shortcuts returns the readings of a common command, such as "copy" and "save the file".
func (p *parser) shortcuts(i, j int) (list []reading) {
	command := ""
	for from := i; from > 0 && command == ""; from-- {
		for f := 0; f < from; f++ {
			if words := p.words(f, i); shortcutKeys[words] != nil {
				command = words
				break
			}
		}
		break
	}
	if command == "" {
		command = p.words(max(0, j-1), j)
		if shortcutKeys[command] == nil {
			return nil
		}
	}
	p.splits(i, j, "with,by,using,by pressing,with the keys,mit", func(k, to int) {
		if p.allSmall(i, k) {
			list = append(list, p.presses(to, j)...)
		}
	})
	if !p.allSmall(i, j) {
		return list
	}
	for k, name := range p.names { // the entry of an open menu
		if p.screen[k].Popup && name == command {
			list = append(list, reading{step: Step{Act: Click, Target: Noun{Said: name, Label: name, Things: []int{k}}}, cost: -costSmall})
		}
	}
	return append(list, reading{step: Step{Act: Press, Keys: shortcutKeys[command]}, cost: costSmall * float64(j-i)})
}

// allSmall reports whether tokens add nothing to a common command.
func (p *parser) allSmall(i, j int) bool {
	for ; i < j; i++ {
		if p.tokens[i].quoted || !besideShortcut[p.tokens[i].word] {
			return false
		}
	}
	return true
}
