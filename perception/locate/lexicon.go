package locate

import (
	"strings"

	"github.com/windieos/windie/perception/elements"
)

// expand makes a table of lines: a value, and the phrases that mean it.
func expand[T any](lines map[string]T) map[string]T {
	out := map[string]T{}
	for phrases, value := range lines {
		for phrase := range strings.SplitSeq(phrases, "|") {
			out[strings.TrimSpace(phrase)] = value
		}
	}
	return out
}

// noise says nothing about a thing.
var noise = expand(map[string]bool{
	"the|a|an|this|that|one|please|click|on|click on|press|tap|find|locate|select|open|which|is|are|with|labeled|labelled|called|named|saying|that says|says|reading|of|for|to|its|it|directly|only|just|placeholder|sign|and|has|have|having|text": true,
})

var relationWords = expand(map[string]relationKind{
	"right of|to the right of|at the right of|on the right of|right from":                               rightOf,
	"left of|to the left of|at the left of|on the left of|left from":                                    leftOf,
	"above|over|on top of|higher than":                                                                  above,
	"below|under|beneath|underneath":                                                                    below,
	"next to|beside|near|close to|by|adjacent to|along with":                                            nextTo,
	"in|inside|inside of|within|in the middle of|contained in":                                          in,
	"on the right side of|at the right side of|on the right end of|at the right end of|at the end of":   rightSide,
	"on the left side of|at the left side of|on the left end of|at the left end of|at the beginning of": leftSide,
	"between|in between": between,
	"in the row of|in the row with|in the same row as|on the row of|on the line of|in line with|in the row": inRow,
	"under the heading|below the heading|in the section|under the title|below the title|in the card":        under,
})

var roleWords = expand(map[string][]elements.Role{
	"button|btn|push button": {elements.Button, elements.IconButton, elements.MenuItem},
	"icon button":            {elements.IconButton},
	"icon|symbol|glyph":      {elements.Icon, elements.IconButton},
	"field|input|input field|text field|textbox|text box|input box|entry|edit box|form field": {elements.Field, elements.SearchBox, elements.TextArea},
	"search box|search field|search bar|searchbar|search input":                               {elements.SearchBox},
	"text area|textarea|multiline field|comment box":                                          {elements.TextArea},
	"dropdown|drop-down|drop down|select|combo box|combobox|select box|picker":                {elements.Dropdown, elements.Field},
	"checkbox|check box|tick box":                                                             {elements.Checkbox},
	"radio|radio button|option button":                                                        {elements.Radio},
	"toggle|switch|toggle switch":                                                             {elements.Toggle},
	"link|hyperlink":                                                                          {elements.Link, elements.MenuItem},
	"menu item|menu entry|nav item|navigation item|sidebar item|item|entry in the menu|menu":  {elements.MenuItem, elements.Link},
	"tab":                  {elements.Tab, elements.MenuItem},
	"badge|counter|pill":   {elements.Badge},
	"heading|title|header": {elements.Heading, elements.Text},
	"label|caption":        {elements.Text},
	"image|picture|photo|avatar|thumbnail|logo": {elements.Picture},
	"panel|card|box|section":                    {elements.Panel},
})

var colorWords = expand(map[string]string{
	"red|crimson|scarlet|maroon": "red", "orange|amber": "orange", "yellow|gold|golden": "yellow", "green|lime|olive": "green",
	"teal|turquoise": "teal", "cyan|aqua": "cyan", "blue|navy|azure": "blue", "purple|violet|indigo": "purple",
	"pink|magenta|rose": "pink", "brown": "brown", "black": "black", "white": "white", "grey|gray|silver": "grey",
})

var stateWords = expand(map[string]elements.State{
	"checked|ticked": elements.Checked,
	"disabled|greyed out|grayed out|inactive":    elements.Disabled,
	"selected|active|highlighted|current|chosen": elements.Selected,
})

var ordinalWords = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "last": -1,
}

// outermost are the words for the first from a side.
var outermost = map[string]string{
	"leftmost": "left", "rightmost": "right", "topmost": "top", "uppermost": "top", "bottommost": "bottom", "lowest": "bottom", "highest": "top",
}

var fromWords = expand(map[string]string{
	"from the left|from left": "left", "from the right|from right": "right",
	"from the top|from top|from above": "top", "from the bottom|from bottom|from below": "bottom",
})

var positionWords = expand(map[string]position{
	"at the top left|in the top left|top left|upper left|top-left|top left corner|in the top left corner":               "top left",
	"at the top right|in the top right|top right|upper right|top-right|top right corner|in the top right corner":        "top right",
	"at the bottom left|in the bottom left|bottom left|lower left|bottom-left|in the bottom left corner":                "bottom left",
	"at the bottom right|in the bottom right|bottom right|lower right|bottom-right|in the bottom right corner":          "bottom right",
	"at the top|in the header|in the top bar|in the toolbar|in the navbar|at the top of the page|in the navigation bar": "top",
	"at the bottom|in the footer|at the bottom of the page|in the status bar":                                           "bottom",
	"on the left|at the left|in the sidebar|in the left sidebar|on the left side|in the side bar":                       "left",
	"on the right|at the right|on the right side|in the right column":                                                   "right",
	"in the center|in the centre|in the middle|in the main area|centered|centred":                                       "centre",
})
