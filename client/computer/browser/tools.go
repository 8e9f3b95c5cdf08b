package browser

import (
	"context"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/plain"
)

// Tools returns the browser tools.
func (b *Browser) Tools() []agent.Tool {
	return []agent.Tool{
		tool(b, "browser.open", agent.Risky, "Open a page in the user's browser.", b.open),
		tool(b, "browser.read", agent.Safe, "Read the current tab of the user's browser: its text, and the elements to click and fill in, each with a ref.", b.read),
		tool(b, "browser.click", agent.Risky, "Click an element of the page by its ref from browser.read.", b.click),
		tool(b, "browser.type", agent.Risky, "Type into an element of the page. Replaces its text.", b.typeText),
		tool(b, "browser.screenshot", agent.Safe, "Take a screenshot of the current tab of the user's browser.", b.screenshot),
		tool(b, "browser.go", agent.Risky, "Go back or forward in the current tab of the user's browser, or reload the page.", b.goTo),
		tool(b, "browser.tabs", agent.Safe, "List the tabs of the user's browser.", b.list),
		tool(b, "browser.tab", agent.Risky, "Switch to a tab of the user's browser, or close it.", b.change),
	}
}

// tool returns a tool whose work gets the current tab.
func tool[In, Out any](b *Browser, name string, risk agent.Risk, description string, work func(tab context.Context, in In) (Out, error)) agent.Tool {
	return agent.Func(agent.Descriptor{Name: name, Tag: "computer", Risk: risk, Description: description},
		func(ctx context.Context, _ agent.Call, in In) (out Out, err error) {
			err = b.with(ctx, func(tab context.Context) error {
				out, err = work(tab, in)
				return err
			})
			return out, err
		})
}

// Page is the title and URL of the current tab.
type Page struct {
	URL   string   `json:"url"`
	Title string   `json:"title"`
	Tabs  int      `json:"tabs"`
	Notes []string `json:"notes,omitempty" doc:"Other events, such as closed dialogs."`
}

// page returns the current tab's Page, with the dialogs since the last call.
func (b *Browser) page(tab context.Context) (p Page, err error) {
	if p.URL, err = chromedp.Run(tab, chromedp.Location()); err != nil {
		return p, err
	}
	if p.Title, err = chromedp.Run(tab, chromedp.Title()); err != nil {
		return p, err
	}
	p.URL, p.Title = plain.Short(p.URL, MaxURL), plain.Short(p.Title, MaxTitle)
	tabs, err := openTabs(tab)
	p.Tabs = len(tabs)
	p.Notes = b.dialogs.take()
	return p, err
}

// Limits of a page's data besides its text.
const (
	MaxTitle = 1 << 10 // maximum size of a page's title, in bytes
	MaxURL   = 4 << 10 // maximum size of a page's URL, in bytes
	MaxTabs  = 100
)

// openTabs lists the tabs.
func openTabs(tab context.Context) (list []*target.Info, err error) {
	all, err := chromedp.Targets(tab)
	for _, t := range all {
		if t.Type == "page" {
			list = append(list, t)
		}
	}
	return list, err
}

// settle waits until the page has loaded, or loadLimit has passed.
func settle(tab context.Context) {
	limited, cancel := context.WithTimeout(tab, loadLimit)
	defer cancel()
	_ = chromedp.Do(limited, chromedp.Sleep(calmTime)) // a click may start loading a page
	_, _ = chromedp.Run(limited, chromedp.Poll[bool](`document.readyState === "complete"`))
}

type openInput struct {
	URL    string `json:"url" minLength:"1" maxLength:"4096" example:"https://example.com"`
	NewTab bool   `json:"new_tab,omitempty"`
}

// Open opens a page in the current tab.
func (b *Browser) Open(ctx context.Context, url string) (p Page, err error) {
	err = b.with(ctx, func(tab context.Context) error {
		p, err = b.open(tab, openInput{URL: url})
		return err
	})
	return p, err
}

// open opens a page in the current tab, or in a new tab, which becomes the current one. If the page
// still loads after loadLimit, that is no error.
func (b *Browser) open(tab context.Context, in openInput) (Page, error) {
	url, err := address(in.URL)
	if err != nil {
		return Page{}, err
	}
	if in.NewTab {
		made, err := chromedp.CallBrowser(tab, target.CreateTarget, target.CreateTargetParams{URL: "about:blank"})
		if err != nil {
			return Page{}, err
		}
		if tab, err = b.turnTo(tab, made.TargetID); err != nil {
			return Page{}, err
		}
	}
	limited, cancel := context.WithTimeout(tab, loadLimit)
	defer cancel()
	if err := chromedp.Do(limited, chromedp.Navigate(url)); err != nil && limited.Err() == nil {
		return Page{}, agent.Failf("%s failed to open: %v", url, err)
	}
	return b.page(tab)
}

