// Package desktop has the tools of the desktop reference for this machine, under the reference's
// names: mouse_control, keyboard_control, screenshot, browser, read_file, write_file,
// run_shell_command.
//
//	tools := desktop.Tools(machine)
//	name := desktop.Names()["screenshot"] // desktop.screenshot
//
// Each action on the screen returns a picture of the whole screen once it has stopped changing.
// Points are pixels of that picture.
package desktop

import (
	"context"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer"
	"github.com/windieos/windie/client/computer/process"
	"github.com/windieos/windie/client/computer/x11"
)

// Times of an action.
const (
	// how long the screen must stay unchanged after an action, before its picture is taken
	calm      = 120 * time.Millisecond
	calmLimit = 1500 * time.Millisecond
)

// pixelsANotch is about how far programs scroll with one notch of the wheel.
const pixelsANotch = 50

// Names maps the tool names of the desktop reference to the names of these tools in the registry.
func Names() map[string]string {
	names := map[string]string{}
	for _, name := range []string{"mouse_control", "keyboard_control", "screenshot", "browser", "read_file", "write_file", "run_shell_command"} {
		names[name] = "desktop." + name
	}
	return names
}

// Tools returns the tools of the desktop reference that the machine's options allow.
func Tools(c *computer.Computer, opts computer.Options) []agent.Tool {
	d := &desk{c}
	tools := []agent.Tool{tool("read_file", agent.Safe, "Read a text file of the working folder.", d.readFile)}
	if !opts.ReadOnly {
		tools = append(tools, tool("write_file", agent.Risky, "Write a text file of the working folder. Replaces the old content.", d.writeFile))
	}
	if c.Allows(shell) {
		tools = append(tools, tool("run_shell_command", agent.Risky, "Run a shell command. Returns its output.", d.runShell))
	}
	if c.Screen() != nil {
		tools = append(tools,
			tool("mouse_control", agent.Risky, "Move, click, drag or scroll the mouse.", d.mouse),
			tool("keyboard_control", agent.Risky, "Type text or press keys.", d.keyboard),
			tool("screenshot", agent.Safe, "Take a screenshot.", d.screenshot))
	}
	if c.Browser() != nil {
		tools = append(tools, tool("browser", agent.Risky, "Use the web browser.", d.browser))
	}
	return tools
}

// State returns the machine's state in the form of the desktop reference's system_state. If there
// is no screen, it returns nil.
func State(c *computer.Computer) any {
	if c.Screen() == nil {
		return nil
	}
	s, err := c.Screen().State()
	if err != nil {
		return nil
	}
	return map[string]string{
		"active_window": s.Active, "mouse_position": fmt.Sprintf("(%d, %d)", s.Pointer.X, s.Pointer.Y), "screen_resolution": fmt.Sprintf("%dx%d", s.Size.X, s.Size.Y),
	}
}

// Look returns a screenshot as PNG.
func Look(ctx context.Context, c *computer.Computer) (png []byte, err error) {
	err = c.Screen().With(ctx, func(display *x11.Display) error {
		frame, err := display.Capture(image.Rectangle{})
		if err == nil {
			png = frame.PNG()
		}
		return err
	})
	return png, err
}

// desk is the machine.
type desk struct{ *computer.Computer }

// tool returns the tool with a name of the desktop reference. Its input schema is that of In.
func tool[In, Out any](name string, risk agent.Risk, description string, work func(context.Context, agent.Call, In) (Out, error)) agent.Tool {
	return agent.Func(agent.Descriptor{Name: Names()[name], Tag: "computer", Risk: risk, Description: description}, work)
}

// shown is the result of an action, with the screen afterwards.
type shown struct {
	Output string `json:"output"`
	Took   took   `json:"took_ms,omitzero"`

	png []byte
}

// took holds the times of the parts of an action, in milliseconds.
type took struct {
	Act    float64 `json:"act" doc:"Time that the action took."`
	Settle float64 `json:"settle" doc:"Time until the screen stopped changing and the screenshot was taken."`
}

// Content implements agent.Contenter.
func (s shown) Content() []agent.Part {
	if s.png == nil {
		return []agent.Part{agent.Text(s.Output)}
	}
	return []agent.Part{agent.Text(s.Output), agent.Image("image/png", s.png)}
}

