package sentence

import (
	"slices"
	"strings"
)

// manners are phrases that say with what to do something, and add nothing; politeEnds are other words at the end of a step
// that add nothing; buttons say how to click.
var (
	manners    = strings.Split("with the mouse,with your mouse,using the mouse,on the keyboard,on your keyboard,using the keyboard,without clicking,without a click,all the way,ohne zu klicken,durch ziehen,by dragging,mit der maus,auf der tastatur,über die tastatur,please,bitte", ",")
	politeEnds = strings.Split("now,again,for me,instead,jetzt,nochmal,stattdessen,once,einmal,first,zuerst,too,as well,auch", ",")
	buttons    = map[string]Step{
		"with the right mouse button": {Button: "right"}, "with the right button": {Button: "right"}, "with a right click": {Button: "right"}, "with a right-click": {Button: "right"}, "mit der rechten maustaste": {Button: "right"}, "mit rechts": {Button: "right"}, "mit einem rechtsklick": {Button: "right"}, "using the right mouse button": {Button: "right"},
		"with the middle mouse button": {Button: "middle"}, "mit der mittleren maustaste": {Button: "middle"},
		"with the left mouse button": {}, "mit der linken maustaste": {}, "with a click": {}, "with a single click": {}, "mit einem klick": {},
		"with a double click": {Times: 2}, "with a double-click": {Times: 2}, "by double-clicking": {Times: 2}, "by double clicking": {Times: 2}, "by double-clicking it": {Times: 2}, "mit einem doppelklick": {Times: 2}, "mit doppelklick": {Times: 2}, "per doppelklick": {Times: 2}, "by a double click": {Times: 2},
	}
)

// longestManner is the maximum number of words of a phrase in buttons.
const longestManner = 5

// clause returns the readings of the tokens from begin to end as one step.
func (p *parser) clause(begin, end int) (list []reading) {
	for n := 1; n > 0 && end-begin > 1; {
		if n = p.ending(begin, end, strings.Join(slices.Concat(manners, politeEnds), ",")); n > 0 {
			end -= n
		}
	}
	list = p.plain(begin, end)
	for k := begin; k < end-1; k++ {
		if n := p.phraseOf(k, end, manners); n > 0 {
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
	return &parser{said: p.said, tokens: tokens, screen: p.screen, names: p.names, index: p.index, nouns: map[[2]int][]noun{}}
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
	if n := p.phraseOf(begin, end, []string{"no", "don't", "do not", "without", "kein", "keine", "keinen", "nicht mehr", "ohne", "no more", "please don't"}); n > 0 {
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
	from := begin + 1
	if p.is(from, "down") {
		from++
	}
	for k := from + 1; k < end; k++ {
		keys, _, ok := p.keys(from, k)
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
var vague = set("tree baum side hand toolbar bar table corner edge part in at on from the that same this menu window dialog list there it of bottom top left right side and which opened opens has just popped pops up appears appeared now im in der dem diesem selben gleichen fenster menü dialog liste unten oben sich geöffnet hat aufgegangen ist ganz")

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
		if want := fold(p.text(i, k)); len(want) > 1 && slices.Contains(p.names, want) || signs[want] != "" && slices.Contains(p.names, signs[want]) {
			return true
		}
	}
	return false
}

// namedAt reports whether a thing's whole name begins at a token, so that a step without a verb may begin there.
func (p *parser) namedAt(i int) bool {
	for j := i + 1; j <= min(len(p.tokens), i+8); j++ {
		want := fold(p.text(i, j))
		if want != "" && slices.Contains(p.names, want) || signs[want] != "" && slices.Contains(p.names, signs[want]) {
			return true
		}
	}
	return false
}
