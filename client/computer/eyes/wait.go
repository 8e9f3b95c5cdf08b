package eyes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/internal/background"
)

// MaxWait limits screen.wait. It is below a minute, the time for which an MCP client waits.
const (
	MaxWait   = 50 * time.Second
	waitEvery = 150 * time.Millisecond
	lookAgain = time.Second // time after which a screen that keeps changing is read a second time
)

type waitInput struct {
	Text    string `json:"text,omitempty" maxLength:"500" doc:"Wait until this text appears."`
	Window  string `json:"window,omitempty" maxLength:"500" doc:"Wait until a window appears whose title contains this text."`
	Gone    bool   `json:"gone,omitempty" doc:"Wait until the text or the window is gone."`
	Still   int    `json:"still_ms,omitempty" minimum:"0" maximum:"10000" doc:"Wait until the screen has not changed for so many milliseconds."`
	Seconds int    `json:"seconds,omitempty" minimum:"1" maximum:"50" default:"20" doc:"How long to wait at most."`
	Shown
}

// wait waits for a text, a window or a still screen. It fails if nothing of it comes within the limit.
func (e *Eyes) wait(ctx context.Context, d *x11.Display, in waitInput) (changes, error) {
	limit, began := min(time.Duration(in.Seconds)*time.Second, MaxWait), time.Now()
	var come func(*look) (bool, error)
	var what string
	switch {
	case in.Text != "" && in.Window == "" && in.Still == 0:
		come, what = e.textComes(ctx, in), fmt.Sprintf("%q", in.Text)
	case in.Window != "" && in.Text == "" && in.Still == 0:
		come, what = func(*look) (bool, error) { return windowComes(d, in) }, fmt.Sprintf("the window %q", in.Window)
	case in.Still > 0 && in.Text == "" && in.Window == "" && !in.Gone:
		come, what = stands(time.Duration(in.Still)*time.Millisecond), "the screen"
	default:
		return changes{}, agent.Failf("name what to wait for: one of text, window and still_ms")
	}
	state := map[bool]string{false: "shows", true: "is gone"}[in.Gone]
	if in.Still > 0 {
		state = "is still"
	}
	for {
		l, err := e.capture(d)
		if err != nil {
			return changes{}, err
		}
		done, err := come(l)
		switch {
		case err != nil:
			return changes{}, err
		case done:
			c := changes{frame: l.frame}
			return c.after(d, fmt.Sprintf("%s %s after %v.", what, state, time.Since(began).Round(10*time.Millisecond)), in.Shown), nil
		case time.Since(began) > limit:
			return changes{}, agent.Failf("%s: no change after %v", what, limit)
		}
		if err := background.Sleep(ctx, waitEvery); err != nil {
			return changes{}, err
		}
	}
}

// textComes returns a function that reports whether a look has the text, or not if in.Gone is set. It
// reads a look that differs from the last one. It reads it a second time if the screen stands, if the text
// should go, or at least each lookAgain.
func (e *Eyes) textComes(ctx context.Context, in waitInput) func(*look) (bool, error) {
	var last *look
	read, twice := time.Now(), false // time of the last second reading, and whether the last look had one
	return func(l *look) (bool, error) {
		stays := l.same(last)
		again := stays && !twice || !stays && (in.Gone || time.Since(read) > lookAgain)
		if stays && !again {
			return false, nil
		}
		if twice = again; again {
			read = time.Now()
		}
		last = l
		shown, err := e.contains(ctx, l, in.Text, again)
		return shown != in.Gone, err
	}
}

// windowComes reports whether there is a window with the title, or none if in.Gone is set.
func windowComes(d *x11.Display, in waitInput) (bool, error) {
	list, err := d.Windows()
	if err != nil {
		return false, agent.Failf("%v", err)
	}
	for _, w := range list {
		if strings.Contains(strings.ToLower(w.Title), strings.ToLower(in.Window)) {
			return !in.Gone, nil
		}
	}
	return in.Gone, nil
}

// stands returns a function that reports whether all looks of the duration quiet are alike, apart from a
// blinking caret.
func stands(quiet time.Duration) func(*look) (bool, error) {
	var last *look
	var since time.Time
	return func(l *look) (bool, error) {
		if last == nil || l.frame.Differs(last.frame) {
			since = time.Now()
		}
		last = l
		return time.Since(since) >= quiet, nil
	}
}