type readInput struct {
	Find string `json:"find,omitempty" maxLength:"500" doc:"Return only elements whose name contains this text, ignoring case. The page's text is omitted."`
}

// Reading is the content of a page.
type Reading struct {
	Page
	Text     string    `json:"text,omitempty"`
	Cut      bool      `json:"cut,omitempty" doc:"The text is incomplete."`
	Elements []Element `json:"elements"`
}

// Read reads the page in the current tab.
func (b *Browser) Read(ctx context.Context) (r Reading, err error) {
	err = b.with(ctx, func(tab context.Context) error {
		r, err = b.read(tab, readInput{})
		return err
	})
	return r, err
}

// read returns the elements and the text of the page. With Find, it returns only the matching
// elements, and no text.
func (b *Browser) read(tab context.Context, in readInput) (out Reading, err error) {
	if out.Elements, err = elements(tab); err != nil {
		return out, err
	}
	if in.Find != "" {
		wanted, found := strings.ToLower(in.Find), []Element{}
		for _, e := range out.Elements {
			if strings.Contains(strings.ToLower(e.Name), wanted) {
				found = append(found, e)
			}
		}
		out.Elements = found
	} else {
		text, err := chromedp.Run(tab, chromedp.Evaluate[string](`document.body ? document.body.innerText : ""`))
		if err != nil {
			return out, err
		}
		out.Text, out.Cut = text, len(text) > MaxText
		if out.Cut {
			out.Text = plain.Short(text, MaxText)
		}
	}
	out.Page, err = b.page(tab)
	return out, err
}

type clickInput struct {
	Ref int64 `json:"ref" minimum:"1"`
}

// click clicks an element, and waits for a page that the click may load.
func (b *Browser) click(tab context.Context, in clickInput) (Page, error) {
	if err := press(tab, in.Ref); err != nil {
		return Page{}, err
	}
	settle(tab)
	return b.page(tab)
}

// press scrolls an element into view and clicks its middle. If another element covers the middle,
// that element gets the click.
func press(tab context.Context, ref int64) error {
	id := cdp.BackendNodeID(ref)
	gone := agent.Failf("the element %d is gone or invisible; read the page again", ref)
	if _, err := chromedp.Call(tab, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: id}); err != nil {
		return gone
	}
	box, err := chromedp.Call(tab, dom.GetContentQuads, dom.GetContentQuadsParams{BackendNodeID: id})
	if err != nil || len(box.Quads) == 0 || len(box.Quads[0]) < 8 {
		return gone
	}
	q := box.Quads[0]
	return chromedp.Do(tab, chromedp.MouseClickXY((q[0]+q[4])/2, (q[1]+q[5])/2))
}

type typeInput struct {
	Ref    int64  `json:"ref" minimum:"1"`
	Text   string `json:"text" maxLength:"65536"`
	Submit bool   `json:"submit,omitempty" doc:"Press Enter after the text."`
	Append bool   `json:"append,omitempty" doc:"Add the text after the element's old text."`
}

// typeText types into an element, in place of its old text unless Append is set. With an empty
// text, it only deletes the old text.
func (b *Browser) typeText(tab context.Context, in typeInput) (Page, error) {
	if _, err := chromedp.Call(tab, dom.Focus, dom.FocusParams{BackendNodeID: cdp.BackendNodeID(in.Ref)}); err != nil {
		return Page{}, agent.Failf("the element %d takes no text; read the page again", in.Ref)
	}
	if !in.Append {
		const choose = `(() => { const e = document.activeElement; if (e && e.select) e.select(); else document.execCommand("selectAll"); return true })()`
		if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](choose)); err != nil {
			return Page{}, err
		}
		if in.Text == "" {
			if err := chromedp.Do(tab, chromedp.KeyEvent("\b")); err != nil {
				return Page{}, err
			}
		}
	}
	if in.Text != "" {
		if _, err := chromedp.Call(tab, input.InsertText, input.InsertTextParams{Text: in.Text}); err != nil {
			return Page{}, err
		}
	}
	if in.Submit {
		if err := chromedp.Do(tab, chromedp.KeyEvent("\r")); err != nil {
			return Page{}, err
		}
		settle(tab)
	}
	return b.page(tab)
}

// MaxPicture is the maximum size of a picture of a page, in bytes.
const MaxPicture = 8 << 20

