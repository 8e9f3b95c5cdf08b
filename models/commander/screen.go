package commander

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/models"
)

// Words of patterns.
const (
	clicking = `((?:double|triple|right|middle)[- ]click|click|tap|doppelklicke?|dreifachklicke?|rechtsklicke?|mittelklicke?|klicke?)(?: on| at| auf)?`
	shows    = `(?:appears|appear|shows|shows up|is there|is shown|is visible|erscheint|da ist|zu sehen ist)`
	leaves   = `(?:disappears|disappear|is gone|goes away|vanishes|verschwindet|weg ist)`
)

// screenCommands are the commands for the screen.
var screenCommands = []command{
	{like(`(?:save|copy|cut|paste|undo|redo|quit|close|print|speichere?|kopiere?|schließe?|beende)\b.* (?:with|by|mit) ((?:ctrl|control|strg|alt|shift|super)[-+ ]\S+(?:[-+ ]\S+)?)`), press, false},
	{like(`(?:go|jump|move) to the (?:very )?(beginning|start|top|end|bottom) of (?:the )?(?:text|document|file|page)`), toEdge, false},
	{like(clicking + ` \(?(\d+) ?[,x ] ?(\d+)\)?`), clickPoint, false},
	{like(`(?:choose|select|open|click|pick|go to|wähle|öffne|klicke?)(?: on| auf)?(?: the menu| das menü)? ([^>→▸»]+(?:(?: ?> ?| ?[→▸»] ?)[^>→▸»]+)+)`), menu, false},
	{like(`(?:from|in) the (.+?) menu,? (?:choose|select|pick|take|click|open|switch to|go to)(?: on)? (.+)`), menuFrom, false},
	{like(`(?:choose|select|pick|take|click|open)(?: on)? (.+?) (?:from|in) the (.+?) menu`), menuIn, false},
	{like(`(?:choose|select|pick|take)(?: on)? (.+?) (?:from|in) the (?:sub)?menu`), choose, false},
	{like(`(?:open|go to|pull down|öffne)(?: the)? (.+?) menu`), openMenu, false},
	{like(`öffne(?: das)? menü (.+)`), openMenu, false},
	{like(`(?:switch|go|change|turn) to (?:the )?(.+?) (?:tab|page|sheet)`), openTab, false},
	{like(`make sure (?:that )?(?:the )?(.+?) (?:tab|page) is (?:showing|shown|open|selected|active|in front)`), openTab, false},
	{like(`wechsle? (?:auf|zu|zum|in) (?:den |die )?(?:reiter|registerkarte|tab) (.+)`), openTab, false},
	{like(`(?:press|hit|push|click|tap)(?: on)? (?:the |a )?(.+?) button`), pushButton, false},
	{like(`drücke? auf (?:den |die |das )?(?:knopf |schaltfläche )?(.+)`), pushButton, false},
	{like(`(ctrl|control|shift|alt|super|strg|umschalt)[-+ ]` + clicking + ` (.+)`), clickWith, false},
	{like(clicking + ` (.+?) (?:with|while holding|mit) (ctrl|control|shift|alt|super|strg|umschalt)`), clickHolding, false},
	{like(`(?:press and hold|long[- ]press|hold down|hold|halte?) (.+?)(?: (?:for|gedrückt|lang gedrückt))?(?: (\d+) (?:seconds?|sekunden?))?`), hold, false},
	{like(clicking + ` (.+)`), clickText, false},
	{like(`(?:hover(?: over| on)?|point at|move the mouse (?:over|to|onto)|fahre? (?:mit der maus )?über|zeige? auf) (.+)`), hover, false},
	{like(`(?:drag|ziehe?) (.+?) (?:by )?(\d+)(?: pixels?| px)? (?:to the |nach )?(left|right|up|down|links|rechts|oben|unten)`), dragBy, false},
	{like(`(?:drag|move|ziehe?) (.+?) (?:to|onto|into|over|auf|nach|in) (.+)`), drag, false},
	{like(`(?:highlight|mark|select the (?:text|words?)|markiere?)(?: the text| den text)? (.+?)(?: (?:to|through|until|bis) (.+))?`), selectText, false},
	{like(`(?:type|write|enter|tippe?|schreibe?) (.+?) (?:into|in|in to|ins) (.+)`), typeInto, false},
	{like(`gib (.+?) (?:in|ins|bei) (.+) ein`), typeInto, false},
	{like(`put (.+?) (?:into|in) (.+)`), putInto, false},
	{like(`replace the (?:text|content|contents|value) (?:in|of) (.+?) (?:with|by) (.+)`), set, true},
	{like(`wähle? (?:bei|in|unter) (.+?) (?:den eintrag |die option )(.+?)(?: aus)?`), set, false},
	{like(`(?:fill in|fill|set|change|stelle?) ((?:.+ (?:next|right|left) (?:to|of) )?.+?) (?:to|with|auf) (.+)`), set, true},
	{like(`(?:tick|check|enable|turn on|switch on|aktiviere?) (.+)`), setOn, false},
	{like(`(?:untick|uncheck|disable|turn off|switch off|deaktiviere?) (.+)`), setOff, false},
	{like(`(?:turn|switch|schalte?) (.+) (on|off|ein|an|aus)`), turn, false},
	{like(`(?:choose|select|pick|wähle) (.+?) (?:in|from|aus) (.+)`), chooseIn, false},
	{like(`(?:clear|empty|leere?) (.+)`), clearField, false},
	{like(`(?:type|write|tippe?|schreibe?) (.+)`), typeText, true},
	{like(`(?:press|hit|drücke?) (.+?) (\d+|two|three|four|five|six|seven|eight|nine|ten) times`), pressTimes, false},
	{like(`(?:press|hit|drücke?) (.+?) (twice|(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|\d+ ?)mal)`), pressTimes, false},
	{like(`(?:press|hit|drücke?) (.+)`), press, true},
	{like(`(select all|copy|paste|cut|undo|redo|save|alles auswählen|kopieren|einfügen|ausschneiden|rückgängig|speichern)(?: it| this| the (?:file|document|text|selection))?`), shortcut, false},
	{like(`scroll(?:e|) (?:(up|down) )?(?:to|ans|zum) (?:the )?(?:very )?(end|bottom|top|beginning|start|ende|anfang)`), scrollToEnd, false},
	{like(`scroll(?:e|) (?:(up|down|nach unten|nach oben) )?(?:to|until|till|bis(?: zu)?) (?:you see )?(.+?)(?: ` + shows + `)?`), scrollTo, false},
	{like(`scroll(?:e|) (up|down|nach oben|nach unten)(?: (?:by )?(\d+))?`), scroll, false},
	{like(`wait until (?:it|the screen|everything) is (?:still|quiet|calm|done)|warte bis (?:es|der bildschirm) (?:still|ruhig) ist`), waitStill, false},
	{like(`(?:wait|warte),? (?:for|until|auf|bis) (?:the |das )?(?:window|fenster) (.+?)(?: ` + shows + `)?`), waitWindow, false},
	{like(`(?:wait|warte),? (?:for|until|till|auf|bis) (?:the )?(?:text )?(.+?) ` + leaves), waitGone, false},
	{like(`(?:wait|warte),? (?:for|until|till|auf|bis) (?:the )?(?:text )?(.+?)(?: ` + shows + ` ?| to ` + shows + `)?`), waitText, false},
	{like(`(?:switch|go|change) to (?:the )?window (.+)`), activate, false},
	{like(`(?:switch to|activate|focus|bring up) (?:the )?(?:window )?(.+?)(?: window)?`), activate, false},
	{like(`wechsle? (?:zum|zu dem) fenster (.+)`), activate, false},
	{like(`(?:close|schließe?) (?:the |das )?(?:window|fenster) (.+)`), closeWindow, false},
	{like(`close (?:the )?(.+?) window`), closeWindow, false},
	{like(`(?:list|show)(?: me)? (?:the |all )?(?:open )?windows|which windows are (?:there|open)\??`), windows, false},
	{like(`(?:take (?:a |another )?)?screenshot|look(?: at the screen)?|what do you see\??`), screenshot, false},
	{like(`(?:read|what is on|what's on|ocr) (?:the |my )?screen`), readScreen, false},
}

