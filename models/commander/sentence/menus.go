package sentence

import (
	"slices"
	"strings"
)

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

const fromWhere = "from,from the,in,in the,of,of the,under,under the,within,inside,out of,aus,aus dem,aus der,im,in der,in dem,unter,bei,des,vom"

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

// entry returns the tokens of an entry without the words beside its label: "the option Both".
func (p *parser) entry(i, k int) (from, to int) {
	for i < k-1 && p.is(i, "auf", "to", "on", "zu", "bitte", "please", "the", "den", "die", "das", "option", "entry", "item", "eintrag", "command", "befehl", "punkt", "value", "wert") {
		i++
	}
	for k-i > 1 && p.is(k-1, "option", "entry", "item", "command", "bitte", "please") {
		k--
	}
	return i, k
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
	from := i
	i, k = p.entry(i, k)
	cost += costSmall * float64(i-from)
	label := p.label(i, k)
	if k-i > 1 || !p.tokens[i].quoted {
		cost += costSmall*float64(k-i) + p.signCost(i, k)
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
		from, end := p.entry(i, k)
		for _, n := range p.nounsOf(to, j) {
			if len(n.Things) == 1 && !p.screen[n.Things[0]].Popup {
				list = append(list, reading{step: Step{Act: Set, Target: n.Noun, Text: p.text(from, end)}, cost: n.cost + costWord})
			}
		}
	})
	p.splits(i, j, "als,as,for,für", func(k, to int) { // "als Theme Dark"
		for m := to + 1; k == i && m < j; m++ {
			from, end := p.entry(m, j)
			for _, n := range p.nounsOf(to, m) {
				if len(n.Things) == 1 && !p.screen[n.Things[0]].Popup {
					list = append(list, reading{step: Step{Act: Set, Target: n.Noun, Text: p.text(from, end)}, cost: n.cost + costWord})
				}
			}
		}
	})
	return list
}