// act performs an action on the screen, and returns the screen afterwards.
func (d *desk) act(ctx context.Context, done string, do func(*x11.Display) error) (out shown, err error) {
	err = d.Screen().With(ctx, func(display *x11.Display) error {
		out, err = actOn(ctx, display, done, do)
		return err
	})
	return out, err
}

// actOn performs an action on a display, waits until the screen is calm, and takes its picture. A nil do only takes the
// picture. A failed action is an error for the model.
func actOn(ctx context.Context, display *x11.Display, done string, do func(*x11.Display) error) (_ shown, err error) {
	began := time.Now()
	if do != nil {
		err = do(display)
	}
	acted := time.Now()
	var frame *x11.Frame
	if err == nil {
		frame, err = display.Settle(ctx, calm, calmLimit)
	}
	switch {
	case ctx.Err() != nil:
		return shown{}, ctx.Err()
	case err != nil:
		return shown{}, agent.Failf("%v", err)
	}
	png := frame.PNG()
	return shown{done, took{milliseconds(acted.Sub(began)), milliseconds(time.Since(acted))}, png}, nil
}

// milliseconds returns d in milliseconds, with a fraction.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// screenshot returns the screen once it is calm.
func (d *desk) screenshot(ctx context.Context, _ agent.Call, _ struct{}) (shown, error) {
	return d.act(ctx, "This is the screen.", nil)
}

type mouseInput struct {
	Action  string `json:"action" enum:"click,double_click,right_click,middle_click,move,drag,scroll"`
	X       *int   `json:"x,omitempty" minimum:"0"`
	Y       *int   `json:"y,omitempty" minimum:"0"`
	ToX     *int   `json:"to_x,omitempty" minimum:"0"`
	ToY     *int   `json:"to_y,omitempty" minimum:"0"`
	ScrollX int    `json:"scroll_x,omitempty"`
	ScrollY int    `json:"scroll_y,omitempty"`
}

// check refuses half a point: the mouse would act elsewhere.
func (in mouseInput) check() error {
	switch {
	case (in.X == nil) != (in.Y == nil):
		return agent.Failf("x and y belong together; give both, or none to use the mouse's position")
	case (in.ToX == nil) != (in.ToY == nil), in.Action == "drag" && in.ToX == nil:
		return agent.Failf("give to_x and to_y: where the drag ends")
	}
	return nil
}

// mouse performs a mouse action. Without x and y, it acts at the pointer's position. An unknown action is a left click.
func (d *desk) mouse(ctx context.Context, _ agent.Call, in mouseInput) (shown, error) {
	if err := in.check(); err != nil {
		return shown{}, err
	}
	done := "The mouse did: " + in.Action + "."
	if in.X != nil {
		done = fmt.Sprintf("The mouse did: %s at x %d, y %d.", in.Action, *in.X, *in.Y)
	}
	return d.act(ctx, done, func(display *x11.Display) error {
		at, err := display.Pointer() // the default position
		if in.X != nil {
			at = image.Pt(*in.X, *in.Y)
		}
		switch {
		case err != nil:
			return err
		case in.Action == "double_click":
			return display.Click(ctx, at, x11.Clicks{Times: 2})
		case in.Action == "right_click":
			return display.Click(ctx, at, x11.Clicks{Button: x11.Right})
		case in.Action == "middle_click":
			return display.Click(ctx, at, x11.Clicks{Button: x11.Middle})
		case in.Action == "move":
			return display.Move(ctx, at)
		case in.Action == "scroll":
			return display.Scroll(ctx, at, notchesOf(in.ScrollX), notchesOf(in.ScrollY))
		case in.Action == "drag":
			return display.Drag(ctx, at, image.Pt(*in.ToX, *in.ToY))
		}
		return display.Click(ctx, at, x11.Clicks{})
	})
}

// notchesOf returns the number of notches that scroll about n pixels: at least one if n is not 0.
func notchesOf(n int) int {
	switch half := pixelsANotch / 2; {
	case n > 0:
		return min(max(1, (n+half)/pixelsANotch), x11.MaxNotches)
	case n < 0:
		return max(min(-1, (n-half)/pixelsANotch), -x11.MaxNotches)
	}
	return 0
}

type keyboardInput struct {
	Action string   `json:"action" enum:"type,press,hotkey"`
	Text   string   `json:"text,omitempty" maxLength:"10000"`
	Keys   []string `json:"keys,omitempty" maxItems:"8"`
}