// actions maps words for a click to actions of mouse_control.
var actions = map[string]string{
	"click": "click", "tap": "click", "double click": "double_click", "right click": "right_click", "middle click": "middle_click", "triple click": "triple_click",
	"klick": "click", "doppelklick": "double_click", "rechtsklick": "right_click", "mittelklick": "middle_click", "dreifachklick": "triple_click",
}

// action returns the action of mouse_control for a word for a click. The word may have capitals and a hyphen.
func action(word string) string {
	word = strings.ReplaceAll(strings.ToLower(word), "-", " ")
	if strings.HasSuffix(word, "klicke") {
		word = strings.TrimSuffix(word, "e")
	}
	return actions[word]
}

// clickPoint clicks at the coordinates that the command names, in pixels of the screen.
func clickPoint(_ models.Request, part []string) ([]models.Call, error) {
	x, errX := strconv.Atoi(part[1])
	y, errY := strconv.Atoi(part[2])
	if errX != nil || errY != nil {
		return nil, excuse("%s, %s is not a point on the screen", part[1], part[2])
	}
	return call("mouse_control", map[string]any{"action": action(part[0]), "x": x, "y": y}), nil
}

// clickText clicks at words on the screen.
func clickText(req models.Request, part []string) ([]models.Call, error) {
	in := target(req, part[1])
	in["action"] = action(part[0])
	if in["action"] == "triple_click" { // the desktop's tools have none
		delete(in, "action")
		in["times"] = 3
		return call("screen_click", in), nil
	}
	return call("mouse_control", in), nil
}

