// Package screen has tools for the screen, mouse, keyboard, windows and clipboard of the user's
// machine.
//
//	s := screen.Open("") // the display that DISPLAY names
//	defer s.Close()
//	tools := s.Tools()
//
// The tools work on X11. On other systems, such as Wayland, macOS and Windows, the tools exist but
// fail with the reason.
package screen

import (
	"context"
	"errors"
	"image"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/x11"
)

// Screen is the user's screen. It connects at its first use, and reconnects after it has lost the
// connection. Its methods are safe for concurrent use.
type Screen struct {
	name string

	mu      sync.Mutex
	display *x11.Display // nil if there is no connection
	closed  bool

	failed   error     // error of the last failed attempt to connect
	failedAt time.Time // time of that attempt
}

// Open returns the screen of an X11 display such as ":0". An empty name means the display in the
// variable DISPLAY. The caller closes the screen.
func Open(display string) *Screen { return &Screen{name: display} }

// IsOwn reports whether the screen is that of this process's session.
func (s *Screen) IsOwn() bool { return s.name == "" || s.name == os.Getenv("DISPLAY") }

// Close closes any connection to the screen. Afterwards the screen cannot be used.
func (s *Screen) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.display != nil {
		s.display.Close()
		s.display = nil
	}
}

// With connects to the screen if necessary, and calls the function use with the connection. If it
// cannot connect, or if the X server does not respond in time, the error is a Failure for the model.
// Other errors of the function are returned unchanged.
func (s *Screen) With(ctx context.Context, use func(*x11.Display) error) error {
	d, err := s.connection()
	if err != nil {
		return errors.Join(err, ctx.Err())
	}
	defer d.Until(ctx)()
	if err = use(d); err != nil && d.Silent() {
		return errors.Join(agent.Failf("%v", x11.ErrSilent), ctx.Err())
	}
	return err
}

// connection returns the connection to the screen, or a Failure with the missing part. Callers that
// wait for the same failing attempt get its error.
func (s *Screen) connection() (*x11.Display, error) {
	began := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.New("the screen is closed")
	}
	if s.failedAt.After(began) {
		return nil, s.failed
	}
	if s.display != nil && !s.display.Lost() {
		return s.display, nil
	}
	if why := missing(s.name, runtime.GOOS, os.Getenv); why != "" {
		return nil, agent.Failf("the screen is not available: %s", why)
	}
	display, err := x11.Open(s.name)
	if err != nil {
		s.failed, s.failedAt = agent.Failf("the screen is not available: %v", err), time.Now()
		return nil, s.failed
	}
	if s.display != nil {
		if s.display.Silent() {
			display.LetGo()
		}
		s.display.Close()
	}
	s.display = display
	return display, nil
}

// missing says why a system's screen cannot be used, or "" if it may work. A named display is
// always tried.
func missing(name, system string, getenv func(string) string) string {
	switch {
	case system == "darwin":
		return "windie cannot control the screen of macOS yet; files, git, programs and the browser work"
	case system == "windows":
		return "windie cannot control the screen of Windows yet; files, git, programs and the browser work"
	case name != "":
		return ""
	case getenv("WAYLAND_DISPLAY") != "" || getenv("XDG_SESSION_TYPE") == "wayland":
		// Through XWayland only X programs would be visible and clickable.
		return "this is a Wayland session, where programs cannot see other windows; log in to an X11 (Xorg) session, or name an X display"
	case getenv("DISPLAY") == "":
		return "there is no X display: DISPLAY is not set"
	}
	return ""
}

// State has the active window, the position of the mouse, and the size of the screen.
type State struct {
	Active  string      // title of the active window
	Pointer image.Point // position of the mouse
	Size    image.Point
}

// State returns the state of the screen.
func (s *Screen) State() (state State, err error) {
	err = s.With(context.Background(), func(d *x11.Display) error {
		all, err := d.Bounds()
		if err != nil {
			return err
		}
		state.Size = all.Size()
		state.Pointer, err = d.Pointer()
		if id := d.Active(); id != 0 {
			if w, gone := d.Window(id); gone == nil {
				state.Active = w.Title
			}
		}
		return err
	})
	return state, err
}

// failed turns an error of the screen into a Failure for the model.
func failed(ctx context.Context, err error) error {
	var known agent.Failure
	if err == nil || ctx.Err() != nil || errors.As(err, &known) {
		return errors.Join(err, ctx.Err())
	}
	return agent.Failf("%v", err)
}
