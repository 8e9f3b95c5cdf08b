package sentence

import (
	"cmp"
	"slices"
	"strings"
)

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
			s := Step{Act: Scroll, Text: cmp.Or(n.Label, n.Said), Down: down}
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
	for _, n := range p.single(i, j) { // a window of the name, whatever else has it
		if windows := p.those(n.Things, "window"); len(windows) == 1 {
			n.Things = windows
			list = append(list, reading{step: Step{Act: Close, Target: n.Noun}, cost: n.cost})
		}
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
	for from := 0; from < i && command == ""; from++ { // its words stand before its parts
		if words := p.words(from, i); shortcutKeys[words] != nil {
			command = words
		}
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
