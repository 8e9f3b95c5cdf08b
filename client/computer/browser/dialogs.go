package browser

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/windieos/windie/agent"
)

// Limits of the dialogs that pages open between two calls.
const (
	MaxDialogs = 20 // maximum number of dialogs that a result lists
	// MaxClosed is the maximum number of dialogs that are closed in one tab. It is high enough for
	// a form that warns about each field. Closing this many dialogs takes a few seconds.
	MaxClosed = 50
)

// crashTime limits the wait for a renderer to end.
const crashTime = time.Second

// errDialogs is the error of a call whose page opened more than MaxClosed dialogs.
var errDialogs = agent.Failf("the page opened more than %d dialogs in a row, so its tab was emptied; open another page, or ask the user to open this one", MaxClosed)

// dialogs holds the dialogs of pages since the last call began. Its methods are safe for concurrent
// use.
type dialogs struct {
	helping sync.WaitGroup // goroutines that close dialogs

	mu     sync.Mutex
	listed []string // since the last take, at most MaxDialogs
	more   int      // number of further dialogs
	closed map[target.ID]int
	// tabs whose pages opened more than MaxClosed dialogs: one stays open, which stops the page
	endless []target.ID

	working target.ID               // tab of the current call
	fail    context.CancelCauseFunc // ends that call
}

// watch closes the dialogs of a tab, because an open dialog stops the page. The next answer lists
// them.
func (d *dialogs) watch(tab context.Context, id target.ID) error {
	return chromedp.Listen(tab, func(event any) {
		opened, ok := event.(*page.EventJavascriptDialogOpening)
		if !ok || !d.closes(id) {
			return
		}
		d.note(fmt.Sprintf("The page opened a dialog (%s). It was closed: %.500s", opened.Type, opened.Message))
		d.helping.Go(func() { // in a goroutine, because this one reads the page's events
			params := page.HandleJavaScriptDialogParams{Accept: opened.Type == page.DialogTypeAlert || opened.Type == page.DialogTypeBeforeunload}
			_, _ = chromedp.Call(tab, page.HandleJavaScriptDialog, params) // it may be closed already
		})
	})
}

// closes counts a dialog of a tab, and reports whether to close it. Above MaxClosed it returns
// false and ends the call on that tab.
func (d *dialogs) closes(id target.ID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed == nil {
		d.closed = map[target.ID]int{}
	}
	if d.closed[id]++; d.closed[id] <= MaxClosed {
		return true
	}
	if !slices.Contains(d.endless, id) {
		d.endless = append(d.endless, id)
	}
	if id == d.working {
		d.fail(errDialogs)
	}
	return false
}

// begin is called when a call starts to work on a tab. fail ends the call if the page opens too
// many dialogs.
func (d *dialogs) begin(id target.ID, fail context.CancelCauseFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = fail
	clear(d.closed)
	d.workOn(id)
}

// turnTo is called when the current call continues in another tab.
func (d *dialogs) turnTo(id target.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.workOn(id)
}

// workOn records the tab of the current call. If the tab is in endless, it ends the call. The
// caller holds mu.
func (d *dialogs) workOn(id target.ID) {
	if d.working = id; slices.Contains(d.endless, id) {
		d.fail(errDialogs)
	}
}

// takeEndless returns the tabs in endless, and clears the list.
func (d *dialogs) takeEndless() []target.ID {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := d.endless
	d.endless = nil
	return ids
}

// note records a dialog, or only counts it if MaxDialogs are listed.
func (d *dialogs) note(dialog string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.listed) < MaxDialogs {
		d.listed = append(d.listed, dialog)
	} else {
		d.more++
	}
}

// take returns the dialogs since the last take, and clears them.
func (d *dialogs) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	notes := d.listed
	if d.more > 0 {
		notes = append(notes, fmt.Sprintf("%d more dialogs were closed.", d.more))
	}
	d.listed, d.more = nil, 0
	return notes
}

// endPages ends the pages in endless, and leaves their tabs empty. A page with an open dialog does
// not respond, so it crashes the renderer. The caller holds mu.
func (b *Browser) endPages() {
	for _, id := range b.dialogs.takeEndless() {
		tab, ok := b.tabs[id]
		if !ok || tab.Err() != nil {
			continue
		}
		crashing, cancel := context.WithTimeout(tab, crashTime)
		_, _ = chromedp.Call(crashing, page.Crash, cdp.Empty{}) // a crashed page does not respond
		cancel()
		leaving, cancel := context.WithTimeout(tab, endTime)
		_ = chromedp.Do(leaving, chromedp.Navigate("about:blank")) // the next call opens another page
		cancel()
	}
}
