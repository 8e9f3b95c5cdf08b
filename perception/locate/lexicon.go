package locate

import (
	"regexp"
	"strings"

	"github.com/windieos/windie/perception/elements"
)

// expand splits each key at "|" into phrases with the same value.
func expand[T any](lines map[string]T) map[string]T {
	out := map[string]T{}
	for phrases, value := range lines {
		for phrase := range strings.SplitSeq(phrases, "|") {
			out[strings.TrimSpace(phrase)] = value
		}
	}
	return out
}

// calledSo has the phrases that come before a label, for expand.
const calledSo = "labeled|labelled|called|named|titled|marked|entitled|saying|that says|says|reading|reads|with the text|with text|with the label|with label|with the name|with the word|with the words|with the caption|with the title"

// noise has the words that describe nothing.
var noise = expand(map[string]bool{
	"the|a|an|this|that|one|please|click|click on|press|press on|tap|tap on|find|locate|select|choose|go to|open|which|who|is|are|be|it|its|there|directly|only|just|immediately|and|has|where|you can|can|i|my|me|to|of|on|for|at|from|as|all|very|main": true,
	calledSo: true,
	"located|situated|placed|positioned|found|displayed|shown|visible|with the placeholder|with placeholder|placeholder|sign|symbol|symbol of|shape|shaped|shaped like|small|big|large|little|tiny|wide|full width|full-width|empty|outlined|round|rounded|square|circular|circle|with the initials|initials": true,
})

var relationWords = expand(map[string]relationKind{
	"right of|to the right of|at the right of|on the right of|right from|just right of|immediately right of|after|following":                             rightOf,
	"left of|to the left of|at the left of|on the left of|left from|just left of|immediately left of|before|in front of|preceding":                       leftOf,
	"above|over|on top of|higher than|just above|directly above|immediately above":                                                                       above,
	"below|under|beneath|underneath|lower than|just below|directly below|directly under|immediately below|just under":                                    below,
	"next to|beside|near|close to|by|adjacent to|along with|alongside|nearest to|closest to|right next to|directly next to":                              nextTo,
	"in|inside|inside of|within|in the middle of|contained in|on":                                                                                        in,
	"on the right side of|at the right side of|on the right end of|at the right end of|at the end of|at the right edge of|at the right of the inside of": rightSide,
	"on the left side of|at the left side of|on the left end of|at the left end of|at the beginning of|at the start of|at the left edge of":              leftSide,
	"for|of|from|belonging to|that belongs to|associated with|corresponding to":                                                                          belongs,
	"between|in between": between,
	"in the row of|in the row with|in the row for|in the same row as|on the row of|on the row for|on the row with|in the row named|in the row labelled|for the row": inRow,
	"on the line of|on the line with|on the same line as|in line with|in the row|on the row|on the line|in the same line as|in the line of|level with|aligned with": inRow,
	"under the heading|below the heading|in the section|under the title|below the title|under the section|below the section|under the header|below the header":      under,
	"with|that has|which has|having|containing|that contains|which contains|that holds|showing|that shows|bearing|featuring":                                        having,
})

