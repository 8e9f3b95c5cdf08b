package sentence

import (
	"cmp"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"
)

// What a reading costs. They are in an order that a person would agree with, and no more is known about them: a
// whole name before a part of one, a thing of the kind before one of another kind, what is there before what is not.
const (
	costSmall    = 0.02 // a word that says nothing
	costWord     = 0.05 // a word of a free text without quotes
	costText     = 0.05 // a text, where a control might be meant
	costKind     = 0.25 // the thing is of another kind
	costPart     = 0.3  // the words are a part of the name
	costSeveral  = 0.3  // it may be several things
	costNowhere  = 0.6  // it is not where the sentence says
	costAbsent   = 1.5  // it is not on the screen
	costNoVerb   = 0.25 // a step without a verb
	costUnlikely = 0.3  // a person would rather say it otherwise
	costVague    = 0.1  // it is in something without a name that is not on the screen
	costTrailer  = 0.2  // an explanation that is left out
	costMeans    = 0.3  // only the keys or the thing by which something is done are understood
)

// noun is a way to understand tokens as a thing.
type noun struct {
	Noun

	cost float64
	hint image.Point // where it is among equals: -1 is left or top, and 1 right or bottom
}

// nounsOf returns the ways to understand the tokens from i to j as a thing, the cheapest first.
func (p *parser) nounsOf(i, j int) []noun {
	if i >= j {
		return nil
	}
	key := [2]int{i, j}
	if known, ok := p.nouns[key]; ok {
		return known
	}
	p.nouns[key] = nil
	var list []noun
	if emptySpots[p.words(i, j)] {
		list = append(list, noun{Noun: Noun{Said: p.text(i, j), Kind: EmptySpot}, cost: costSmall})
	}
	for _, n := range p.single(i, j) {
		list = append(list, p.chosen(n))
	}
	list = append(list, p.placed(i, j)...)
	list = append(list, p.inPlace(i, j)...)
	slices.SortStableFunc(list, func(a, b noun) int { return cmp.Compare(a.cost, b.cost) })
	list = list[:min(len(list), 6)]
	p.nouns[key] = list
	return list
}

// relatives are what is said of a thing that has just come.
const relatives = "that pops up,which pops up,that opens,which opens,that opened,which opened,that has opened,that appears,which appears,that appeared,that comes up,that just opened,that came up,that is shown,that is open,that you see,which is open,das sich öffnet,der sich öffnet,das aufgeht,das erscheint,das sich geöffnet hat,das aufgegangen ist,die erscheint,there"

// EmptySpot is the kind of a noun for a place where nothing is.
const EmptySpot = "empty spot"

// emptySpots are the words for such a place.
var emptySpots = func() map[string]bool {
	all := map[string]bool{"ins leere": true, "leere": true}
	for _, where := range strings.Split("spot,area,space,place,part,region", ",") {
		for _, empty := range strings.Split("an empty,the empty,empty,a free,a blank,the blank,blank,some empty", ",") {
			for _, in := range strings.Split(",in ,on ,into ", ",") {
				all[in+empty+" "+where] = true
			}
		}
	}
	for _, where := range strings.Split("eine leere stelle,eine freie stelle,die leere fläche,eine leere fläche,eine freie fläche,den leeren bereich,einen leeren bereich,die freie fläche", ",") {
		all[where], all["auf "+where], all["in "+where] = true, true, true
	}
	return all
}()

