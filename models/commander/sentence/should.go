package sentence

import (
	"slices"
)

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