// asked maps the names of kinds, as people say them, to the keys of likeness.
var asked = expand(map[string]string{
	"button|btn|push button|buttons": "button", "filled button|solid button|coloured button|colored button|primary button": filledButton, "icon button": "icon", "icon|glyph|icons|pictogram": "icon",
	"field|input|input field|text field|textbox|text box|input box|entry field|edit box|form field|text input|entry box|textfield":                                                                     "field",
	"search box|search field|search bar|searchbar|search input":                                                                                                                                        "search box",
	"text area|textarea|multiline field|comment box|message box|message field|message input|chat box|compose box|editor":                                                                               "text area",
	"dropdown|drop-down|drop down|select|combo box|combobox|select box|selectbox|picker|drop-down list|dropdown list|drop-down menu|dropdown menu|list box|selector|select menu|combo|dropdown button": "dropdown",
	"checkbox|check box|tick box|tickbox|check-box|checkboxes":                                                                                                                                         "checkbox",
	"radio|radio button|option button|radio option|radio buttons":                                                                                                                                      "radio",
	"toggle|switch|toggle switch|slide switch|on/off switch|toggle button":                                                                                                                             "toggle",
	"slider|slide bar|range slider|volume bar|knob|scrubber|seek bar":                                                                                                                                  "slider",
	"progress bar|progress indicator|loading bar|progress|bar|usage bar|storage bar":                                                                                                                   "progress bar",
	"link|hyperlink|links|url": "link",
	"menu item|menu entry|nav item|navigation item|sidebar item|item|entry in the menu|menu option|list item|menu": "menu item",
	"tab|tabs|tab header":    "tab",
	"chip|filter chip|chips": "chip",
	"badge|counter|pill|tag|bubble|lozenge|status pill|status badge|status label|status tag":    "badge",
	"column header|table header|column heading|column title":                                    "column header",
	"heading|title|header|headline|caption":                                                     "heading",
	"label|text|words|word|string|line of text":                                                 "text",
	"error message|error text|validation message|validation error|warning message|warning text": "error",
	"image|picture|photo|thumbnail|logo|illustration|cover|album cover|artwork|poster|banner":   "image",
	"user avatar|profile avatar|account avatar|user image|user photo|avatar image|account picture|avatar icon|avatar|profile picture|profile photo|avatar circle|user picture": "avatar",
	"row|table row|list row|line": "row", "toolbar": "toolbar",
	"card|tile": "card",
	"column":    "column", "box": "box", "panel|block|section|group|pane|container|area|table": "panel",
	"speech bubble|chat bubble|message bubble":                         "bubble",
	"dot|swatch|color swatch|colour swatch|circle|bullet|color|colour": "dot",
})

