package sentence

import (
	"slices"
	"strconv"
	"strings"
)

// keyNames maps words for keys to the names that tools take.
var keyNames = func() map[string]string {
	all := map[string]string{}
	for line := range strings.SplitSeq("ctrl: ctrl,control,strg,steuerung,ctl|shift: shift,umschalt,umschalttaste|alt: alt,option|super: super,windows,win,meta|enter: enter,return,eingabe,eingabetaste,entertaste|escape: escape,esc|tab: tab,tabulator,tabulatortaste|"+
		"space: space,spacebar,leertaste,leerzeichen|backspace: backspace,rücktaste,back space|delete: delete,del,entf,entfernen,löschtaste|insert: insert,ins,einfg|home: home,pos1,pos 1|end: end,ende|pageup: pageup,page up,pgup,bild auf,bild-auf,bild hoch|pagedown: pagedown,page down,pgdn,bild ab,bild-ab,bild runter|"+
		"up: up,oben,up arrow,arrow up,pfeil hoch,pfeil oben,pfeil nach oben,nach oben,cursor up|down: down,unten,down arrow,arrow down,pfeil runter,pfeil unten,pfeil nach unten,nach unten,cursor down|left: left,links,left arrow,arrow left,pfeil links,pfeil nach links,nach links|right: right,rechts,right arrow,arrow right,pfeil rechts,pfeil nach rechts,nach rechts|"+
		"plus: plus|minus: minus|menu: menu key,kontextmenütaste", "|") {
		name, list, _ := strings.Cut(line, ": ")
		for word := range strings.SplitSeq(list, ",") {
			all[word] = name
		}
	}
	all["plus"], all["minus"] = "+", "-"
	for i := 1; i <= 24; i++ {
		all["f"+strconv.Itoa(i)] = "f" + strconv.Itoa(i)
	}
	return all
}()

// modifiers are the keys that are held while another one is pressed.
var modifiers = []string{"ctrl", "shift", "alt", "super"}

// besideKeys are words beside the names of keys that add nothing.
var besideKeys = set("the a key keys button on your keyboard die der das taste tasten tastenkombination combination shortcut arrow once einmal to of together zusammen gleichzeitig auf")

// counts are words for how often.
var counts = map[string]int{
	"once": 1, "twice": 2, "thrice": 3, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "a": 1, "one": 1,
	"einmal": 1, "zweimal": 2, "dreimal": 3, "viermal": 4, "fünfmal": 5, "sechsmal": 6, "siebenmal": 7, "achtmal": 8, "neunmal": 9, "zehnmal": 10,
	"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "couple": 2,
}

// count returns the number that a word means, 0 if it is no number.
func count(word string) int {
	if n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSuffix(word, "x"), "mal")); err == nil && n > 0 {
		return n
	}
	return counts[word]
}

// timesAt returns how often the tokens before j say, and where they begin: "twice", "3 times", "drei Mal".
func (p *parser) timesAt(i, j int) (times, begin int) {
	switch {
	case j-i >= 2 && p.is(j-1, "times", "mal", "x"):
		if n := count(p.tokens[j-2].word); n > 0 {
			return n, j - 2
		}
	case j-i >= 1 && (p.is(j-1, "twice", "once", "thrice") || strings.HasSuffix(p.tokens[j-1].word, "mal")):
		if n := count(p.tokens[j-1].word); n > 0 {
			return n, j - 1
		}
	}
	return 0, j
}