// target returns the arguments that name an element. If the command names a kind of element or a place among
// equals, and the tool accepts a description, they have the description too.
func target(req models.Request, what string) map[string]any {
	what = strings.TrimSpace(what)
	plain := strings.NewReplacer(`"`, "", "“", "", "”", "", "„", "")
	if takesTarget(req) {
		if besidePattern.MatchString(what) {
			return map[string]any{"target": plain.Replace(what)}
		}
		switch role, kind := rolePattern.FindStringSubmatch(what), kindPattern.FindStringSubmatch(what); {
		case kind != nil && kind[1] != "": // "the second slider"
			return map[string]any{"target": plain.Replace(kind[0])}
		case kind != nil && kind[3] != "": // "checkbox Wrap text"
			return map[string]any{"text": unquoted(kind[3]), "target": plain.Replace(kind[0])}
		case role != nil && role[2] != "": // "the Save button"; the tool uses the description if the words occur several times
			return map[string]any{"text": words(what), "target": plain.Replace(role[1] + " " + role[2])}
		}
	}
	return map[string]any{"text": words(what)}
}

// besidePattern matches a description by what the element is beside.
var besidePattern = regexp.MustCompile(`(?i)^(?:the )?(?:button|check ?box|box|switch|slider|number|spinner|field|combo box|drop-?down|list|icon|link) (?:next to|beside|right of|to the right of|left of|to the left of|under|below|above) .+`)

// kindPattern matches a description that begins with a kind of element: an ordinal, the kind, and the label.
var kindPattern = regexp.MustCompile(`(?i)^(?:the )?(?:(first|second|third|fourth|fifth|sixth|last|\d+(?:st|nd|rd|th)) )?(button|check ?box|tick box|box|radio button|option|menu|switch|slider|spinner|spin box|text field|field|combo box|drop-?down|menu item|tab|list item|row|cell|column header|column|link|sheet|file|folder|icon)(?: (?:called |named |labelled |with the (?:name|label) )?(.+))?$`)

// takesTarget reports whether the session's click tool accepts a target description.
func takesTarget(req models.Request) bool {
	return slices.ContainsFunc(req.Tools, func(t models.Tool) bool {
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		return (t.Name == "mouse_control" || t.Name == "screen_click") && json.Unmarshal(t.Schema, &schema) == nil && schema.Properties["target"] != nil
	})
}

var quotedPattern = regexp.MustCompile(`^["'“”„‘’](.+)["'“”‘’]$`)

var rolePattern = regexp.MustCompile(`(?i)^(?:the |a |an |den |die |das |dem |der )?(.+?)(?: (button|link|tab|field|box|input|menu item|menu|item|entry|checkbox|option|label|text))?$`)

// words returns the words on the screen that a target names: those in quotes, or all words except
// an article and the kind of element.
func words(target string) string {
	target = strings.TrimSpace(target)
	if quoted := quotedPattern.FindStringSubmatch(target); quoted != nil {
		return quoted[1]
	}
	if part := rolePattern.FindStringSubmatch(target); part != nil {
		target = part[1]
	}
	return unquoted(target)
}