// likeness is how well an element of a role fits a kind, 0 to 1. A missing role is 0.
var likeness = map[string]map[elements.Role]float64{
	"button": {
		elements.Button: 1, elements.IconButton: 0.97, elements.MenuItem: 0.76, elements.Dropdown: 0.75, elements.Tab: 0.75, elements.Link: 0.7, elements.Icon: 0.76,
		elements.Field: 0.55, elements.Badge: 0.45, elements.Toggle: 0.5, elements.Checkbox: 0.4, elements.Radio: 0.4, elements.Text: 0.4, elements.Panel: 0.35,
		elements.Picture: 0.3, elements.TextArea: 0.3, elements.SearchBox: 0.3, elements.Heading: 0.3,
	},
	"icon": {
		elements.Icon: 1, elements.IconButton: 0.98, elements.Button: 0.55, elements.Picture: 0.5, elements.Badge: 0.4, elements.Toggle: 0.3,
		elements.MenuItem: 0.4, elements.Link: 0.3, elements.Text: 0.3, elements.Panel: 0.3, elements.Checkbox: 0.4, elements.Radio: 0.3,
	},
	"field":         {elements.Field: 1, elements.SearchBox: 0.95, elements.TextArea: 0.95, elements.Dropdown: 0.75, elements.Button: 0.4, elements.Panel: 0.2, elements.Text: 0.3, elements.MenuItem: 0.2},
	"search box":    {elements.SearchBox: 1, elements.Field: 0.4, elements.TextArea: 0.3, elements.Text: 0.2},
	"text area":     {elements.TextArea: 1, elements.Field: 0.85, elements.SearchBox: 0.4, elements.Panel: 0.25, elements.Text: 0.2},
	"dropdown":      {elements.Dropdown: 1, elements.Field: 0.75, elements.Button: 0.6, elements.MenuItem: 0.6, elements.IconButton: 0.4, elements.Link: 0.4, elements.Text: 0.3},
	"checkbox":      {elements.Checkbox: 1, elements.Radio: 0.3, elements.Toggle: 0.3, elements.MenuItem: 0.25, elements.Text: 0.3, elements.Link: 0.2},
	"radio":         {elements.Radio: 1, elements.Checkbox: 0.4, elements.Toggle: 0.3, elements.MenuItem: 0.25, elements.Text: 0.3},
	"toggle":        {elements.Toggle: 1, elements.Checkbox: 0.35, elements.Radio: 0.3, elements.Button: 0.3, elements.Text: 0.2, elements.MenuItem: 0.2},
	"slider":        {elements.Slider: 1, elements.Progress: 0.7},
	"progress bar":  {elements.Progress: 1, elements.Slider: 0.9},
	"link":          {elements.Link: 1, elements.MenuItem: 0.75, elements.Text: 0.65, elements.Button: 0.5, elements.Tab: 0.7, elements.Heading: 0.5},
	"menu item":     {elements.MenuItem: 1, elements.Link: 0.78, elements.Tab: 0.78, elements.Button: 0.78, elements.Field: 0.7, elements.Dropdown: 0.7, elements.Text: 0.7, elements.IconButton: 0.6, elements.Icon: 0.4, elements.Panel: 0.4, elements.Heading: 0.4, elements.Badge: 0.3, elements.Row: 0.45},
	"tab":           {elements.Tab: 1, elements.MenuItem: 0.75, elements.Link: 0.7, elements.Button: 0.6, elements.Text: 0.65, elements.Field: 0.5, elements.IconButton: 0.5, elements.Panel: 0.4},
	"badge":         {elements.Badge: 1, elements.Button: 0.75, elements.Tab: 0.5, elements.Panel: 0.5, elements.Text: 0.6, elements.Checkbox: 0.4, elements.MenuItem: 0.4, elements.Icon: 0.4, elements.IconButton: 0.5, elements.Field: 0.4, elements.Link: 0.4, elements.Radio: 0.3},
	"error":         {elements.Text: 0.5, elements.Link: 0.5, elements.Badge: 0.4, elements.Panel: 0.3},
	"column header": {elements.MenuItem: 1, elements.Text: 0.95, elements.Heading: 0.95, elements.Link: 0.9, elements.Button: 0.7, elements.Row: 0.3},
	"chip":          {elements.Button: 1, elements.Tab: 0.95, elements.Badge: 0.78, elements.MenuItem: 0.6, elements.Panel: 0.5, elements.Text: 0.5, elements.Link: 0.4, elements.Dropdown: 0.5, elements.Toggle: 0.4},
	"heading":       {elements.Heading: 1, elements.Text: 0.9, elements.Link: 0.7, elements.MenuItem: 0.76, elements.Button: 0.3},
	"text":          {elements.Text: 1, elements.Link: 0.95, elements.Heading: 0.95, elements.Badge: 0.9, elements.MenuItem: 0.85, elements.Tab: 0.7, elements.Button: 0.4, elements.Field: 0.3, elements.Panel: 0.2},
	"image":         {elements.Picture: 1, elements.Avatar: 0.8, elements.Panel: 0.6, elements.Icon: 0.6, elements.IconButton: 0.5, elements.Button: 0.3, elements.Field: 0.2},
	"avatar":        {elements.Avatar: 1, elements.Picture: 0.85, elements.Button: 0.7, elements.IconButton: 0.75, elements.Badge: 0.7, elements.Icon: 0.6, elements.Panel: 0.4, elements.Checkbox: 0.4, elements.Radio: 0.4},
	"panel":         {elements.Panel: 1, elements.Heading: 0.5, elements.TextArea: 0.85, elements.Button: 0.6, elements.Field: 0.7, elements.Picture: 0.6, elements.MenuItem: 0.6, elements.Badge: 0.3, elements.Text: 0.4, elements.Dialog: 0.8, elements.Sidebar: 0.8, elements.Toolbar: 0.6, elements.Row: 0.6},
	"card":          {elements.Panel: 1, elements.Text: 0.3, elements.Heading: 0.3, elements.Link: 0.3, elements.TextArea: 0.9, elements.Button: 0.7, elements.Field: 0.8, elements.Picture: 0.7, elements.MenuItem: 0.6, elements.Dialog: 0.8},
	"box": {elements.Field: 1, elements.SearchBox: 1, elements.TextArea: 1, elements.Dropdown: 0.9, elements.Checkbox: 0.9, elements.Panel: 0.9, elements.Button: 0.6, elements.Picture: 0.6, elements.Badge: 0.3,
		elements.Text: 0.4, elements.Dialog: 0.8, elements.Heading: 0.4, elements.MenuItem: 0.5, elements.Radio: 0.5},
	"column":  {elements.Panel: 0.8, elements.Text: 0.3},
	"row":     {elements.Row: 1, elements.MenuItem: 0.8, elements.Panel: 0.5, elements.Field: 0.5, elements.Button: 0.5},
	"toolbar": {elements.Toolbar: 1, elements.Panel: 0.5},
	"bubble":  {elements.Panel: 1, elements.Button: 0.9, elements.TextArea: 0.9, elements.Field: 0.9, elements.Badge: 0.8},
	"dot":     {elements.Icon: 0.9, elements.Checkbox: 0.8, elements.Radio: 0.5, elements.Badge: 0.9, elements.Panel: 0.8, elements.IconButton: 0.8, elements.Picture: 0.6, elements.Button: 0.5, elements.Avatar: 0.6},
}

