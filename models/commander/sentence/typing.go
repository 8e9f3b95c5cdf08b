package sentence

import (
	"slices"
	"strings"
)

const into = "into,into the,in,in the,in to,inside,to,to the,at,at the,as,as the,for,for the,on,on the,within,under,beside,next to,ins,im,in den,in das,in die,in dem,in der,bei,beim,als,unter,neben,auf,für,hinter,zu,after,behind,below,above"

// besideText are words before or after a text to type that add nothing.
var besideText = strings.Split("the text,the word,the words,the number,the value,the name,the sentence,the line,the formula,the letters,the letter,the following,the following text,the date,the search term,the term,text,den text,das wort,die wörter,die zahl,den wert,den namen,den satz,die zeile,die formel,folgendes,das datum,den begriff,den suchbegriff,here,there", ",")

// types returns the readings of typing a text, into a field or where the keyboard is.
func (p *parser) types(i, j int) (list []reading) {
	list = append(list, p.typed(i, j, noun{}, false)...)
	for k := i; k < j; k++ {
		n := p.phraseOf(k, j, strings.Split(into, ","))
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
	if n := p.phraseOf(i, j, besideText); n > 0 && i+n < j {
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
	cost += p.signCost(i, j)
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

// signCost returns what the signs in a text without quotes cost, as a comma may end it.
func (p *parser) signCost(i, j int) (cost float64) {
	for k := i; k < j-1; k++ {
		if strings.ContainsAny(p.tokens[k].after, ",;:.-") {
			cost += costUnlikely
		}
	}
	return cost
}

// hasPlace reports whether a text ends with a place on the screen, so that more than a text is meant.
func (p *parser) hasPlace(i, j int) bool {
	places := strings.Split(into, ",")
	for k := i + 1; k < j-1; k++ {
		n := p.phraseOf(k, j, places)
		if n == 0 || k+n >= j {
			continue
		}
		for _, end := range []int{j, k + n + 1} {
			if list := p.nounsOf(k+n, end); len(list) > 0 && list[0].cost < maxDoubt {
				return true
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
