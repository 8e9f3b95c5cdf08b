package sentence

import (
	"slices"
	"strings"
)

// frames returns the readings of a verb with the tokens that are left.
func (p *parser) frames(f found) []reading {
	list := p.readings(f)
	for k := range list {
		if slices.Contains([]verb{switchOn, switchOff, setting, ensuring, clearing, choosing, pressing, typing}, f.verb) && list[k].step.Act != Menu && (f.verb != typing || list[k].step.Target.given()) {
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
		if n := p.phraseOf(k, j, list); n > 0 {
			use(k, k+n)
		}
	}
}