// sort is what a noun says about the content of an element. The noun itself is seldom written on
// the element.
type sort string

// The sorts.
const (
	anything sort = "anything"
	numbered sort = "something with a number"
	money    sort = "an amount"
	dated    sort = "a date"
	timed    sort = "a time"
	written  sort = "something written"
	quality  sort = "what a column says"
	negative sort = "something below zero"
	unsure   sort = "perhaps anything" // may be the name of an icon too
)

// looks are patterns of the labels of a sort, in lower case.
var looks = map[sort]*regexp.Regexp{
	numbered: regexp.MustCompile(`^[-+−#]?\d[\d.,' ]*%?$`),
	money:    regexp.MustCompile(`^[-+−]?\s?(?:[€$£¥]|(?:eur|usd|gbp|chf)\s)?\s?[-+−]?\d[\d.,' ]*\s?(?:[€$£¥]|eur|usd|gbp|chf|kr|pln|cents?)?$`),
	negative: regexp.MustCompile(`^[-−–(]\s?[€$£¥]?\s?\d`),
	dated:    regexp.MustCompile(`\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|today|yesterday|tomorrow)|\d[./-]\d`),
	timed:    regexp.MustCompile(`\d:\d\d|\b\d+ ?(?:h|m|s|ms|min|hours?|minutes?|seconds?)\b`),
}

var nouns = expand(map[string]sort{
	"event|shipment|booking|appointment|meeting|channel|reaction|product|task|contact|option|choice|element|control|thing|widget|step|object|suggestion|record|article|result|entry|recipient|form|grid|view|screen|interface|app|window": anything,
	"value|status|category|owner": quality,
	"negative|negative number|negative amount|negative value|negative balance|number below zero": negative,
	"amount|price|total|sum|cost|balance|fee":                                                    money,
	"date|due date|day|deadline|month":                                                           dated, "time|duration|length|hour": timed,
	"digit|number|page number|score|quantity|percentage|count|figure|rating":                                                                                            numbered,
	"song|track|song title|album|artist|name|file name|filename|subject|author|phrase|sentence|paragraph|description|value of|writing|city|country|state|username|page": written,
	"file|folder|message|user|person|document|note|comment|list|conversation|chat|email|mail|post":                                                                      unsure,
})

var colorWords = expand(map[string]string{
	"red|crimson|scarlet|maroon": "red", "orange|amber": "orange", "yellow|gold|golden": "yellow", "green|lime|olive|mint": "green",
	"teal|turquoise": "teal", "cyan|aqua": "cyan", "blue|navy|azure": "blue", "purple|violet|indigo|lilac|lavender-colored": "purple",
	"pink|magenta|rose": "pink", "brown": "brown", "black": "black", "white": "white", "grey|gray|silver|greyish|grayish": "grey",
})

// tones are words before a color for its brightness.
var tones = expand(map[string]tone{"light|pale|bright|soft|faint": light, "dark|deep": dark})

