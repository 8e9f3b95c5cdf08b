package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/windieos/windie/internal/plain"
)

// Limits of reading a page.
const (
	MaxText     = 64 << 10 // maximum size of a page's text, in bytes
	MaxElements = 500      // maximum number of listed elements of a page
	maxName     = 200      // bytes of an element's name
)

// Element is an element of a page that a person can use, for example a link or a field.
type Element struct {
	Ref   int64  `json:"ref" doc:"Reference of the element for browser.click and browser.type. It is valid while the element is on the page."`
	Role  string `json:"role"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
	State string `json:"state,omitempty" doc:"State of the element, for example checked, disabled or expanded."`
}

// acted are the roles of listed elements.
var acted = map[string]bool{
	"button": true, "link": true, "textbox": true, "searchbox": true, "combobox": true, "checkbox": true, "radio": true, "switch": true, "slider": true,
	"spinbutton": true, "tab": true, "menuitem": true, "menuitemcheckbox": true, "menuitemradio": true, "option": true, "treeitem": true, "listbox": true,
	"DisclosureTriangle": true, "PopUpButton": true, "MenuListPopup": true, "ColorWell": true, "Date": true, "DateTime": true, "InputTime": true,
}

// elements lists the elements in all frames of a tab's own process.
func elements(tab context.Context) ([]Element, error) {
	tree, err := chromedp.Call(tab, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	list := []Element{}
	for _, frame := range frames(tree.FrameTree) {
		nodes, err := chromedp.Call(tab, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{FrameID: frame})
		if err != nil {
			continue // a frame of another process, or one that is gone
		}
		for _, n := range nodes.Nodes {
			if n.Ignored || !acted[textOf(n.Role)] || n.BackendDOMNodeID == 0 {
				continue
			}
			if len(list) == MaxElements {
				return list, nil
			}
			list = append(list, Element{int64(n.BackendDOMNodeID), textOf(n.Role), plain.Short(textOf(n.Name), maxName), plain.Short(textOf(n.Value), maxName), stateOf(n)})
		}
	}
	return list, nil
}

// frames lists the frames of a page, the main frame first.
func frames(t *page.FrameTree) (list []cdp.FrameID) {
	if t == nil || t.Frame == nil {
		return nil
	}
	list = append(list, t.Frame.ID)
	for _, child := range t.ChildFrames {
		list = append(list, frames(child)...)
	}
	return list
}

// textOf returns a value as text.
func textOf(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var text any
	if json.Unmarshal([]byte(v.Value), &text) != nil || text == nil {
		return ""
	}
	return strings.TrimSpace(fmt.Sprint(text))
}

// stateOf lists the relevant states of an element.
func stateOf(n *accessibility.Node) string {
	var states []string
	for _, p := range n.Properties {
		value := textOf(p.Value)
		switch name := string(p.Name); name {
		case "checked", "expanded", "selected", "pressed":
			if value == "true" || value == "mixed" {
				states = append(states, name)
			} else if name == "checked" {
				states = append(states, "not checked")
			}
		case "disabled", "focused", "required", "readonly":
			if value == "true" {
				states = append(states, name)
			}
		case "invalid":
			if value != "" && value != "false" {
				states = append(states, name)
			}
		}
	}
	return strings.Join(states, ", ")
}
