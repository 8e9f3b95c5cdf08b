package sentence

import (
	"slices"
	"strconv"
	"strings"
)

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
	for word := range strings.SplitSeq("off,unticked,unchecked,deselected,disabled,inactive,deactivated,aus,deaktiviert,abgehakt,abgewählt,ausgeschaltet,inaktiv,switched off,turned off,not ticked,not checked,not selected,nicht aktiviert,nicht angehakt,nicht ausgewählt,not on,not set,not", ",") {
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

const toValue = "down to,up to,back to,runter auf,hoch auf,rauf auf,to,to the,to be,at,as,auf,auf den,auf die,auf das,zu,=,with,by"

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
	if len(n.Things) > 0 && n.Label == "" && p.screen[n.Things[0]].Lines {
		return nil // "the word" is not the whole text
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
	cost += p.signCost(i, j)
	return []reading{{step: Step{Act: Set, Target: n.Noun, Text: value}, cost: cost}}
}

// isSet reports whether a thing has a state, a value or a text to set. The text may be the label of such a thing, or be
// replaced itself.
func (p *parser) isSet(k int) bool {
	t := p.screen[k]
	return t.Has || slices.Contains([]string{"field", "spinner", "combo box", "cell", "text", "checkbox", "switch", "slider", "radio"}, t.Kind)
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