// single returns the ways to understand tokens as one name, with a kind and an ordinal. Their things are not chosen yet.
func (p *parser) single(i, j int) (list []noun) {
	list = append(list, p.named(i, j, "")...)
	skipped := 0.0
	if n := p.ending(i+1, j, relatives); n > 0 {
		j -= n
		skipped += costSmall * float64(n)
	}
	for i < j-1 && !p.tokens[i].quoted && small[p.tokens[i].word] {
		i++
		skipped += costSmall
	}
	for i < j-1 && p.is(j-1, "again", "there", "now", "please", "bitte", "instead", "too", "dort", "da", "selbst", "itself", "first", "zuerst", "over", "rüber", "hinüber", "einmal", "once") {
		j--
		skipped += costSmall
	}
	more := p.named(i, j, "")
	if skipped == 0 {
		more = nil
	}
	more = append(more, p.ofKind(i, j)...)
	if nth, n := p.ordinal(i, j); n > 0 {
		for _, one := range append(p.ofKind(i+n, j), p.named(i+n, j, "")...) {
			one.Nth = nth
			more = append(more, one)
		}
	}
	for k := range more {
		more[k].cost += skipped
		more[k].Said = p.text(i, j)
	}
	return append(list, more...)
}

// ordinal returns the place among equals that a noun begins with, and its number of tokens.
func (p *parser) ordinal(i, j int) (nth, n int) {
	if j-i < 2 || p.tokens[i].quoted {
		return 0, 0
	}
	if j-i > 2 && looks[p.tokens[i].word] { // "the very first"
		if nth, n := p.ordinal(i+1, j); n > 0 {
			return nth, n + 1
		}
	}
	word := p.tokens[i].word
	if nth, ok := ordinals[word]; ok {
		return nth, 1
	}
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		if number, is := strings.CutSuffix(word, ending); is {
			if nth, err := strconv.Atoi(number); err == nil && nth > 0 {
				return nth, 1
			}
		}
	}
	if nth, err := strconv.Atoi(word); err == nil && nth > 0 && nth < 1000 && p.tokens[i].after == "." { // German: "der 2. Regler"
		return nth, 1
	}
	return 0, 0
}

// ofKind returns the ways to understand tokens with a word for a kind: "the Save button", "button Save", "the
// button that says Save", "a button".
func (p *parser) ofKind(i, j int) (list []noun) {
	for n := min(longestKind, j-i); n > 0; n-- {
		if k := i; kindWords[p.words(j-n, j)] != nil { // "the little arrow"
			for k < j-n && !p.tokens[k].quoted && looks[p.tokens[k].word] {
				k++
			}
			if k > i && k == j-n {
				list = append(list, noun{Noun: Noun{Kind: p.words(j-n, j)}, cost: costSmall})
			}
		}
		if kind := p.words(j-n, j); kindWords[kind] != nil { // at the end
			if n == j-i {
				list = append(list, noun{Noun: Noun{Kind: kind}})
				continue
			}
			list = append(list, p.named(i, j-n, kind)...)
			if nth, m := p.ordinal(i, j-n+1); m > 0 && i+m < j-n { // "the second Save button"
				for _, one := range p.named(i+m, j-n, kind) {
					one.Nth = nth
					list = append(list, one)
				}
			}
		}
		if kind := p.words(i, i+n); n < j-i && kindWords[kind] != nil { // at the beginning
			k := i + n
			if m := p.phraseOf(k, j, sayings); m > 0 && k+m < j {
				list = append(list, p.named(k+m, j, kind)...)
			}
			list = append(list, p.named(k, j, kind)...)
		}
	}
	return list
}

// named returns the ways to understand tokens as the name of things of a kind, "" for any.
func (p *parser) named(i, j int, kind string) (list []noun) {
	if i >= j {
		return nil
	}
	for i < j-1 && kind != "" && !p.tokens[i].quoted && small[p.tokens[i].word] {
		i++
	}
	label := p.text(i, j)
	want := fold(label)
	whole, part := p.things(want)
	if sign := signs[want]; sign != "" && len(whole) == 0 {
		whole, _ = p.things(sign)
	}
	base := Noun{Said: label, Label: label, Kind: kind}
	if cell, ok := p.cell(i, j, kind); ok {
		n := base
		n.Cell = cell
		list = append(list, noun{Noun: n, cost: costSmall})
	}
	for _, found := range []struct {
		things []int
		cost   float64
		part   bool
	}{{whole, 0, false}, {part, costPart, true}} {
		if len(found.things) == 0 {
			continue
		}
		n := base
		n.Things, n.Part = found.things, found.part
		if kind == "" {
			list = append(list, noun{Noun: n, cost: found.cost})
			continue
		}
		if of := p.those(found.things, kind); len(of) > 0 {
			n.Things = of
			list = append(list, noun{Noun: n, cost: found.cost})
		} else {
			list = append(list, noun{Noun: n, cost: found.cost + costKind})
		}
	}
	words := 0.0
	if j-i > 1 || !p.tokens[i].quoted {
		words = costWord * float64(j-i)
	}
	return append(list, noun{Noun: base, cost: p.absent() + words + p.signCost(i, j)})
}