// unquoted returns a text without surrounding white space and without one pair of quotes around it.
func unquoted(text string) string {
	if quoted := quotedPattern.FindStringSubmatch(strings.TrimSpace(text)); quoted != nil {
		return quoted[1]
	}
	return strings.TrimSpace(text)
}

// held maps words for modifier keys to their names.
var held = map[string]string{"control": "ctrl", "strg": "ctrl", "umschalt": "shift"}

// clickWith clicks while a key is held.
func clickWith(req models.Request, part []string) ([]models.Call, error) {
	return clickHolding(req, []string{part[1], part[2], part[0]})
}

// clickHolding does the same for a command that ends with the key.
func clickHolding(req models.Request, part []string) ([]models.Call, error) {
	key := strings.ToLower(part[2])
	if name, ok := held[key]; ok {
		key = name
	}
	in := target(req, part[1])
	maps.Copy(in, howToClick(action(part[0])))
	in["keys"] = []string{key}
	return call("screen_click", in), nil
}

// hold holds the button on an element, for a second by default.
func hold(req models.Request, part []string) ([]models.Call, error) {
	in := target(req, part[0])
	seconds, err := strconv.Atoi(part[1])
	if err != nil {
		seconds = 1
	}
	in["hold_ms"] = 1000 * seconds
	return call("screen_click", in), nil
}

// choose clicks on an element.
func choose(req models.Request, part []string) ([]models.Call, error) {
	return clickText(req, []string{"click", part[0]})
}

// kindOf returns a call that clicks on an element of a kind.
func kindOf(req models.Request, kind, label string) ([]models.Call, error) {
	in := map[string]any{"action": "click", "text": unquoted(label)}
	if takesTarget(req) {
		in["target"] = kind + " " + unquoted(label)
	}
	return call("mouse_control", in), nil
}

// openMenu opens a menu.
func openMenu(req models.Request, part []string) ([]models.Call, error) {
	return kindOf(req, "menu", part[0])
}

// openTab switches to a tab.
func openTab(req models.Request, part []string) ([]models.Call, error) {
	return kindOf(req, "tab", part[0])
}

// pushButton clicks on a button.
func pushButton(req models.Request, part []string) ([]models.Call, error) {
	return kindOf(req, "button", part[0])
}

// menuFrom chooses an entry of a menu that the command names first.
func menuFrom(_ models.Request, part []string) ([]models.Call, error) {
	return call("screen_menu", map[string]any{"path": []string{unquoted(part[0]), unquoted(part[1])}}), nil
}

// menuIn does the same for a command that names the menu last.
func menuIn(req models.Request, part []string) ([]models.Call, error) {
	return menuFrom(req, []string{part[1], part[0]})
}

// putInto sets a field to a text.
func putInto(req models.Request, part []string) ([]models.Call, error) {
	return set(req, []string{part[1], part[0]})
}

// toEdge moves the caret to the beginning or end of a text.
func toEdge(_ models.Request, part []string) ([]models.Call, error) {
	if key := strings.ToLower(part[0]); key == "end" || key == "bottom" {
		return keys("ctrl", "end"), nil
	}
	return keys("ctrl", "home"), nil
}

// hover moves the mouse over an element.
func hover(req models.Request, part []string) ([]models.Call, error) {
	return call("screen_hover", target(req, part[0])), nil
}

// drag drags an element to another one.
func drag(req models.Request, part []string) ([]models.Call, error) {
	return call("screen_drag", map[string]any{"from": target(req, part[0]), "to": target(req, part[1])}), nil
}

// dragBy drags an element by a distance in pixels.
func dragBy(req models.Request, part []string) ([]models.Call, error) {
	in := map[string]any{"from": target(req, part[0])}
	far, err := strconv.Atoi(part[1])
	if err != nil {
		return nil, excuse("%s is not a distance in pixels", part[1])
	}
	switch strings.ToLower(part[2]) {
	case "left", "links":
		in["right"] = -far
	case "right", "rechts":
		in["right"] = far
	case "up", "oben":
		in["down"] = -far
	default:
		in["down"] = far
	}
	return call("screen_drag", in), nil
}

// selectText selects a text.
func selectText(_ models.Request, part []string) ([]models.Call, error) {
	in := map[string]any{"text": unquoted(part[0])}
	if part[1] != "" {
		in["through"] = unquoted(part[1])
	}
	return call("screen_select", in), nil
}

var pathPattern = regexp.MustCompile(` ?[>→▸»] ?`)

