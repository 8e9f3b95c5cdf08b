package locate

// position is a part of the screen.
type position string

var positionWords = expand(map[string]position{
	"at the top left|in the top left|top left|upper left|top-left|top left corner|in the top left corner|upper left corner|in the upper left corner|in the upper left|top-left corner|in the top-left corner":                                             "top left",
	"at the top right|in the top right|top right|upper right|top-right|top right corner|in the top right corner|upper right corner|in the upper right corner|in the upper right|top-right corner|in the top-right corner":                                 "top right",
	"at the bottom left|in the bottom left|bottom left|lower left|bottom-left|in the bottom left corner|lower left corner|in the lower left corner|bottom left corner|bottom-left corner|in the bottom-left corner|in the lower left":                     "bottom left",
	"at the bottom right|in the bottom right|bottom right|lower right|bottom-right|in the bottom right corner|lower right corner|in the lower right corner|bottom right corner|bottom-right corner|in the bottom-right corner|in the lower right":         "bottom right",
	"at the top|at the top of the page|at the top of the screen|on top|near the top|at the very top|on the top|in the top corner|at the top of the window":                                                                                                "top",
	"at the bottom|at the bottom of the page|at the bottom of the screen|near the bottom|at the very bottom|on the bottom|at the bottom of the window":                                                                                                    "bottom",
	"on the left|at the left|on the left side|on the far left|at the far left|on the left hand side|on the left-hand side|on the left edge|to the left|on the left of the screen|on the left side of the screen|on the left side of the page":             "left",
	"on the right|at the right|on the right side|on the far right|at the far right|on the right hand side|on the right-hand side|on the right edge|to the right|on the right of the screen|on the right side of the screen|on the right side of the page": "right",
	"in the center|in the centre|in the middle|centered|centred|in the middle of the screen|in the center of the screen|in the middle of the page":                                                                                                        "centre",
})

// place is an area that most screens have.
type place string

// The places.
const (
	topBar    place = "top bar"
	toolbar   place = "toolbar"
	bottomBar place = "bottom bar"
	leftBar   place = "sidebar"
	rightBar  place = "right column"
	dialog    place = "dialog"
	window    place = "window" // a dialog, or without one the whole screen
	popup     place = "menu"
	submenu   place = "submenu"
	content   place = "content"
	aCard     place = "card"
	aTable    place = "table"
	aList     place = "list"
	aForm     place = "form"
)

var places = expand(map[string]place{
	"toolbar|tool bar|ribbon|icon bar|button bar|action bar|formatting bar": toolbar,
	"header|top bar|menu bar|menubar|title bar|titlebar|navbar|nav bar|navigation bar|navigation|top navigation|top menu|app bar|page header|top nav|nav|main menu|breadcrumb|breadcrumbs|path|top row|main navigation|header bar":                                                                    topBar,
	"bottom toolbar|lower toolbar|footer|bottom bar|status bar|statusbar|bottom navigation|tab bar|taskbar|player bar|page footer|bottom row|dock|bottom navigation bar|bottom menu|bottom nav|player":                                                                                                bottomBar,
	"sidebar|side bar|left sidebar|left rail|rail|left panel|left column|navigation pane|side panel|side menu|drawer|left menu|left pane|left navigation|side navigation|sidenav|left hand menu|navigation panel|left side bar|file tree|tree view|explorer|file explorer|folder tree|directory tree": leftBar,
	"right sidebar|right panel|right column|right pane|details pane|right rail|right side panel": rightBar,
	"window": window,
	"dialog|dialogue|modal|popup|pop-up|popover|dialog box|modal window|popup window|alert box|modal dialog|confirmation dialog": dialog,
	"submenu|sub menu|sub-menu|nested menu":                                                  submenu,
	"open menu|context menu|popup menu|pop-up menu|opened menu|dropdown menu|menu list|menu": popup,
	"main area|content|main content|content area|page|main panel|main column|main view|body": content,
	"card|a card|tile":                        aCard,
	"table|grid|data table|spreadsheet|sheet": aTable,
	"list|file list|mail list|message list|list of messages|list of mails|list of files|list of users|user list|task list|list of tasks|item list|results|result list|search results|results list|conversation list|list of conversations|inbox list|list of emails|email list|order list|list of orders": aList,
	"form|the form|sign-in form|login form": aForm,
})

// before has the words between a preposition and a place.
var before = expand(map[string]bool{"the|a|an|this|that|its|top|upper|main": true})

// placeOf reads a place with its preposition, such as "in the sidebar". It returns the number of
// words, or 0.
func placeOf(list []token) (p place, n int) {
	if len(list) < 2 || list[0].quoted || meaning(list[:1], prepositions) == 0 {
		return "", 0
	}
	i := 1
	p, used := longest(list[i:], places)
	for used == 0 {
		if i+1 >= len(list) || meaning(list[i:i+1], before)+meaning(list[i:i+1], colorWords)+meaning(list[i:i+1], tones) == 0 {
			return "", 0
		}
		i++
		p, used = longest(list[i:], places)
	}
	end := i + used
	isBreak := meaning(list[end:], relationWords) > 0 || meaning(list[end:], positionWords) > 0
	if end < len(list) && (list[end].quoted || !isBreak) { // "in the page called X"
		return "", 0
	}
	if kind, _ := longest(list[end:], relationWords); kind == having { // "in the card with the star"
		return "", 0
	}
	return p, end
}

var prepositions = expand(map[string]bool{"in|inside|on|of|at|within|from|for": true})