// signs are the signs on buttons that words are for.
var signs = map[string]string{
	"star": "*", "asterisk": "*", "times sign": "×", "stern": "*", "plus": "+", "plus sign": "+", "pluszeichen": "+", "minus": "-", "minus sign": "-", "minuszeichen": "-", "equals": "=", "equals sign": "=", "equal sign": "=", "gleichheitszeichen": "=", "ist gleich": "=",
	"percent": "%", "percent sign": "%", "prozentzeichen": "%", "slash": "/", "dot": ".", "decimal point": ".", "point": ".", "period": ".", "punkt": ".", "comma": ",", "komma": ",", "hash": "#",
	"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "null": "0", "eins": "1", "zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9",
}

// absent returns what a noun costs that is not on the screen. If the screen is unknown, every noun is a likely one.
func (p *parser) absent() float64 {
	if len(p.screen) == 0 { // nothing is known of it
		return costSmall
	}
	return costAbsent
}

// those returns the things that are of a kind.
func (p *parser) those(things []int, kind string) (list []int) {
	kinds := kindWords[kind]
	for _, t := range things {
		if slices.Contains(kinds, p.screen[t].Kind) {
			list = append(list, t)
		}
	}
	return list
}

// things returns the things whose whole name a label is, and those of whose name it is a part.
func (p *parser) things(want string) (whole, part []int) {
	if want == "" {
		return nil, nil
	}
	known, ok := p.found[want]
	if !ok {
		known[0], known[1] = p.search(want)
		p.found[want] = known
	}
	return known[0], known[1]
}

// links are words that are no part of a name by themselves.
var links = set("and und or oder of to in on at with for from by is it i you then dann as so von zu mit für ist ich du sie if wenn")

// search looks for what things returns.
func (p *parser) search(want string) (whole, part []int) {
	joined := tight(want)
	defer func() {
		if links[want] || small[want] {
			part = nil
		}
	}()
	for k, name := range p.names {
		text := p.texts[k]
		switch {
		case p.screen[k].Lines && name != want: // a text of several lines is named by what is in it only where a word of it is meant
			if text == want || isPart(text, want) {
				part = append(part, k)
			}
		case name == want || name == "" && text == want || p.tight[k] == joined && joined != "":
			whole = append(whole, k)
		case isPart(name, want) || name == "" && isPart(text, want):
			part = append(part, k)
		}
	}
	if len(whole)+len(part) > 0 {
		return whole, part
	}
	stems, ok := stemsOf(want)
	if !ok {
		return nil, nil
	}
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, isSlip} {
		for k := range p.names {
			if !slices.ContainsFunc(stems, func(s string) bool {
				return !slices.ContainsFunc(p.stems[k], func(of string) bool { return same(s, of) })
			}) {
				part = append(part, k)
			}
		}
		if len(part) > 0 {
			break
		}
	}
	return nil, part
}

// minSlip is the least length of a word that is known with a slip of the pen, in bytes.
const minSlip = 5

// isSlip reports whether words differ by one letter that is missing, added or another one, or by two letters in the other order.
func isSlip(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) < minSlip || len(a)-len(b) > 2 {
		return false
	}
	x, y := []rune(a), []rune(b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return len(x) < 2 && len(y) < 2 || len(x) == 2 && len(y) == 2 && x[0] == y[1] && x[1] == y[0]
}