// keys returns the keys that tokens name, and how often to press them. ok is false if they name something else.
func (p *parser) keys(i, j int) (keys []string, times int, ok bool) {
	begin, end := i, j
	times, j = p.timesAt(i, j)
	if i < j && times == 0 && count(p.tokens[i].word) > 1 && p.is(i+1, "times", "mal") { // "dreimal Tab"
		times, i = count(p.tokens[i].word), i+2
	} else if j-i > 1 && times == 0 && strings.HasSuffix(p.tokens[i].word, "mal") && count(p.tokens[i].word) > 0 {
		times, i = count(p.tokens[i].word), i+1
	}
	if j-i > 8 {
		return nil, 0, false
	}
	for i < j {
		if p.is(i, "and", "und", "+", "plus") && len(keys) > 0 && i < j-1 || !p.tokens[i].quoted && besideKeys[p.tokens[i].word] && j-i+len(keys) > 1 {
			i++
			continue
		}
		found := 0
		for n := min(4, j-i); n > 0 && found == 0; n-- {
			if name, is := keyNames[p.words(i, i+n)]; is {
				keys, found = append(keys, name), n
			}
		}
		if found == 0 {
			some := chord(p.tokens[i].text)
			if some == nil {
				return nil, 0, false
			}
			keys, found = append(keys, some...), 1
		}
		i += found
	}
	for k, key := range keys { // several keys are pressed together only if all but the last are held
		if k < len(keys)-1 && !slices.Contains(modifiers, key) {
			return nil, 0, false
		}
	}
	if len(keys) == 1 && len([]rune(keys[0])) == 1 && slices.ContainsFunc(p.tokens[begin:end], func(t token) bool { return t.word == "button" }) {
		return nil, 0, false // "the C button" is one on the screen
	}
	return keys, times, len(keys) > 0
}

// chord returns the keys of a word such as "Ctrl+S", "Strg-Umschalt-T", "Enter-Taste" or "x", or nil.
func chord(text string) (keys []string) {
	text = strings.ToLower(text)
	if name, is := keyNames[text]; is {
		return []string{name}
	}
	if len([]rune(text)) == 1 {
		return []string{text}
	}
	text = strings.TrimSuffix(text, "-taste")
	for text != "" {
		at := strings.IndexAny(text[1:], "+-")
		part := text
		if at >= 0 {
			part = text[:at+1]
		}
		name, is := keyNames[part]
		if !is && len([]rune(part)) == 1 {
			name, is = part, true
		}
		if !is {
			return nil
		}
		keys = append(keys, name)
		if at < 0 {
			break
		}
		text = text[at+2:]
		if text == "" { // "ctrl++"
			return nil
		}
	}
	return keys
}

// shortcutKeys are the keys of common commands.
var shortcutKeys = map[string][]string{
	"select all": {"ctrl", "a"}, "select everything": {"ctrl", "a"}, "select all of it": {"ctrl", "a"}, "select all the text": {"ctrl", "a"}, "select the whole document": {"ctrl", "a"}, "mark everything": {"ctrl", "a"}, "mark all": {"ctrl", "a"},
	"alles auswählen": {"ctrl", "a"}, "alles markieren": {"ctrl", "a"}, "wähle alles aus": {"ctrl", "a"}, "wähle alles": {"ctrl", "a"}, "markiere alles": {"ctrl", "a"},
	"copy": {"ctrl", "c"}, "kopieren": {"ctrl", "c"}, "kopiere": {"ctrl", "c"}, "kopier": {"ctrl", "c"}, "paste": {"ctrl", "v"}, "einfügen": {"ctrl", "v"}, "cut": {"ctrl", "x"}, "ausschneiden": {"ctrl", "x"},
	"undo": {"ctrl", "z"}, "rückgängig": {"ctrl", "z"}, "rückgängig machen": {"ctrl", "z"}, "redo": {"ctrl", "y"}, "save": {"ctrl", "s"}, "speichern": {"ctrl", "s"}, "speichere": {"ctrl", "s"}, "speicher": {"ctrl", "s"},
}

// commands are the English names of common commands.
var commands = map[string]string{"speichern": "save", "speichere": "save", "speicher": "save", "kopieren": "copy", "kopiere": "copy", "kopier": "copy", "einfügen": "paste", "ausschneiden": "cut", "rückgängig": "undo"}

// besideShortcut are words after a common command that add nothing.
var besideShortcut = set("the it this that file document text selection changes change everything again my work all page sheet spreadsheet table letter note here them selected die das den es datei dokument text auswahl änderungen alles hier tabelle")
