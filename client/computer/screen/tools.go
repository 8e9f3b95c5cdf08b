package screen

import (
	"context"
	"fmt"
	"image"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/x11"
)

// Tools returns the tools for pictures of the screen, for windows and for the clipboard. Package eyes has those for
// mouse and keyboard.
func (s *Screen) Tools() []agent.Tool {
	return []agent.Tool{
		tool(s, "screen.capture", agent.Safe, "Take a screenshot of the user's screen, a window or a part. Coordinates are pixels of the whole screen.", capture),
		tool(s, "window.list", agent.Safe, "List the windows on the user's screen, topmost first.", windows),
		tool(s, "window.activate", agent.Risky, "Bring a window of the user's screen to the front, and focus it.", activate),
		tool(s, "window.close", agent.Risky, "Close a window of the user's screen by its close button.", closeWindow),
		tool(s, "clipboard.read", agent.Risky, "Read the text of the user's clipboard. It may be a secret.", readClipboard),
		tool(s, "clipboard.write", agent.Risky, "Put text into the user's clipboard.", writeClipboard),
	}
}

// tool returns a tool whose work gets the screen. Its errors are for the model.
func tool[In, Out any](s *Screen, name string, risk agent.Risk, description string, work func(context.Context, *x11.Display, In) (Out, error)) agent.Tool {
	return agent.Func(agent.Descriptor{Name: name, Tag: "computer", Risk: risk, Description: description},
		func(ctx context.Context, _ agent.Call, in In) (out Out, err error) {
			err = s.With(ctx, func(d *x11.Display) error {
				out, err = work(ctx, d, in)
				return err
			})
			return out, failed(ctx, err)
		})
}

type captureInput struct {
	Window uint32 `json:"window,omitempty" doc:"Id of a window, from window.list. Only the area of this window is captured."`
	X      int    `json:"x,omitempty" minimum:"0" doc:"Left edge of the part to capture. Needs width and height."`
	Y      int    `json:"y,omitempty" minimum:"0"`
	Width  int    `json:"width,omitempty" minimum:"1"`
	Height int    `json:"height,omitempty" minimum:"1"`
}

// picture is the position of a picture's corner on the screen, and its size.
type picture struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`

	png []byte
}

// Content implements agent.Contenter.
func (p picture) Content() []agent.Part {
	text := fmt.Sprintf("The screenshot has %d by %d pixels; its top left corner is at x %d, y %d of the screen.", p.Width, p.Height, p.X, p.Y)
	return []agent.Part{agent.Image("image/png", p.png), agent.Text(text)}
}

// capture takes a picture of a window's area, of a part of the screen, or of the whole screen.
// Other windows may cover the window.
func capture(_ context.Context, d *x11.Display, in captureInput) (picture, error) {
	part := image.Rect(in.X, in.Y, in.X+in.Width, in.Y+in.Height)
	if in.Window != 0 {
		w, err := d.Window(in.Window)
		if err != nil {
			return picture{}, err
		}
		part = w.Rect
	} else if (in.Width == 0) != (in.Height == 0) || in.Width == 0 && (in.X != 0 || in.Y != 0) {
		return picture{}, agent.Failf("a part of the screen needs width and height")
	}
	frame, err := d.Capture(part)
	if err != nil {
		return picture{}, err
	}
	at, size := frame.Rect.Min, frame.Rect.Size()
	return picture{at.X, at.Y, size.X, size.Y, frame.PNG()}, nil
}

// done is the result of a tool that only acts.
type done struct {
	Active string `json:"active_window"`
}

// after returns the result of an action, with the window that is active now.
func after(d *x11.Display) done {
	w, err := d.Window(d.Active())
	if err != nil {
		return done{} // no window has it
	}
	return done{w.Title}
}

type window struct {
	ID        uint32 `json:"id"`
	Title     string `json:"title"`
	Program   string `json:"program"`
	X         int    `json:"x"`
	Y         int    `json:"y"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Active    bool   `json:"active,omitempty"`
	Minimized bool   `json:"minimized,omitempty"`
}

