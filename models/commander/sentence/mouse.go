package sentence

import (
	"slices"
	"strconv"
	"strings"
)

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

// holds returns the readings of "press and hold".
func (p *parser) holds(i, j int) []reading {
	if _, _, keys := p.keys(i, j); keys {
		return nil
	}
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

// dragsTo returns the readings of moving a thing to another one, or a slider to a value.
func (p *parser) dragsTo(i, j int) (list []reading) {
	if n := p.phraseOf(i, j, []string{"the mouse from", "the pointer from", "from", "von", "mit der maus von", "die maus von"}); n > 0 {
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
				if len(onto.Things) > 0 || onto.Cell != "" {
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

// presses returns the readings of "press": keys, or a button.
func (p *parser) presses(i, j int) (list []reading) {
	if keys, times, ok := p.keys(i, j); ok {
		cost := 0.0
		if len(keys) == 1 && len(p.screen) > 0 && len(p.nounsOf(i, j)) > 0 && len(p.nounsOf(i, j)[0].Things) > 0 && p.nounsOf(i, j)[0].cost < costPart && !slices.Contains([]string{"enter", "escape", "tab"}, keys[0]) && !p.is(j-1, "key", "taste") {
			cost = 0.1 // "press Delete" where a button has the name
		}
		list = append(list, reading{step: Step{Act: Press, Keys: keys, Times: times}, cost: cost})
	}
	if n := p.phraseOf(i, j, []string{"on", "auf", "the button", "den knopf", "die schaltfläche"}); n > 0 && i+n < j {
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
		if n := p.phraseOf(from, k, []string{"everything from", "all from", "the cells", "cells", "the range", "the cells from", "cells from", "die zellen", "alles von", "die zellen von", "zellen"}); n > 0 {
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