var stateWords = expand(map[string]string{
	"checked|ticked|that is marked|switched-on|turned-on|that is checked|that is ticked|switched on|turned on|that is on|which is on|is on|enabled|that is switched on|that is turned on":                   "checked",
	"unchecked|unticked|not checked|not ticked|that is not checked|switched off|turned off|that is off|which is off|is off|that is switched off|that is not ticked":                                         "unchecked",
	"not selected|unselected|that is not selected|not active|that is not active|inactive|not highlighted":                                                                                                   "unselected",
	"disabled|greyed out|greyed|grayed|grey out|that is greyed out|that is disabled|not available|grayed out|greyed-out|grayed-out|dimmed|unavailable|that cannot be clicked":                               "disabled",
	"selected|active|highlighted|current|currently selected|chosen|currently active|currently highlighted|currently open|currently chosen|marked|pressed|that is selected|highlighted in the menu|open now": "selected",
	"focused|focussed|with the focus|with focus|that has the focus|that has focus|in focus":                                                                                                                 "focused",
})

var ordinalWords = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "last": -1, "final": -1, "penultimate": -2,
}

// outermost are the words for the first element from a side.
var outermost = map[string]string{
	"leftmost": "left", "rightmost": "right", "topmost": "top", "uppermost": "top", "bottommost": "bottom", "lowest": "bottom", "lowermost": "bottom", "highest": "top",
}

// sides are words before a kind for the first element from that side, for example "the left
// button".
var sides = map[string]string{"left": "left", "right": "right", "top": "top", "upper": "top", "bottom": "bottom", "lower": "bottom", "left-hand": "left", "right-hand": "right"}

var fromWords = expand(map[string]string{
	"from the left|from left|counting from the left": "left", "from the right|from right|counting from the right": "right",
	"from the top|from top|from above|down|counting from the top": "top", "from the bottom|from bottom|from below|counting from the bottom": "bottom",
})

// abbreviations maps words to the short labels of buttons, most of which change the look of text.
var abbreviations = map[string]string{"bold": "b", "italic": "i", "italics": "i", "underline": "u", "underlined": "u", "strikethrough": "s", "help": "?"}

// fixed are phrases with a word that is a relation elsewhere.
var fixed = expand(map[string]bool{"sign in|signed in|log in|logged in|check in|plug in|zoom in|opt in|built in|sign on|log on|turn on|all in one|in stock|in progress|in review|in transit|on call|on hold|on sale|follow up|sign up|stand by|check out at": true})

// synonyms maps labels of buttons that mean the same to one of them.
var synonyms = expand(map[string]string{
	"log in|login|sign in|signin|log on|sign on": "log in", "log out|logout|sign out|signout|log off": "log out", "sign up|signup|register|create account|create an account": "sign up",
	"ok|okay": "ok", "delete|remove": "delete", "next|continue": "next",
})

// soft has the words that an element need not show: they fit almost everything, or only connect a
// sentence.
var soft = expand(map[string]bool{
	"i|i'm|i've|i'd|we|you|he|she|they|her|him|his|them|their|our|your|mine|who's|what|what's|when|how|why|so|won't|will|would|can't|cannot|could|should|have|having|had|do|does|did|doing|don't|been|was|were|am|if|then|than|but|or|because|while|whether|not":                                                                     true,
	"choose|pick|click|press|manage|start|starts|end|ends|type|want|wants|wanted|need|needs|let|lets|letting|make|makes|making|get|gets|getting|give|gives|take|takes|taking|bring|brings|use|used|uses|using|see|sees|set|sets|tell|tells|telling|ask|asks|lead|leads|leading|allow|allows|help me|keep|ends|end up|happens|happen": true,
	"thing|things|something|someone|somebody|anything|anyone|stuff|here|there|now|currently|right now|yet|also|too|again|really|actually|some|any|every|each|other|another|own|whole|entire|into|onto|out|away|up|off|around|back to|about|through|directly|go|one":                                                                  true,
	"folder|folders|file|files|item|items|entry|entries|page|pages|message|messages|list|user|person|man|woman|people|document|view|option|options|area|bar|place|site|website|app|application|program|screen|window|value|term|terms|word|field|box|section|part|symbol":                                                            true,
	"bit|line|side|sign|data|name|text|content|kind|sort|type|version|mode|feature|function|action|tool|control|element|widget|object|panel|pane|group|set of|part of|piece":                                                                                                                                                         true,
	"visible|existing|following|different|certain|single|only|little|whole thing|full|quick|quickly|simply|straight|immediately|please":                                                                                                                                                                                              true,
})