// stemsOf returns the stems of the words of a label that may be a part of a name, in any order and number: "whole words"
// of "Match whole word". ok is false if there are none.
func stemsOf(label string) (stems []string, ok bool) {
	for word := range strings.FieldsSeq(label) {
		if small[word] {
			continue
		}
		if len(word) < 3 {
			return nil, false
		}
		stems = append(stems, stem(word))
	}
	return stems, len(stems) > 0
}

// stem returns a word without the endings of number and time.
func stem(word string) string {
	for _, ending := range []string{"ings", "ing", "ed", "es", "s"} {
		if short, is := strings.CutSuffix(word, ending); is && len(short) > 2 {
			return strings.TrimSuffix(short, "e")
		}
	}
	return strings.TrimSuffix(word, "e")
}

// isPart reports whether a label is a part of a name that a person would say: whole words of it, or a file's name
// without its ending.
func isPart(name, label string) bool {
	if len(label) < 2 || len(label) >= len(name) {
		return false
	}
	at := strings.Index(name, label)
	if at < 0 || len(label) < 3 && len(name) > 12 {
		return false
	}
	before, after := name[:at], name[at+len(label):]
	edge := func(s string, end bool) bool {
		if s == "" {
			return true
		}
		c := s[0]
		if end {
			c = s[len(s)-1]
		}
		return strings.ContainsRune(" .,:;()/-_\"'&|", rune(c))
	}
	return edge(before, true) && edge(after, false)
}

// cell returns the cell of a sheet that tokens name, as B7.
func (p *parser) cell(i, j int, kind string) (string, bool) {
	if j != i+1 {
		return "", false
	}
	is := kindWords[kind] != nil && slices.Contains(kindWords[kind], "cell")
	cell, ok := cellOf(p.tokens[i].text, !is)
	return cell, ok && (is || kind == "")
}

// cellOf returns the cell that a text such as B7 names. strict says that its letters are capitals.
func cellOf(text string, strict bool) (string, bool) {
	letters := strings.TrimRight(text, "0123456789")
	number := text[len(letters):]
	if number == "" || len(number) > 7 || letters == "" || len(letters) > 3 || number[0] == '0' {
		return "", false
	}
	upper := strings.ToUpper(letters)
	for _, r := range upper {
		if r < 'A' || r > 'Z' {
			return "", false
		}
	}
	return upper + number, !strict || letters == upper
}

// chosen chooses among the things that a noun may mean.
func (p *parser) chosen(n noun) noun {
	if len(n.Things) == 0 && n.Label == "" && n.Cell == "" { // a kind alone
		for k, t := range p.screen {
			if slices.Contains(kindWords[n.Kind], t.Kind) && (t.Active || t.Popup || t.Kind == "window" || t.Kind == "dialog") {
				n.Things = append(n.Things, k)
			}
		}
		if len(n.Things) == 0 {
			n.cost += p.absent() + costKind
			return n
		}
		n.Things = p.foremost(n.Things, kindWords[n.Kind][0])
	}
	if len(n.Things) == 0 {
		return n
	}
	n.Things = p.foremost(n.Things, "")
	switch {
	case n.Nth == -1:
		n.Things = n.Things[len(n.Things)-1:]
	case n.Nth > len(n.Things):
		n.cost += costNowhere
	case n.Nth > 0:
		n.Things = n.Things[n.Nth-1 : n.Nth]
	case n.hint != image.Point{}:
		n.Things = p.outermost(n.Things, n.hint)
	}
	if len(n.Things) > 1 {
		n.cost += costSeveral
	} else if isTold(p.screen[n.Things[0]].Kind) {
		n.cost += costText
	}
	return n
}

