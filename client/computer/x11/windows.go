package x11

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/windieos/windie/internal/background"
)

// Window is a window that the window manager knows.
type Window struct {
	ID        uint32
	Title     string
	Class     string // class of the window's program, for example "Mousepad"
	PID       int    // process id of the window's program; 0 if unknown
	Rect      image.Rectangle
	Active    bool
	Minimized bool
}

// activateTime limits the wait for a window to become active.
const activateTime = 2 * time.Second

// Windows lists the windows, topmost first.
func (d *Display) Windows() ([]Window, error) {
	ids, err := d.numbers(d.root, "_NET_CLIENT_LIST_STACKING")
	if err != nil {
		return nil, err
	}
	active := d.Active()
	var list []Window
	for _, id := range slices.Backward(ids) {
		if w, ok := d.describe(xproto.Window(id)); ok {
			w.Active = id == active
			list = append(list, w)
		}
	}
	return list, nil
}

// Active returns the window that has the keyboard focus, or 0 if there is none.
func (d *Display) Active() uint32 {
	ids, err := d.numbers(d.root, "_NET_ACTIVE_WINDOW")
	if err != nil || len(ids) == 0 {
		return 0
	}
	return ids[0]
}

// describe returns the properties of a window. ok is false if it is gone.
func (d *Display) describe(w xproto.Window) (out Window, ok bool) {
	get := func(name string) xproto.GetPropertyCookie {
		return xproto.GetProperty(d.conn, false, w, d.atom(name), xproto.GetPropertyTypeAny, 0, 1024)
	}
	title, old, class, pid, state := get("_NET_WM_NAME"), get("WM_NAME"), get("WM_CLASS"), get("_NET_WM_PID"), get("_NET_WM_STATE")
	shadow := get("_GTK_FRAME_EXTENTS")
	shape := xproto.GetGeometry(d.conn, xproto.Drawable(w))
	place := xproto.TranslateCoordinates(d.conn, w, d.root, 0, 0)
	value := func(c xproto.GetPropertyCookie) []byte {
		if reply, err := c.Reply(); err == nil {
			return reply.Value
		}
		return nil
	}
	out = Window{ID: uint32(w), Title: string(value(title))}
	if named := string(value(old)); out.Title == "" {
		out.Title = named
	}
	out.Title = strings.ToValidUTF8(out.Title, "\uFFFD")
	if parts := strings.Split(strings.TrimRight(string(value(class)), "\x00"), "\x00"); len(parts) > 0 {
		out.Class = strings.ToValidUTF8(parts[len(parts)-1], "\uFFFD")
	}
	if n := numbersOf(value(pid)); len(n) == 1 {
		out.PID = int(n[0])
	}
	out.Minimized = slices.Contains(numbersOf(value(state)), uint32(d.atom("_NET_WM_STATE_HIDDEN")))
	around := numbersOf(value(shadow)) // left, right, top, bottom of a shadow that the program draws
	g, err := shape.Reply()
	at, gone := place.Reply()
	if err != nil || gone != nil {
		return out, false
	}
	out.Rect = image.Rect(int(at.DstX), int(at.DstY), int(at.DstX)+int(g.Width), int(at.DstY)+int(g.Height))
	if len(around) == 4 {
		out.Rect = image.Rect(out.Rect.Min.X+int(around[0]), out.Rect.Min.Y+int(around[2]), out.Rect.Max.X-int(around[1]), out.Rect.Max.Y-int(around[3]))
	}
	return out, true
}

// AccessBus returns the address of the accessibility bus that belongs to the display, or "" if it has none
// (AT-SPI's property AT_SPI_BUS of the root window).
func (d *Display) AccessBus() string {
	reply, err := xproto.GetProperty(d.conn, false, d.root, d.atom("AT_SPI_BUS"), xproto.GetPropertyTypeAny, 0, 256).Reply()
	if err != nil {
		return ""
	}
	return string(reply.Value)
}

// numbers returns a property of 32-bit numbers, or none if it is missing.
func (d *Display) numbers(w xproto.Window, name string) ([]uint32, error) {
	reply, err := xproto.GetProperty(d.conn, false, w, d.atom(name), xproto.GetPropertyTypeAny, 0, 1<<16).Reply()
	if err != nil {
		return nil, err
	}
	return numbersOf(reply.Value), nil
}

// numbersOf returns the 32-bit numbers in the value of a property. It ignores an incomplete number
// at the end.
func numbersOf(value []byte) (list []uint32) {
	for ; len(value) >= 4; value = value[4:] {
		list = append(list, xgb.Get32(value))
	}
	return list
}

