package access

import (
	"math/bits"
	"strings"
)

// Role is what kind of thing a node is.
type Role string

// The roles. AT-SPI has some 130, of which these are the ones that matter to a user.
const (
	Button       Role = "button" // also a toggle button, which is Pressed or not
	Checkbox     Role = "checkbox"
	Radio        Role = "radio"
	Switch       Role = "switch"
	Slider       Role = "slider"
	Spinner      Role = "spinner"
	Field        Role = "field" // a text to edit or read, of one line or more
	Combo        Role = "combo box"
	MenuBar      Role = "menu bar"
	Menu         Role = "menu"
	MenuItem     Role = "menu item" // those with a mark are Checked or Unchecked
	Tabs         Role = "tabs"
	Tab          Role = "tab"
	List         Role = "list"
	Item         Role = "list item"
	Table        Role = "table"
	Row          Role = "row"
	Cell         Role = "cell"
	ColumnHeader Role = "column header"
	RowHeader    Role = "row header"
	TreeView     Role = "tree"
	TreeItem     Role = "tree item"
	Link         Role = "link"
	Text         Role = "text"
	Heading      Role = "heading"
	Image        Role = "image"
	Dialog       Role = "dialog"
	Panel        Role = "panel"
	Toolbar      Role = "toolbar"
	StatusBar    Role = "status bar"
	ScrollBar    Role = "scroll bar"
	Progress     Role = "progress bar"
	Separator    Role = "separator"
	Tooltip      Role = "tooltip"
	Notice       Role = "notice"
	Document     Role = "document"
	TopLevel     Role = "window"
	Other        Role = "other" // see Node.Native
)

// roles are the roles by AT-SPI's numbers.
var roles = map[uint32]Role{
	2: Dialog, 16: Dialog, 9: Dialog, 19: Dialog, 22: Dialog, 7: Checkbox, 8: MenuItem, 35: MenuItem, 45: MenuItem, 59: MenuItem,
	10: ColumnHeader, 57: ColumnHeader, 47: RowHeader, 58: RowHeader, 11: Combo, 12: Field, 40: Field, 60: Field, 61: Field, 76: Field, 77: Field, 79: Field,
	23: TopLevel, 28: TopLevel, 69: TopLevel, 14: TopLevel, 13: Image, 26: Image, 27: Image, 100: Image, 80: Image, 6: Image, 18: Image, 3: Image,
	15: Slider, 51: Slider, 29: Text, 1: Text, 73: Text, 81: Text, 116: Text, 97: Text, 105: Text, 108: Text, 122: Text, 123: Text, 124: Text, 127: Text,
	31: List, 98: List, 121: List, 32: Item, 33: Menu, 41: Menu, 34: MenuBar, 37: Tab, 38: Tabs,
	17: Panel, 20: Panel, 24: Panel, 25: Panel, 30: Panel, 36: Panel, 39: Panel, 46: Panel, 49: Panel, 53: Panel, 68: Panel, 71: Panel, 72: Panel, 84: Panel, 85: Panel, 87: Panel, 99: Panel, 104: Panel, 109: Panel, 110: Panel,
	42: Progress, 103: Progress, 43: Button, 62: Button, 129: Button, 44: Radio, 48: ScrollBar, 50: Separator, 52: Spinner, 54: StatusBar,
	55: Table, 66: Table, 56: Cell, 90: Row, 63: Toolbar, 64: Tooltip, 65: TreeView, 91: TreeItem, 83: Heading, 88: Link, 101: Notice, 102: Notice,
	82: Document, 92: Document, 93: Document, 94: Document, 95: Document, 96: Document, 130: Switch,
}

// Numbers of AT-SPI's roles that need more than their name.
const (
	rolePassword  = 40
	roleCheckItem = 8
	roleRadioItem = 45
)

// roleOf returns the role for a number of AT-SPI.
func roleOf(native uint32) Role {
	if role, ok := roles[native]; ok {
		return role
	}
	return Other
}

// State is a set of properties of a node that change.
type State uint32

// The states.
const (
	Checked State = 1 << iota
	Unchecked
	Indeterminate // a checkbox between the two
	Selected
	Focusable
	Focused
	Disabled
	Expanded
	Collapsed
	Editable
	Multiline
	Required
	Invalid
	ReadOnly
	Busy
	Pressed
	Default // the button that Enter presses
	Modal
	Secret // a password, whose text is not read
)

var stateNames = [...]string{
	"checked", "unchecked", "indeterminate", "selected", "focusable", "focused", "disabled", "expanded", "collapsed", "editable",
	"multiline", "required", "invalid", "read only", "busy", "pressed", "default", "modal", "secret",
}

// Has reports whether the set has all of some states.
func (s State) Has(all State) bool { return s&all == all }

// String lists the states, as in "checked, focused".
func (s State) String() string {
	var names []string
	for ; s != 0; s &= s - 1 {
		if i := bits.TrailingZeros32(uint32(s)); i < len(stateNames) {
			names = append(names, stateNames[i])
		}
	}
	return strings.Join(names, ", ")
}

// flags are the states of a node by AT-SPI's numbers.
type flags uint64

// The flags that more than a State is made of.
const (
	isActive    flags = 1 << 1
	isChecked   flags = 1 << 4
	isDefunct   flags = 1 << 6
	isEditable  flags = 1 << 7
	isEnabled   flags = 1 << 8
	expandable  flags = 1 << 9
	isExpanded  flags = 1 << 10
	isIconified flags = 1 << 15
	isSensitive flags = 1 << 24
	isShowing   flags = 1 << 25
	isCheckable flags = 1 << 41
	isReadOnly  flags = 1 << 43
)

// plain are the flags that are states as they are.
var plain = map[flags]State{
	1 << 3: Busy, isChecked: Checked, 1 << 5: Collapsed, isEditable: Editable, isExpanded: Expanded, 1 << 11: Focusable, 1 << 12: Focused,
	1 << 16: Modal, 1 << 17: Multiline, 1 << 20: Pressed, 1 << 23: Selected, 1 << 32: Indeterminate, 1 << 33: Required, 1 << 36: Invalid, 1 << 39: Default,
}

// stateOf returns the states of a node from its flags.
func stateOf(f flags, native uint32, role Role) (s State) {
	for flag, state := range plain {
		if f&flag != 0 {
			s |= state
		}
	}
	checkable := f&isCheckable != 0 || role == Checkbox || role == Radio || role == Switch || native == roleCheckItem || native == roleRadioItem
	if checkable && s&(Checked|Indeterminate) == 0 {
		s |= Unchecked
	}
	if f&expandable != 0 && s&Expanded == 0 {
		s |= Collapsed
	}
	if f&(isEnabled|isSensitive) == 0 {
		s |= Disabled
	}
	if role == Field && (f&isReadOnly != 0 || f&isEditable == 0) { // Qt says it of labels too
		s |= ReadOnly
	}
	if native == rolePassword {
		s |= Secret
	}
	return s
}