// isTold reports whether things of a kind inform only, so that a control of the same name is meant rather.
func isTold(kind string) bool {
	return kind == "text" || kind == "heading" || kind == "image" || kind == "icon" || kind == "window" || kind == "panel"
}

// foremost returns those of some things that a user means: those of an open menu, else those of the active window,
// else all; controls before texts; and of things in each other the inner one. prefer is the kind that is meant if
// there are such.
func (p *parser) foremost(list []int, prefer string) []int {
	keep := func(is func(Thing) bool) {
		var some []int
		for _, k := range list {
			if is(p.screen[k]) {
				some = append(some, k)
			}
		}
		if len(some) > 0 {
			list = some
		}
	}
	keep(func(t Thing) bool { return t.Popup })
	keep(func(t Thing) bool { return t.Active })
	if prefer != "" {
		keep(func(t Thing) bool { return t.Kind == prefer })
	}
	keep(func(t Thing) bool { return !isTold(t.Kind) })
	return p.innermost(list)
}

// innermost leaves out things with a thing of the list inside, such as the combo box around its field.
func (p *parser) innermost(list []int) (some []int) {
	for _, k := range list {
		outer := slices.ContainsFunc(list, func(other int) bool {
			a, b := p.screen[other].Rect, p.screen[k].Rect
			return other != k && a.In(b) && (a != b || other > k) && p.names[other] == p.names[k]
		})
		if !outer {
			some = append(some, k)
		}
	}
	return some
}

// outermost returns the thing that is farthest in a direction.
func (p *parser) outermost(list []int, way image.Point) []int {
	far := func(k int) int { m := middle(p.screen[k].Rect); return m.X*way.X + m.Y*way.Y }
	return []int{slices.MaxFunc(list, func(a, b int) int { return cmp.Compare(far(a), far(b)) })}
}

// hintWords are the words of a place on the screen, as in "at the top right".
var hintWords = map[string]image.Point{
	"top": {Y: -1}, "upper": {Y: -1}, "oben": {Y: -1}, "obere": {Y: -1}, "oberen": {Y: -1}, "bottom": {Y: 1}, "lower": {Y: 1}, "unten": {Y: 1}, "unteren": {Y: 1}, "untere": {Y: 1},
	"left": {X: -1}, "links": {X: -1}, "linke": {X: -1}, "linken": {X: -1}, "right": {X: 1}, "rechts": {X: 1}, "rechte": {X: 1}, "rechten": {X: 1},
}

// besideHints are the other words of such a place.
var besideHints = set("at on in the to of and very corner side edge far hand left-hand right-hand half part screen window page dialog list am im an in der dem des ganz ecke seite rand vom bildschirm fenster fensters")

// inPlace returns the ways to understand tokens as a thing with its place on the screen.
func (p *parser) inPlace(i, j int) (list []noun) {
	for k := i + 1; k < j; k++ {
		hint, all := image.Point{}, true
		for t := k; t < j && all; t++ {
			way, is := hintWords[p.tokens[t].word]
			hint = hint.Add(way)
			all = !p.tokens[t].quoted && (is || besideHints[p.tokens[t].word])
		}
		if !all || hint == (image.Point{}) || besideHints[p.tokens[k-1].word] && p.tokens[k-1].word != "list" {
			continue
		}
		for _, n := range p.single(i, k) {
			n.hint = hint
			n = p.chosen(n)
			n.cost += costSmall * float64(j-k)
			n.Said = p.text(i, j)
			list = append(list, n)
		}
	}
	return list
}

// placed returns the ways to understand tokens as a thing in or beside another one.
func (p *parser) placed(i, j int) (list []noun) {
	for k := i + 1; k < j-1; k++ {
		if p.is(k, "between", "zwischen") {
			list = append(list, p.between(i, k, j)...)
		}
		if n := p.phraseOf(k, j, insides); n > 0 {
			list = append(list, p.both(i, k, k+n, j, p.inside)...)
		}
		for n := min(5, j-k-1); n > 0; n-- {
			way, is := besides[p.words(k, k+n)]
			if !is {
				continue
			}
			to := k + n
			list = append(list, p.both(i, k, to, j, func(n noun, anchor noun) noun { return p.beside(n, anchor, way) })...)
		}
	}
	return list
}