// shapes has the words about a drawing that add nothing to its name.
var shapes = expand(map[string]bool{"wheel|triangle|circle|square|outline|logo|symbol|sign|arrow|shape|glass|can|mark|drawing|glyph|pictogram": true})

// lineWords has the nouns that are one to a line: "the button in the last row" is the last button.
var lineWords = expand(map[string]bool{"row|line|entry|item|song|track|file|message|task|result|record|product|email|event|option|contact|person|user|post|video|table row|list item": true})

// signs maps signs and words to the names of icons, separated by "|".
var signs = expand(map[string]string{
	"+": "plus", "x|×|✕|✖": "close", "-": "minus", "?": "question", "☰|burger|burger menu|hamburger button": "menu", "✓": "check", "★|filled star|star outline": "star", "♥|heart outline|filled heart": "heart",
	"⋮|three vertical dots|vertical dots|kebab": "dots vertical", "⋯|…|three horizontal dots|horizontal dots|meatballs": "dots horizontal",
	"overflow menu|three-dot menu|three dot menu|three dots menu|3 dots|three-dots|3-dot menu|dots menu|more menu|more options|options menu|overflow|dots": "dots vertical|dots horizontal",
	"rubbish bin|waste bin|garbage|rubbish": "trash", "diskette": "save", "notification bell|notifications": "bell", "repeat": "repeat|redo|swap|refresh", "circular arrow|circular arrows|round arrow": "refresh|undo|redo|history",
	"phone handset|handset|receiver": "phone", "crossed-out eye|eye with a slash|crossed out eye": "eye off", "silhouette|person silhouette": "user", "export": "share|upload|external link|download",
	"list view": "list", "grid view|tile view|tiles view": "grid", "sparkle": "magic wand", "smiling face|smiley face": "smile", "music note|musical note": "music", "open book": "book",
	"six dots|drag handle": "grip", "nine dots|app grid|waffle": "grid|grip", "merge|pull request|git": "git branch", "highlighter|marker": "highlighter|brush|edit", "filter": "filter|sliders", "file|document": "file|text file|add file", "folder": "folder|open folder|add folder", "two arrows|arrows": "swap|refresh|sort",
	"door": "log out|log in", "playlist|queue": "playlist|list", "zoom": "zoom in|zoom out|plus|minus", "double chevron": "double chevron left|double chevron right", "speech bubble|bubble": "chat|chats", "closed eye": "eye off", "enter full screen": "expand",
})

type tone string

// The tones.
const (
	light tone = "light"
	dark  tone = "dark"
)

type relationKind string

// The relations.
const (
	rightOf   relationKind = "right of"
	leftOf    relationKind = "left of"
	above     relationKind = "above"
	below     relationKind = "below"
	nextTo    relationKind = "next to"
	in        relationKind = "in"
	rightSide relationKind = "on the right side of"
	leftSide  relationKind = "on the left side of"
	between   relationKind = "between"
	inRow     relationKind = "in the row of"
	under     relationKind = "under the heading"
	having    relationKind = "with"
	belongs   relationKind = "of"
	inCard    relationKind = "in the card"
	inColumn  relationKind = "in the column"
)

// filledButton is the kind of a button with a fill color of its own.
const filledButton = "filled button"

// plain is how likely an element of a role is meant by a query without a kind, 0 to 1.
var plain = map[elements.Role]float64{
	elements.Button: 1, elements.IconButton: 1, elements.Link: 1, elements.MenuItem: 1, elements.Tab: 1, elements.Field: 0.9, elements.SearchBox: 0.9,
	elements.TextArea: 0.9, elements.Dropdown: 0.9, elements.Checkbox: 1, elements.Radio: 1, elements.Toggle: 1, elements.Slider: 1, elements.Avatar: 0.9,
	elements.Badge: 0.85, elements.Heading: 0.82, elements.Text: 0.82, elements.Icon: 0.8, elements.Picture: 0.6, elements.Panel: 0.2,
	elements.Row: 0.6, elements.Toolbar: 0.1, elements.Sidebar: 0.1, elements.Dialog: 0.1, elements.Progress: 0.6,
}