// Window returns a window by its id.
func (d *Display) Window(id uint32) (Window, error) {
	w, ok := d.describe(xproto.Window(id))
	if !ok {
		return w, fmt.Errorf("the window %d no longer exists", id)
	}
	w.Active = d.Active() == id
	return w, nil
}

// ask sends the window manager a request about a window.
func (d *Display) ask(w xproto.Window, message string, data ...uint32) error {
	event := xproto.ClientMessageEvent{
		Format: 32, Window: w, Type: d.atom(message),
		Data: xproto.ClientMessageDataUnionData32New(append(data, make([]uint32, 5-len(data))...)),
	}
	return xproto.SendEventChecked(d.conn, false, d.root, xproto.EventMaskSubstructureNotify|xproto.EventMaskSubstructureRedirect, string(event.Bytes())).Check()
}

// Activate raises a window and gives it the keyboard focus. It waits until the window is on top and
// has the focus.
func (d *Display) Activate(ctx context.Context, id uint32) error {
	if _, err := d.Window(id); err != nil {
		return err
	}
	if err := d.ask(xproto.Window(id), "_NET_ACTIVE_WINDOW", 2, 0, 0); err != nil { // 2: a person requests it
		return err
	}
	for began := time.Now(); time.Since(began) < activateTime; {
		if d.Active() == id && d.focused(xproto.Window(id)) {
			return nil
		}
		if err := background.Sleep(ctx, 2*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("the window %d did not become active within %v", id, activateTime)
}

// focused reports whether a window, or one inside it, has the keyboard focus.
func (d *Display) focused(w xproto.Window) bool {
	focus, err := xproto.GetInputFocus(d.conn).Reply()
	return err == nil && d.within(focus.Focus, w)
}

// within reports whether a window is w or inside w.
func (d *Display) within(at, w xproto.Window) bool {
	for range 16 { // deeper than programs nest
		if at == w {
			return true
		}
		if at <= xproto.InputFocusPointerRoot || at == d.root {
			return false
		}
		tree, err := xproto.QueryTree(d.conn, at).Reply()
		if err != nil {
			return false
		}
		at = tree.Parent
	}
	return false
}

// CloseWindow asks a window to close, like its close button. The program may ask its user first.
func (d *Display) CloseWindow(ctx context.Context, id uint32) error {
	if _, err := d.Window(id); err != nil {
		return err
	}
	if err := d.ask(xproto.Window(id), "_NET_CLOSE_WINDOW", 0, 2); err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < activateTime; {
		ids, err := d.numbers(d.root, "_NET_CLIENT_LIST")
		if err != nil || !slices.Contains(ids, id) {
			return err
		}
		if err := background.Sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New("the window is still open; its program may be asking the user a question")
}

// WindowAt returns the window under a point. The result ok is false if there is no window. It is also
// false if the window manager does not list the window, for example because the window is a menu.
func (d *Display) WindowAt(p image.Point) (id uint32, ok bool) {
	clients, err := d.numbers(d.root, "_NET_CLIENT_LIST")
	if err != nil {
		return 0, false
	}
	at := d.root
	for range 16 {
		if slices.Contains(clients, uint32(at)) {
			return uint32(at), true
		}
		to, err := xproto.TranslateCoordinates(d.conn, d.root, at, int16(p.X), int16(p.Y)).Reply()
		if err != nil || to.Child == 0 {
			return 0, false
		}
		at = to.Child
	}
	return 0, false
}

// Popups returns the places of the windows in sight that the window manager does not manage, such as menus,
// lists of combo boxes and hints.
func (d *Display) Popups() (list []image.Rectangle) {
	tree, err := xproto.QueryTree(d.conn, d.root).Reply()
	if err != nil {
		return nil
	}
	states := make([]xproto.GetWindowAttributesCookie, len(tree.Children))
	places := make([]xproto.GetGeometryCookie, len(tree.Children))
	for i, w := range tree.Children {
		states[i], places[i] = xproto.GetWindowAttributes(d.conn, w), xproto.GetGeometry(d.conn, xproto.Drawable(w))
	}
	all, err := d.Bounds()
	if err != nil {
		return nil
	}
	for i := range tree.Children {
		state, gone := states[i].Reply()
		g, err := places[i].Reply()
		if gone != nil || err != nil || !state.OverrideRedirect || state.MapState != xproto.MapStateViewable || state.Class != xproto.WindowClassInputOutput {
			continue
		}
		if r := image.Rect(int(g.X), int(g.Y), int(g.X)+int(g.Width), int(g.Y)+int(g.Height)); min(r.Dx(), r.Dy()) > 1 && r.Overlaps(all) {
			list = append(list, r)
		}
	}
	return list
}
