package sentence

import "strings"

// kindTable has a line for each word for a kind: the kinds of things that it means, and its words.
const kindTable = `
button, link, menu item: button, knopf, schaltfläche, schalter, key, taste, tile
button, switch, checkbox: toolbar button, tool button, toggle, toggle button
checkbox, switch, menu item: checkbox, check box, tick box, tickbox, checkmark, tick, kontrollkästchen, kästchen, häkchen, haken, ankreuzfeld
checkbox, switch, field, combo box, spinner, radio: box, kasten
switch, checkbox, button: switch, slide switch
radio, menu item: radio button, radio, radiobutton, optionsfeld, round button, circle, optionsknopf
radio, checkbox, menu item, list item, switch, combo box: option, choice, setting, einstellung, auswahl
slider: slider, schieberegler, regler, schieber
spinner, field: spinner, spin box, spinbox, spin button, number field, number box, zahlenfeld, drehfeld, number, zahl
field, spinner, combo box: field, text field, input, input field, text box, textbox, entry box, entry field, edit box, edit field, feld, textfeld, eingabefeld, text area, textarea, textbereich, eingabezeile, input line, input box
combo box, list: dropdown, drop-down, drop down, dropdown list, drop-down list, drop down list, dropdown box, drop-down box, dropdown menu, drop-down menu, combo box, combobox, combo, auswahlliste, klappliste, auswahlfeld, aufklappliste, selector
combo box, list, table, tree: list, list box, listbox, liste, table, grid, tree, baum, list view
menu, menu item, button, combo box: menu, menü, submenu, sub-menu, untermenü
menu item, menu: menu item, menu entry, menüpunkt, menüeintrag, command, befehl
menu item, list item, menu, tree item, cell, field: item, entry, eintrag, punkt, element
tab: tab, reiter, registerkarte, karteikarte, page, seite, sheet, sheet tab, tabelle, tabellenblatt, blatt
list item, cell, tree item, row, text: row, list item, list entry, listeneintrag, zeile, reihe, record, datensatz, line
list item, cell, tree item, row, image, icon, tab, text: file, datei, folder, ordner, directory, verzeichnis, document, dokument, note, notiz, category, kategorie, node, knoten
cell: cell, zelle
row header, text, badge, button: row number, row header, row heading, row label, zeilennummer, zeilenkopf
text, cell, list item, button: letter, character, sign, digit, buchstabe, zeichen, ziffer
button, text, menu item: arrow, pfeil, triangle
column header, heading, text: column, column header, column heading, spalte, spaltenüberschrift, spaltenkopf, header, heading
link, text, button: link, hyperlink
text, heading, link, field: text, word, words, wort, label, beschriftung, title, titel, überschrift, caption, name, value, wert
image, icon, button, list item: icon, symbol, image, picture, bild, thumbnail
button, field, checkbox, radio, menu item, tab, list item, cell, link, icon, image, combo box, spinner, slider, switch, text: one, thing, ding
window, dialog: window, fenster, dialog, dialogue, dialog box, dialog window, dialogfenster, message, meldung, pop-up, popup
panel, list, tree, heading, text: panel, pane, side pane, sidebar, side bar, section, group, area, bereich, gruppe, abschnitt, seitenleiste, frame, rahmen
toolbar, status bar: toolbar, tool bar, werkzeugleiste, symbolleiste, status bar, statusbar, statusleiste
`

// kindWords are the kinds of things that each word for a kind means.
var kindWords = func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(kindTable)) {
		kinds, words, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for word := range strings.SplitSeq(words, ", ") {
			all[word] = strings.Split(kinds, ", ")
		}
	}
	return all
}()

// longestKind is the maximum number of words of a kind.
const longestKind = 3

// ordinals are words for a place among equals; -1 is the last.
var ordinals = func() map[string]int {
	all := map[string]int{"last": -1, "bottom": -1, "letzte": -1, "letzten": -1, "letzter": -1, "letztes": -1, "unterste": -1, "unterstes": -1, "top": 1, "oberste": 1, "obersten": 1, "topmost": 1, "other": 2}
	for i, words := range strings.Split("first erste|second zweite|third dritte|fourth vierte|fifth fünfte|sixth sechste|seventh siebte|eighth achte|ninth neunte|tenth zehnte", "|") {
		english, german, _ := strings.Cut(words, " ")
		all[english] = i + 1
		for _, ending := range []string{"", "n", "r", "s", "m"} {
			all[german+ending] = i + 1
		}
	}
	return all
}()

// small are words that say nothing about a thing.
var small = set("the a an this that these those its his her their my your only please now there bitte jetzt dort mal einfach der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen diesem dein deine mein meine mir me uns us mal")

// looks are words for how a thing looks, which say nothing beside a word for its kind: "the little arrow".
var looks = set("whole entire little small big large empty current following visible open desired very said shown appropriate respective same new kleine kleinen kleines große großen großes ganze ganzen leere leeren leeres offene offenen")

// sayings are phrases between a kind and a name.
var sayings = strings.Split("called,named,labelled,labeled,marked,titled,saying,reading,with the name,with the label,with the text,with the title,with the caption,with the word,with the words,that says,which says,that reads,which reads,that is called,which is called,that is labelled,which is labelled,for,of,with,"+
	"namens,mit dem namen,mit der aufschrift,mit der beschriftung,mit dem titel,mit dem text,mit der bezeichnung,mit,für,von", ",")

// insides and besides are the phrases between a thing and what it is in, and what it is beside.
var (
	insides = strings.Split("in,in the,inside,inside of,within,of,on,on the,from,at,under,among,in der,im,in dem,in den,des,der,von,vom,aus,aus der,aus dem,auf,auf der,auf dem,unter,bei,beim,innerhalb,an,am", ",")
	besides = map[string]string{}
)

func init() {
	for line := range strings.SplitSeq("next: right beside,directly next to,next to,beside,right next to,neben,by|right: immediately right of,right of,to the right of,on the right of,behind,after,following,just after,directly after,rechts von,rechts neben,hinter|left: left of,to the left of,on the left of,before,in front of,links von,links neben,vor|under: right below,right under,direkt unter,direkt darunter,under,below,underneath,beneath,unter,unterhalb von,directly below,just below,directly under|above: right above,direkt über,above,over,on top of,über,oberhalb von,directly above,just above", "|") {
		way, list, _ := strings.Cut(line, ": ")
		for phrase := range strings.SplitSeq(list, ",") {
			besides[phrase] = way
		}
	}
}

// fronts may begin a step that names a place first: "In the Find window, tick …".
var fronts = strings.Fields("as als to zum zur at in inside within on at from under for next beside below above of im in ins am an auf bei beim unter aus neben für von vom unterhalb innerhalb")

// set returns the words of a text.
func set(text string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		all[word] = true
	}
	return all
}