// menu chooses an entry of a menu by its path.
func menu(_ models.Request, part []string) ([]models.Call, error) {
	path := pathPattern.Split(unquoted(part[0]), -1)
	for i, label := range path {
		path[i] = words(label)
	}
	return call("screen_menu", map[string]any{"path": path}), nil
}

// typeInto clicks at a field, and then types a text: two calls.
func typeInto(req models.Request, part []string) ([]models.Call, error) {
	click, err := clickText(req, []string{"click", part[1]})
	if err != nil {
		return nil, err
	}
	text, err := typeText(req, part)
	return append(click, text...), err
}

// set sets a control to a state or value.
func set(req models.Request, part []string) ([]models.Call, error) {
	in := target(req, part[0])
	in["to"] = unquoted(part[1])
	return call("screen_set", in), nil
}

// setOn sets a control to on.
func setOn(req models.Request, part []string) ([]models.Call, error) {
	return set(req, []string{part[0], "on"})
}

// setOff sets a control to off.
func setOff(req models.Request, part []string) ([]models.Call, error) {
	return set(req, []string{part[0], "off"})
}

// turn sets a control to on or off, with the word at the end.
func turn(req models.Request, part []string) ([]models.Call, error) {
	to := "on"
	if word := strings.ToLower(part[1]); word == "off" || word == "aus" {
		to = "off"
	}
	return set(req, []string{part[0], to})
}

// chooseIn chooses an entry of a list.
func chooseIn(req models.Request, part []string) ([]models.Call, error) {
	return set(req, []string{part[1], part[0]})
}

// clearField removes the text of a field: three calls.
func clearField(req models.Request, part []string) ([]models.Call, error) {
	click, err := clickText(req, []string{"click", part[0]})
	return append(click, slices.Concat(keys("ctrl", "a"), keys("delete"))...), err
}

// typeText types a text where the focus is.
func typeText(_ models.Request, part []string) ([]models.Call, error) {
	return call("keyboard_control", map[string]any{"action": "type", "text": unquoted(part[0])}), nil
}

// press presses a key, or several keys together.
func press(_ models.Request, part []string) ([]models.Call, error) {
	return keys(keysOf(strings.ToLower(part[0]))...), nil
}

// keys returns a call that presses keys together.
func keys(names ...string) []models.Call {
	how := "press"
	if len(names) > 1 {
		how = "hotkey"
	}
	return call("keyboard_control", map[string]any{"action": how, "keys": names})
}

// numbers are words for numbers.
var numbers = map[string]int{
	"twice": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10,
}

// pressTimes presses keys several times.
func pressTimes(_ models.Request, part []string) ([]models.Call, error) {
	word := strings.TrimSpace(strings.TrimSuffix(strings.ToLower(part[1]), "mal"))
	n, ok := numbers[word]
	if !ok {
		n, _ = strconv.Atoi(word)
	}
	return call("screen_press", map[string]any{"keys": keysOf(strings.ToLower(part[0])), "times": n}), nil
}

// german maps German names of keys to the names that tools take.
var german = map[string]string{
	"strg": "ctrl", "umschalt": "shift", "eingabe": "enter", "entf": "delete", "einfg": "insert", "pos1": "home", "ende": "end", "rücktaste": "backspace",
	"leertaste": "space", "bild-auf": "pageup", "bild-ab": "pagedown", "links": "left", "rechts": "right", "oben": "up", "unten": "down", "esc": "escape",
}

// keysOf returns the keys in a text. Spaces and plus signs separate keys. A plus sign where a key is
// expected is a key itself, as in "ctrl++" and "+". The end of the sentence is not a key, unless it is
// alone.
func keysOf(text string) (keys []string) {
	for text = strings.TrimSpace(text); text != ""; {
		n := len(text)
		if next := strings.IndexAny(text[1:], "+ "); next >= 0 {
			n = 1 + next
		}
		if text[0] == '+' {
			n = 1
		}
		key := text[:n]
		text = strings.TrimSpace(text[n:])
		if word := strings.TrimRight(key, ".!"); text == "" && word != "" {
			key = word
		}
		if key == "and" || key == "und" { // "ctrl and w"
			continue
		}
		if name, ok := german[key]; ok {
			key = name
		}
		keys = append(keys, key)
		if after := strings.TrimSpace(strings.TrimPrefix(text, "+")); after != "" {
			text = after
		}
	}
	return keys
}