// picture is a screenshot of a page.
type picture struct {
	Page

	png []byte
}

// Content implements agent.Contenter.
func (p picture) Content() []agent.Part {
	return []agent.Part{agent.Image("image/png", p.png), agent.Text(p.Title + "\n" + p.URL)}
}

// screenshot takes a picture of the visible part of the page. It fails if the picture is larger
// than MaxPicture.
func (b *Browser) screenshot(tab context.Context, _ struct{}) (out picture, err error) {
	if out.png, err = chromedp.Run(tab, chromedp.CaptureScreenshot()); err != nil {
		return out, err
	}
	if len(out.png) > MaxPicture {
		return out, agent.Failf("the screenshot has %d bytes; at most %d are allowed", len(out.png), MaxPicture)
	}
	out.Page, err = b.page(tab)
	return out, err
}

type goInput struct {
	Where string `json:"where" enum:"back,forward,reload"`
}

// Go goes back or forward in the current tab, or reloads the page.
func (b *Browser) Go(ctx context.Context, where string) (p Page, err error) {
	err = b.with(ctx, func(tab context.Context) error {
		p, err = b.goTo(tab, goInput{where})
		return err
	})
	return p, err
}

// goTo goes back or forward, or reloads the page. If the page still loads after loadLimit, that is
// no error.
func (b *Browser) goTo(tab context.Context, in goInput) (Page, error) {
	way := map[string]chromedp.Action[chromedp.Void]{"back": chromedp.NavigateBack(), "forward": chromedp.NavigateForward(), "reload": chromedp.Reload()}[in.Where]
	limited, cancel := context.WithTimeout(tab, loadLimit)
	defer cancel()
	if err := chromedp.Do(limited, way); err != nil && limited.Err() == nil {
		return Page{}, agent.Failf("the browser cannot go %s: %v", in.Where, err)
	}
	return b.page(tab)
}

type tabOutput struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Current bool   `json:"current,omitempty"`
}

type tabsOutput struct {
	Tabs []tabOutput `json:"tabs"`
	Cut  bool        `json:"cut,omitempty" doc:"There are more tabs than this list has."`
}

// list lists at most MaxTabs tabs.
func (b *Browser) list(tab context.Context, _ struct{}) (tabsOutput, error) {
	tabs, err := openTabs(tab)
	return listOf(tabs, b.current), err
}

// listOf lists at most MaxTabs tabs.
func listOf(tabs []*target.Info, current target.ID) tabsOutput {
	out := tabsOutput{Tabs: []tabOutput{}}
	if out.Cut = len(tabs) > MaxTabs; out.Cut {
		tabs = tabs[:MaxTabs]
	}
	for _, t := range tabs {
		out.Tabs = append(out.Tabs, tabOutput{string(t.TargetID), plain.Short(t.Title, MaxTitle), plain.Short(t.URL, MaxURL), t.TargetID == current})
	}
	return out
}

type changeInput struct {
	ID    string `json:"id" minLength:"1" maxLength:"100" doc:"Id of the tab, from browser.tabs."`
	Close bool   `json:"close,omitempty" doc:"Close the tab."`
}

// change makes a tab the current one, or closes it. The first tab cannot be closed, because the
// browser would end with it. If the current tab is closed, another tab becomes the current one.
func (b *Browser) change(tab context.Context, in changeInput) (Page, error) {
	tabs, err := openTabs(tab)
	if err != nil {
		return Page{}, err
	}
	id, other := target.ID(in.ID), target.ID("")
	found := false
	for _, t := range tabs {
		if t.TargetID == id {
			found = true
		} else if other == "" || t.TargetID == b.current {
			other = t.TargetID
		}
	}
	switch {
	case !found:
		return Page{}, agent.Failf("there is no tab %s; browser.tabs lists the tabs", in.ID)
	case in.Close && other == "":
		return Page{}, agent.Failf("the last tab stays open: closing it would end the browser")
	case in.Close && id == chromedp.FromContext(b.first).Target.TargetID:
		return Page{}, agent.Failf("the first tab stays open: closing it would end the browser")
	case in.Close:
		if _, err := chromedp.CallBrowser(tab, target.CloseTarget, target.CloseTargetParams{TargetID: id}); err != nil {
			return Page{}, err
		}
		delete(b.tabs, id)
		id = other
	}
	b.current = id
	if tab, err = b.turnTo(tab, id); err != nil {
		return Page{}, err
	}
	if _, err := chromedp.CallBrowser(tab, target.ActivateTarget, target.ActivateTargetParams{TargetID: id}); err != nil {
		return Page{}, err
	}
	return b.page(tab)
}