// between returns the ways to understand tokens as a thing between two others: "the button between Find and Close".
func (p *parser) between(i, k, j int) (list []noun) {
	for m := k + 2; m < j-1; m++ {
		if !p.is(m, "and", "und") {
			continue
		}
		for _, a := range p.nounsOf(k+1, m) {
			for _, b := range p.nounsOf(m+1, j) {
				if len(a.Things) != 1 || len(b.Things) != 1 {
					continue
				}
				from, to := p.screen[a.Things[0]].Rect, p.screen[b.Things[0]].Rect
				area := image.Rectangle{Min: middle(from), Max: middle(to)}.Canon().Inset(-1)
				for _, n := range p.single(i, k) {
					n.Things = slices.DeleteFunc(slices.Clone(p.all(n)), func(t int) bool {
						return t == a.Things[0] || t == b.Things[0] || !middle(p.screen[t].Rect).In(area)
					})
					if n = p.chosen(n); len(n.Things) > 0 {
						n.cost += a.cost + b.cost
						n.Said = p.text(i, j)
						list = append(list, n)
					}
				}
			}
		}
	}
	return list
}

// both combines the ways to understand two nouns.
func (p *parser) both(i, k, to, j int, combine func(n, around noun) noun) (list []noun) {
	outer := p.nounsOf(to, j)
	for _, n := range p.single(i, k) {
		for _, around := range outer[:min(len(outer), 3)] {
			c := combine(n, around)
			c.Said = p.text(i, j)
			list = append(list, c)
		}
	}
	return list
}

// all returns the things that a noun may mean before one is chosen.
func (p *parser) all(n noun) []int {
	if len(n.Things) > 0 || n.Label != "" || n.Cell != "" {
		return n.Things
	}
	var list []int
	for k, t := range p.screen {
		if slices.Contains(kindWords[n.Kind], t.Kind) {
			list = append(list, k)
		}
	}
	return list
}

// inside returns a noun for a thing in another one, such as a window, a list or a row.
func (p *parser) inside(n, around noun) noun {
	if len(around.Things) == 0 {
		n.cost += costNowhere
		if around.Label == "" { // "in the toolbar", where nothing is called a toolbar
			n.cost += costVague - costNowhere
		}
		if kinds := contents[around.Kind]; kinds != nil && n.Label == "" {
			n.Things = nil
			for k, t := range p.screen {
				if slices.Contains(kinds, t.Kind) && t.Active {
					n.Things = append(n.Things, k)
				}
			}
		}
		if around.Label != "" {
			n.cost += around.cost // a place with a name is not left out lightly
		}
		return p.chosen(n)
	}
	n.cost += around.cost
	var kept []int
	for _, k := range p.all(n) {
		if slices.ContainsFunc(around.Things, func(a int) bool { return a != k && p.isIn(p.screen[k], p.screen[a], around.Kind) }) {
			kept = append(kept, k)
		}
	}
	if len(kept) == 0 && around.Label == "" { // nothing is known to be in it
		n.cost += costVague
		return p.chosen(n)
	}
	if len(kept) == 0 {
		n.cost += costNowhere
		return p.chosen(n)
	}
	n.Things = kept
	return p.chosen(n)
}

// contents are the kinds of things that are in what a word is for.
var contents = map[string][]string{
	"list": {"list item", "cell", "row", "tree item"}, "liste": {"list item", "cell", "row", "tree item"}, "table": {"cell", "row"}, "tree": {"tree item"}, "baum": {"tree item"},
	"menu": {"menu item"}, "menü": {"menu item"}, "toolbar": {"button", "combo box", "field"}, "werkzeugleiste": {"button", "combo box", "field"}, "symbolleiste": {"button", "combo box", "field"},
}