// shortcuts are the keys of common commands.
var shortcuts = map[string]string{
	"select all": "a", "copy": "c", "paste": "v", "cut": "x", "undo": "z", "redo": "y", "save": "s",
	"alles auswählen": "a", "kopieren": "c", "einfügen": "v", "ausschneiden": "x", "rückgängig": "z", "speichern": "s",
}

// shortcut presses the keys of a common command.
func shortcut(_ models.Request, part []string) ([]models.Call, error) {
	return keys("ctrl", shortcuts[strings.ToLower(part[0])]), nil
}

// scrollStep is the default scroll distance, in pixels.
const scrollStep = 400

// scroll scrolls by the given number of pixels, default scrollStep. A negative distance is up.
func scroll(_ models.Request, part []string) ([]models.Call, error) {
	far := scrollStep
	if n, err := strconv.Atoi(part[1]); err == nil {
		far = n
	}
	if isUp(part[0]) {
		far = -far
	}
	return call("mouse_control", map[string]any{"action": "scroll", "scroll_y": far}), nil
}

// isUp reports whether a word for a direction is up.
func isUp(word string) bool {
	return slices.Contains([]string{"up", "nach oben", "top", "beginning", "start", "anfang"}, strings.ToLower(word))
}

// scrollToEnd scrolls to the end or the beginning.
func scrollToEnd(_ models.Request, part []string) ([]models.Call, error) {
	in := map[string]any{"end": true}
	if isUp(part[1]) {
		in["down"] = -1
	}
	return call("screen_scroll", in), nil
}

// scrollTo scrolls until a text appears.
func scrollTo(_ models.Request, part []string) ([]models.Call, error) {
	in := map[string]any{"to": unquoted(part[1])}
	if isUp(part[0]) {
		in["down"] = -1
	}
	return call("screen_scroll", in), nil
}

// waitText waits until a text appears.
func waitText(_ models.Request, part []string) ([]models.Call, error) {
	return call("screen_wait", map[string]any{"text": unquoted(part[0])}), nil
}

// waitGone waits until a text is gone.
func waitGone(_ models.Request, part []string) ([]models.Call, error) {
	return call("screen_wait", map[string]any{"text": unquoted(part[0]), "gone": true}), nil
}

// waitWindow waits until a window appears.
func waitWindow(_ models.Request, part []string) ([]models.Call, error) {
	return call("screen_wait", map[string]any{"window": unquoted(part[0])}), nil
}

// waitStill waits until the screen is still.
func waitStill(models.Request, []string) ([]models.Call, error) {
	return call("screen_wait", map[string]any{"still_ms": 700}), nil
}

// activate brings a window to the front.
func activate(_ models.Request, part []string) ([]models.Call, error) {
	return call("window_activate", map[string]any{"title": unquoted(part[0])}), nil
}

// closeWindow closes a window.
func closeWindow(_ models.Request, part []string) ([]models.Call, error) {
	return call("window_close", map[string]any{"title": unquoted(part[0])}), nil
}

// windows lists the windows.
func windows(models.Request, []string) ([]models.Call, error) {
	return call("window_list", map[string]any{}), nil
}

// screenshot takes a screenshot of the user's screen.
func screenshot(models.Request, []string) ([]models.Call, error) {
	return call("screenshot", map[string]any{}), nil
}

// imagePattern matches the text before an image in a conversation, which names the image.
var imagePattern = regexp.MustCompile(`^\[image ([A-Za-z0-9._-]+)\]$`)

// readScreen reads the latest image of the conversation. If there is none, it takes a screenshot.
func readScreen(req models.Request, _ []string) ([]models.Call, error) {
	for _, m := range slices.Backward(req.Messages) {
		if id := latestImage(m.Parts); id != "" {
			return call("ocr_read", map[string]any{"image": map[string]any{"artifact_id": id}}), nil
		}
	}
	return screenshot(req, nil)
}

// latestImage returns the artifact id of the last image that parts or the results in them name, or "".
func latestImage(parts []models.Part) string {
	for _, p := range slices.Backward(parts) {
		if found := imagePattern.FindStringSubmatch(p.Text); found != nil {
			return found[1]
		}
		if p.Result != nil {
			if id := latestImage(p.Result.Parts); id != "" {
				return id
			}
		}
	}
	return ""
}
