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

// Bounds of the dialogs that pages open between two calls.
const (
	MaxDialogs = 20 // that are listed
	MaxClosed  = 50 // of one tab: a form that warns of each of its fields opens fewer, and these are closed within a few seconds
)

// crashTime is how long a renderer may take to end.
const crashTime = time.Second

// errDialogs is what a call ends with whose page opened more dialogs than MaxClosed.
var errDialogs = agent.Failf("the page opened more than %d dialogs in a row, so its tab was emptied; open another page, or ask the user to open this one", MaxClosed)

// dialogs are the dialogs of pages since the last call began. Its methods are safe for concurrent use.
type dialogs struct {
	helping sync.WaitGroup // those that are being closed

	mu      sync.Mutex
	listed  []string // since they were taken, MaxDialogs at most
	more    int      // that were opened besides
	closed  map[target.ID]int
	endless []target.ID // tabs whose pages opened more than MaxClosed: one is left open, which stops the page

	working target.ID               // the tab of the call that is under way
	fail    context.CancelCauseFunc // ends that call
}

// watch answers dialogs of a tab, which would stop it: they are closed, and the next answer says so.
func (d *dialogs) watch(tab context.Context, id target.ID) error {
	return chromedp.Listen(tab, func(event any) {
		opened, ok := event.(*page.EventJavascriptDialogOpening)
		if !ok || !d.closes(id) {
			return
		}
		d.note(fmt.Sprintf("The page opened a dialog (%s). It was closed: %.500s", opened.Type, opened.Message))
		d.helping.Go(func() { // not here, where the page's events are read
			params := page.HandleJavaScriptDialogParams{Accept: opened.Type == page.DialogTypeAlert || opened.Type == page.DialogTypeBeforeunload}
			_, _ = chromedp.Call(tab, page.HandleJavaScriptDialog, params) // it may be closed already
		})
	})
}

// closes counts a dialog of a tab, and reports whether it is to be closed. Beyond MaxClosed it is not, and the call on that tab ends.
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

// begin is called when a call begins to work on a tab: a page without end ends it by fail.
func (d *dialogs) begin(id target.ID, fail context.CancelCauseFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = fail
	clear(d.closed)
	d.workOn(id)
}

// turnTo is called when the call that is under way goes on in another tab.
func (d *dialogs) turnTo(id target.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.workOn(id)
}

func (d *dialogs) workOn(id target.ID) {
	if d.working = id; slices.Contains(d.endless, id) {
		d.fail(errDialogs)
	}
}

// takeEndless returns the tabs whose pages go on without end, once.
func (d *dialogs) takeEndless() []target.ID {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := d.endless
	d.endless = nil
	return ids
}

// note notes a dialog, or counts it if there are enough.
func (d *dialogs) note(dialog string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.listed) < MaxDialogs {
		d.listed = append(d.listed, dialog)
	} else {
		d.more++
	}
}

// take returns the notes since the call before.
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

// endPages ends the pages that open dialogs without end, and leaves their tabs empty. A page that waits for a dialog answers nothing, so
// its renderer is ended. mu is held.
func (b *Browser) endPages() {
	for _, id := range b.dialogs.takeEndless() {
		tab, ok := b.tabs[id]
		if !ok || tab.Err() != nil {
			continue
		}
		crashing, cancel := context.WithTimeout(tab, crashTime)
		_, _ = chromedp.Call(crashing, page.Crash, cdp.Empty{}) // what has crashed does not answer
		cancel()
		leaving, cancel := context.WithTimeout(tab, endTime)
		_ = chromedp.Do(leaving, chromedp.Navigate("about:blank")) // the next call opens another page
		cancel()
	}
}