type monitor struct {
	Name    string `json:"name"`
	X       int    `json:"x"`
	Y       int    `json:"y"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Primary bool   `json:"primary,omitempty"`
}

type windowsOutput struct {
	Windows  []window  `json:"windows"`
	Monitors []monitor `json:"monitors"`
}

// windows lists the windows, topmost first, and the monitors.
func windows(_ context.Context, d *x11.Display, _ struct{}) (windowsOutput, error) {
	list, err := d.Windows()
	if err != nil {
		return windowsOutput{}, err
	}
	out := windowsOutput{Windows: []window{}, Monitors: []monitor{}}
	for _, w := range list {
		out.Windows = append(out.Windows, window{w.ID, w.Title, w.Class, w.Rect.Min.X, w.Rect.Min.Y, w.Rect.Dx(), w.Rect.Dy(), w.Active, w.Minimized})
	}
	monitors, err := d.Monitors()
	for _, m := range monitors {
		out.Monitors = append(out.Monitors, monitor{m.Name, m.Rect.Min.X, m.Rect.Min.Y, m.Rect.Dx(), m.Rect.Dy(), m.Primary})
	}
	return out, err
}

type windowInput struct {
	Window uint32 `json:"window,omitempty" doc:"Id of the window, from window.list."`
	Title  string `json:"title,omitempty" maxLength:"500" doc:"Part of the window's title, instead of the id. It must match exactly one window."`
}

// named returns the window that a call names. It fails if the call has no id and no title.
func (in windowInput) named(d *x11.Display) (uint32, error) {
	switch {
	case in.Window != 0:
		return in.Window, nil
	case in.Title == "":
		return 0, agent.Failf("expected the window's id or title; window.list lists the windows")
	}
	w, err := Titled(d, in.Title)
	return w.ID, err
}

// Titled returns the one window whose title contains the given text. It ignores case.
func Titled(d *x11.Display, title string) (x11.Window, error) {
	list, err := d.Windows()
	if err != nil {
		return x11.Window{}, err
	}
	var found []string
	var one x11.Window
	for _, w := range list {
		if strings.Contains(strings.ToLower(w.Title), strings.ToLower(title)) {
			found, one = append(found, fmt.Sprintf("%d, %q", w.ID, w.Title)), w
		}
	}
	switch len(found) {
	case 0:
		return x11.Window{}, agent.Failf("no window has %q in its title; window.list lists the windows", title)
	case 1:
		return one, nil
	}
	return x11.Window{}, agent.Failf("several windows have %q in their titles; choose one by window: %s", title, strings.Join(found, "; "))
}

// activate makes a window the active one, and waits until it is.
func activate(ctx context.Context, d *x11.Display, in windowInput) (done, error) {
	id, err := in.named(d)
	if err != nil {
		return done{}, err
	}
	if err := d.Activate(ctx, id); err != nil {
		return after(d), err
	}
	// while the window manager changes the active window there may be none for a moment
	w, err := d.Window(id)
	return done{w.Title}, err
}

// closeWindow asks a window to close, and waits until it is gone. It fails if the window stays
// open, for example with a question to the user.
func closeWindow(ctx context.Context, d *x11.Display, in windowInput) (done, error) {
	id, err := in.named(d)
	if err == nil {
		err = d.CloseWindow(ctx, id)
	}
	return after(d), err
}

// MaxShown is the maximum length of the clipboard text that a model sees, in bytes.
const MaxShown = 256 << 10

type clipboardText struct {
	Text string `json:"text" maxLength:"1000000"`
	Cut  bool   `json:"cut,omitempty" doc:"The text is incomplete."`
}

// readClipboard returns the first MaxShown bytes of the clipboard's text, without invalid UTF-8.
func readClipboard(ctx context.Context, d *x11.Display, _ struct{}) (clipboardText, error) {
	text, err := d.ReadClipboard(ctx)
	cut := len(text) > MaxShown
	if cut {
		text = text[:MaxShown]
	}
	return clipboardText{strings.ToValidUTF8(text, ""), cut}, err
}

// writeClipboard replaces the content of the clipboard. It ignores Cut.
func writeClipboard(_ context.Context, d *x11.Display, in clipboardText) (done, error) {
	err := d.WriteClipboard(in.Text)
	return after(d), err
}