// isIn reports whether a thing is in another one. kind is the word that the sentence has for the latter.
func (p *parser) isIn(t, around Thing, kind string) bool {
	switch {
	case around.Kind == "window" || around.Kind == "dialog":
		return t.Window == around.Name || t.Rect.In(around.Rect) && t.Active
	case slices.Contains([]string{"row", "zeile", "reihe", "line", "record"}, kind):
		return t.Window == around.Window && sameLine(t.Rect, around.Rect)
	case slices.Contains([]string{"column", "spalte"}, kind):
		return t.Window == around.Window && t.Rect.Min.X < around.Rect.Max.X && around.Rect.Min.X < t.Rect.Max.X && t.Rect.Min.Y >= around.Rect.Max.Y
	}
	return middle(t.Rect).In(around.Rect)
}

// sameLine reports whether two rectangles are side by side.
func sameLine(a, b image.Rectangle) bool {
	return middle(a).Y >= b.Min.Y && middle(a).Y < b.Max.Y || middle(b).Y >= a.Min.Y && middle(b).Y < a.Max.Y
}

// beside returns a noun for the thing that is nearest to another one, on one side.
func (p *parser) beside(n, anchor noun, way string) noun {
	n.cost += anchor.cost
	if len(anchor.Things) != 1 {
		n.cost += costNowhere
		return p.chosen(n)
	}
	a := p.screen[anchor.Things[0]]
	isField := a.Kind == "field" || a.Kind == "spinner" || a.Kind == "combo box"
	if n.Label == "" && n.Nth == 0 && way == "next" && isField && slices.Contains(kindWords[n.Kind], a.Kind) {
		n.Things = anchor.Things // programs give a field the name of the text beside it
		return n
	}
	ways := []string{way}
	if way == "next" {
		ways = []string{"right", "left"}
	}
	candidates := p.all(n)
	n.Things = nil
	for _, way := range ways {
		if k := p.nearest(candidates, n, anchor.Things[0], way); k >= 0 {
			n.Things = append(n.Things, k)
		}
		if len(n.Things) > 0 && (isTold(a.Kind) || isField || a.Kind == "checkbox") {
			break // what is beside a label is to its right
		}
	}
	switch len(n.Things) {
	case 0:
		n.cost += costNowhere
		return p.chosen(n)
	case 1:
		return n
	}
	n.cost += costSeveral
	return n
}

// nearest returns the one of some things that is nearest to another one on a side, or -1. Of things in each other it is the
// inner one.
func (p *parser) nearest(candidates []int, n noun, anchor int, way string) int {
	a := p.screen[anchor]
	best, least := -1, math.MaxInt
	for _, k := range candidates {
		t := p.screen[k]
		if k == anchor || t.Window != a.Window || n.Label == "" && isTold(t.Kind) && !strings.Contains("text image icon", n.Kind) {
			continue
		}
		if far, ok := Distance(t.Rect, a.Rect, way); ok && (far < least || far == least && t.Rect.In(p.screen[best].Rect)) {
			best, least = k, far
		}
	}
	return best
}

// Distance returns how far a rectangle is from another one on a side of it: "right", "left", "under" or "above". ok is false
// if it is not on that side.
func Distance(r, from image.Rectangle, way string) (far int, ok bool) {
	row := sameLine(r, from)
	column := r.Min.X < from.Max.X && from.Min.X < r.Max.X
	switch {
	case way == "right" && row && r.Max.X > from.Max.X:
		return r.Min.X - from.Max.X, true
	case way == "left" && row && r.Min.X < from.Min.X:
		return from.Min.X - r.Max.X, true
	case way == "under" && column && r.Max.Y > from.Max.Y:
		return r.Min.Y - from.Max.Y, true
	case way == "above" && column && r.Min.Y < from.Min.Y:
		return from.Min.Y - r.Max.Y, true
	}
	return 0, false
}