// keyboard types text or presses keys. "press" presses the keys one after the other, "hotkey" all at once.
func (d *desk) keyboard(ctx context.Context, _ agent.Call, in keyboardInput) (shown, error) {
	done := "Pressed " + strings.Join(in.Keys, ", ") + "."
	if in.Action == "type" {
		done = "Typed the text."
	}
	return d.act(ctx, done, func(display *x11.Display) error {
		switch {
		case in.Action == "type" && in.Text == "":
			return agent.Failf("give the text to type")
		case in.Action == "type":
			return display.Type(ctx, 0, in.Text)
		case len(in.Keys) == 0:
			return agent.Failf("give the keys to press")
		case in.Action == "hotkey":
			return display.Press(ctx, 0, in.Keys...)
		}
		for _, key := range in.Keys {
			if err := display.Press(ctx, 0, key); err != nil {
				return err
			}
		}
		return nil
	})
}

type browserInput struct {
	Action string `json:"action" enum:"open,back,forward,reload,read,close"`
	URL    string `json:"url,omitempty" maxLength:"4096"`
}

// browser performs an action of the browser. Its results have text and no picture.
func (d *desk) browser(ctx context.Context, _ agent.Call, in browserInput) (out shown, err error) {
	b := d.Browser()
	switch in.Action {
	case "open":
		page, err := b.Open(ctx, in.URL)
		return shown{Output: fmt.Sprintf("Opened %q at %s.", page.Title, page.URL)}, err
	case "read":
		r, err := b.Read(ctx)
		return shown{Output: fmt.Sprintf("%q at %s\n\n%s", r.Title, r.URL, r.Text)}, err
	case "close":
		b.Close()
		return shown{Output: "The browser is closed."}, nil
	}
	page, err := b.Go(ctx, in.Action)
	return shown{Output: fmt.Sprintf("The browser is at %q, %s.", page.Title, page.URL)}, err
}

type readInput struct {
	Path   string `json:"path" minLength:"1" maxLength:"4096"`
	Offset int    `json:"offset,omitempty" minimum:"0"`
	Limit  int    `json:"limit,omitempty" minimum:"1" maximum:"10000"`
}

// readFile returns lines of a text file. offset is the number of lines to skip. Without a limit it returns as many
// lines as the machine allows.
func (d *desk) readFile(ctx context.Context, _ agent.Call, in readInput) (shown, error) {
	last := 0
	if in.Limit > 0 {
		last = in.Offset + in.Limit
	}
	text, _, more, err := d.Lines(ctx, in.Path, in.Offset+1, last)
	if more {
		text += "\n… the file goes on …"
	}
	return shown{Output: text}, err
}

type writeInput struct {
	Path    string `json:"path" minLength:"1" maxLength:"4096"`
	Content string `json:"content" maxLength:"1000000"`
}

// writeFile replaces a file with the content.
func (d *desk) writeFile(_ context.Context, _ agent.Call, in writeInput) (shown, error) {
	return shown{Output: fmt.Sprintf("Wrote %d bytes to %s.", len(in.Content), in.Path)}, d.Put(in.Path, strings.NewReader(in.Content))
}

// shell is the program that must be allowed for run_shell_command.
const shell = "sh"

type shellInput struct {
	Command string `json:"command" minLength:"1" maxLength:"10000"`
	Cwd     string `json:"cwd,omitempty" maxLength:"4096"`
	Timeout int    `json:"timeout_seconds,omitempty" minimum:"1" maximum:"600" default:"60"`
}

type shellOutput struct {
	Stdout   string `json:"stdout"`
	ExitCode int    `json:"exit_code"`
	Ended    string `json:"ended,omitempty"`
}

// runShell runs a command with sh in a folder of the machine. A program that fails is a result with its exit code, not
// an error.
func (d *desk) runShell(ctx context.Context, _ agent.Call, in shellInput) (shellOutput, error) {
	dir, err := d.Folder(in.Cwd)
	if err != nil {
		return shellOutput{}, err
	}
	got, err := d.Run(ctx, process.Command{Program: shell, Args: []string{"-c", in.Command}, Dir: dir, Time: time.Duration(in.Timeout) * time.Second})
	return shellOutput{got.Output, got.ExitCode, got.Ended}, err
}
