//go:build system

package x11_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/internal/test/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect connects to a desk and closes the connection at the end of the test.
func connect(t testing.TB, desk *testkit.Desk) *x11.Display {
	t.Helper()
	d, err := x11.Open(desk.Display)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// window waits for a window whose title contains a text, gives it the keyboard focus, and waits until
// the screen is calm.
func window(t testing.TB, d *x11.Display, title string) x11.Window {
	t.Helper()
	w := testkit.Eventually(t, "a window called "+title, func() (x11.Window, bool) {
		list, err := d.Windows()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list {
			if strings.Contains(w.Title, title) {
				return w, true
			}
		}
		return x11.Window{}, false
	})
	if err := d.Activate(t.Context(), w.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Settle(t.Context(), 200*time.Millisecond, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	w, err := d.Window(w.ID)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestCapture checks that pictures over shared memory and over the connection are equal, also of
// parts and as PNG.
func TestCapture(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 800, 600)
	d := connect(t, desk)
	before, err := d.Capture(image.Rectangle{})
	if err != nil || before.Rect != image.Rect(0, 0, 800, 600) {
		t.Fatalf("%v, %v", before, err)
	}
	desk.Start("xterm", "-T", "xterm", "-geometry", "40x10+100+50", "-bg", "#204060", "-fg", "#f0a010", "-e", "sh", "-c", "printf 'colours \\033[41;32m here\\n'; sleep 600")
	window(t, d, "xterm")
	frame, err := d.Capture(image.Rectangle{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := d.Fetch(frame.Rect)
	if err != nil || !plain.Equal(frame) {
		t.Errorf("shared memory and the connection differ: %v", err)
	}
	if !d.Shares() {
		t.Error("no memory is shared with the server")
	}
	img, err := png.Decode(bytes.NewReader(frame.PNG()))
	if err != nil {
		t.Fatal(err)
	}
	want := frame.Image()
	for y := range 600 {
		for x := range 800 {
			if r, g, b, a := img.At(x, y).RGBA(); [4]uint32{r, g, b, a} != rgba(want, x, y) {
				t.Fatalf("pixel %d, %d of the PNG is %d %d %d", x, y, r, g, b)
			}
		}
	}
	part := image.Rect(90, 40, 300, 233)
	got, err := d.Capture(part)
	if err != nil || !got.Equal(frame.Part(part)) {
		t.Errorf("a part differs: %v", err)
	}
	changed := frame.Changed(before)
	if len(changed) < 6 || len(changed) > 40 || len(frame.Changed(frame)) != 0 {
		t.Errorf("changed are %d tiles: %v", len(changed), changed)
	}
	if !slices.ContainsFunc(changed, image.Pt(150, 100).In) || slices.ContainsFunc(changed, image.Pt(700, 500).In) {
		t.Errorf("changed are %v", changed)
	}
	if edge, err := d.Capture(image.Rect(790, 590, 900, 900)); err != nil || edge.Rect != image.Rect(790, 590, 800, 600) {
		t.Errorf("%v, %v", edge, err)
	}
	if _, err := d.Capture(image.Rect(800, 0, 900, 100)); err == nil {
		t.Error("a part beside the screen has a picture")
	}
}

func rgba(img *image.RGBA, x, y int) [4]uint32 {
	r, g, b, a := img.At(x, y).RGBA()
	return [4]uint32{r, g, b, a}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// awkward is a text with characters that no layout has.
const awkward = "Hello, World! `ä ß € 漢字 😀 {[@]}` ~^ жЖ Ω ñ “quotes” – naïve\n\tEnd: 100 % <ok> #1 \\ | ;"

// TestType checks that a text arrives unchanged with each layout and with Caps Lock, and that keys
// save it.
func TestType(t *testing.T) {
	t.Parallel()
	for name, layout := range map[string][]string{
		"us": {"us"}, "de": {"de"}, "fr": {"fr"}, "ru beside us": {"us,ru"}, "greek": {"gr"}, "japanese": {"jp"},
	} {
		t.Run(name, func(t *testing.T) {
			desk := testkit.NewDesk(t, 800, 600)
			d := connect(t, desk)
			desk.Run("setxkbmap", layout...)
			file := filepath.Join(desk.Home, "text.txt")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			desk.Start("mousepad", "--disable-server", file)
			window(t, d, "text.txt")
			var want string
			for i, text := range []string{awkward, "\nAgain: AbC " + strings.Repeat("x", 40), "\n" + many(60)} {
				if i == 1 && name == "us" {
					if err := d.Press(t.Context(), 0, "capslock"); err != nil {
						t.Fatal(err)
					}
				}
				if err := d.Type(t.Context(), 0, text); err != nil {
					t.Fatal(err)
				}
				want += text
			}
			if err := d.Press(t.Context(), 0, "ctrl", "s"); err != nil {
				t.Fatal(err)
			}
			testkit.EventuallyWithin(t, 10*time.Second, "the file has the text", func() (string, bool) {
				got, err := os.ReadFile(file)
				return string(got), err == nil && strings.TrimRight(string(got), "\n") == want
			})
		})
	}
}

// many returns n different characters that no layout has. There are more of them than unused keys.
func many(n int) string {
	runes := make([]rune, n)
	for i := range runes {
		runes[i] = rune(0x4e00 + i*7)
	}
	return string(runes)
}

// TestMouse checks that clicks, drags and scrolls reach the program in order, at their points.
func TestMouse(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 800, 600)
	d := connect(t, desk)
	output := desk.Start("xev", "-geometry", "300x200+100+100", "-event", "mouse")
	w := window(t, d, "Event Tester")
	at := w.Rect.Min.Add(image.Pt(40, 30))
	events := func(what string) int { return strings.Count(output(), what+" event") }
	for _, step := range []struct {
		name string
		do   func() error
		want func() bool
	}{
		{"click", func() error { return d.Click(t.Context(), at, x11.Clicks{}) }, func() bool {
			return events("ButtonPress") == 1 && events("ButtonRelease") == 1 && strings.Contains(output(), "(40,30)") && strings.Contains(output(), "button 1,")
		}},
		{"double", func() error { return d.Click(t.Context(), at, x11.Clicks{Times: 2}) }, func() bool { return events("ButtonPress") == 3 }},
		{"right", func() error { return d.Click(t.Context(), at, x11.Clicks{Button: x11.Right}) }, func() bool {
			return events("ButtonPress") == 4 && strings.Contains(output(), "button 3,")
		}},
		{"scroll", func() error { return d.Scroll(t.Context(), at, -2, 3) }, func() bool {
			return events("ButtonPress") == 9 && strings.Count(output(), "button 5,") == 6 && strings.Count(output(), "button 6,") == 4
		}},
		{"drag", func() error { return d.Drag(t.Context(), at, at.Add(image.Pt(100, 50))) }, func() bool {
			return events("ButtonPress") == 10 && events("ButtonRelease") == 10 && strings.Contains(output(), "(140,80)") && events("MotionNotify") >= 12
		}},
		{"move", func() error { return d.Move(t.Context(), at.Add(image.Pt(7, 9))) }, func() bool { return strings.Contains(output(), "(47,39)") }},
		{"keys held", func() error { return d.Click(t.Context(), at, x11.Clicks{Keys: []string{"ctrl", "shift"}}) }, func() bool {
			return events("ButtonPress") == 11 && strings.Contains(output(), "state 0x5, button 1")
		}},
		{"keys held in a drag", func() error { return d.Drag(t.Context(), at, at.Add(image.Pt(30, 0)), "shift") }, func() bool {
			return events("ButtonPress") == 12 && strings.Contains(output(), "state 0x1, button 1")
		}},
		{"a long press", func() error { return d.Click(t.Context(), at, x11.Clicks{Hold: 300 * time.Millisecond}) }, func() bool { return events("ButtonRelease") == 13 && heldFor(output()) >= 290 }},
		{"move again", func() error { return d.Move(t.Context(), at.Add(image.Pt(7, 9))) }, func() bool { return true }},
	} {
		must(t, step.do())
		testkit.EventuallyWithin(t, 10*time.Second, step.name, func() (string, bool) { return output(), step.want() })
	}
	for name, how := range map[string]x11.Clicks{"no modifier": {Keys: []string{"a"}}, "no key": {Keys: []string{"nokey"}}, "too long": {Hold: x11.MaxHold + 1}} {
		if err := d.Click(t.Context(), at, how); err == nil {
			t.Errorf("%s: clicked", name)
		}
	}
	if p, err := d.Pointer(); err != nil || p != at.Add(image.Pt(7, 9)) {
		t.Errorf("the mouse is at %v, %v", p, err)
	}
	if d.Click(t.Context(), image.Pt(800, 5), x11.Clicks{}) == nil || d.Click(t.Context(), at, x11.Clicks{Times: x11.MaxClicks + 1}) == nil || d.Scroll(t.Context(), at, 0, x11.MaxNotches+1) == nil {
		t.Error("what is out of bounds was done")
	}
	if err := d.Click(t.Context(), at, x11.Clicks{Times: x11.MaxClicks}); err != nil {
		t.Error(err)
	}
	if id, ok := d.WindowAt(at); !ok || id != w.ID {
		t.Errorf("under the point is %d, %t, not %d", id, ok, w.ID)
	}
}

var pressTime = regexp.MustCompile(`Button(?:Press|Release) event.*\n.*time (\d+)`)

// heldFor returns the milliseconds between the last press and release of a button that xev printed.
func heldFor(output string) int {
	list := pressTime.FindAllStringSubmatch(output, -1)
	if len(list) < 2 {
		return 0
	}
	from, _ := strconv.Atoi(list[len(list)-2][1])
	to, _ := strconv.Atoi(list[len(list)-1][1])
	return to - from
}

// TestTypeBehindADialog types a text right after a dialog has closed. The window behind it must get
// the whole text.
func TestTypeBehindADialog(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 800, 600)
	d := connect(t, desk)
	file := filepath.Join(desk.Home, "text.txt")
	must(t, os.WriteFile(file, nil, 0o600))
	desk.Start("mousepad", "--disable-server", file)
	window(t, d, "text.txt")
	want := ""
	for range 8 {
		must(t, d.Press(t.Context(), 0, "ctrl", "l")) // go to a line
		window(t, d, "Go To")
		must(t, d.Press(t.Context(), 0, "escape"))
		must(t, d.Type(t.Context(), 0, "whole "))
		want += "whole "
	}
	must(t, d.Press(t.Context(), 0, "ctrl", "s"))
	testkit.EventuallyWithin(t, 10*time.Second, "the file has the text", func() (string, bool) {
		got, err := os.ReadFile(file)
		return string(got), err == nil && strings.TrimRight(string(got), "\n") == want
	})
}

// TestTypeStopsWhereTheKeyboardGoes checks that no character reaches another window that takes the
// keyboard focus, and that the error has the number of typed characters.
func TestTypeStopsWhereTheKeyboardGoes(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 800, 600)
	d, thief := connect(t, desk), connect(t, desk)
	files := map[string]string{}
	for _, name := range []string{"thief.txt", "victim.txt"} {
		files[name] = filepath.Join(desk.Home, name)
		must(t, os.WriteFile(files[name], nil, 0o600))
		desk.Start("mousepad", "--disable-server", files[name])
	}
	other := window(t, thief, "thief.txt")
	text, want := strings.Repeat("0123456789", 100), ""
	for range 20 {
		w := window(t, d, "victim.txt")
		stolen := make(chan error)
		go func() {
			for { // the title says that something was typed
				if now, err := thief.Window(w.ID); err != nil || strings.HasPrefix(now.Title, "*") {
					stolen <- errors.Join(err, thief.Activate(t.Context(), other.ID))
					return
				}
			}
		}()
		err := d.Type(t.Context(), w.ID, text)
		must(t, <-stolen)
		moved, ok := errors.AsType[*x11.Moved](err)
		if !ok || moved.Typed == 0 || moved.Typed >= len(text) || moved.Of != len(text) || !strings.Contains(moved.From, "victim.txt") || !strings.Contains(moved.To, "thief.txt") {
			t.Fatalf("%+v", err)
		}
		if err := d.Press(t.Context(), w.ID, "x"); !errors.As(err, new(*x11.Moved)) {
			t.Errorf("a key was pressed in another window: %v", err)
		}
		want += text[:moved.Typed]
		w = window(t, d, "victim.txt")
		must(t, d.Press(t.Context(), w.ID, "ctrl", "s"))
		testkit.EventuallyWithin(t, 10*time.Second, "the file has what arrived", func() (string, bool) {
			got, err := os.ReadFile(files["victim.txt"])
			return string(got), err == nil && strings.TrimRight(string(got), "\n") == want
		})
	}
	window(t, d, "thief.txt")
	must(t, d.Press(t.Context(), 0, "ctrl", "s"))
	if got, err := os.ReadFile(files["thief.txt"]); err != nil || strings.TrimSpace(string(got)) != "" {
		t.Errorf("the window that took the keyboard has got %q, %v", got, err)
	}
}

// TestTypeBehindAButton checks that a button that a key pressed has done its work before the next
// text is typed, also within one text, and before the screen counts as calm.
func TestTypeBehindAButton(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 800, 600)
	d := connect(t, desk)
	file := filepath.Join(desk.Home, "text.txt")
	must(t, os.WriteFile(file, nil, 0o600))
	desk.Start("mousepad", "--disable-server", file)
	w := window(t, d, "text.txt")
	want := ""
	for range 4 {
		for _, typed := range []string{"1\nwhole ", "1"} {
			must(t, d.Press(t.Context(), 0, "ctrl", "l")) // go to a line
			window(t, d, "Go To")
			must(t, d.Type(t.Context(), 0, typed))
			want += "whole "
		}
		must(t, d.Press(t.Context(), 0, "enter"))
		must(t, d.Type(t.Context(), 0, "whole "))
	}
	must(t, d.Press(t.Context(), 0, "ctrl", "l"))
	window(t, d, "Go To")
	must(t, d.Press(t.Context(), 0, "space"))
	must(t, d.Press(t.Context(), 0, "enter"))
	if _, err := d.Settle(t.Context(), 50*time.Millisecond, 5*time.Second); err != nil || d.Active() != w.ID {
		t.Errorf("the screen is calm while the dialog is there: %v", err)
	}
	must(t, d.Press(t.Context(), 0, "ctrl", "s"))
	testkit.EventuallyWithin(t, 10*time.Second, "the file has the text", func() (string, bool) {
		got, err := os.ReadFile(file)
		return string(got), err == nil && strings.TrimRight(string(got), "\n") == want
	})
}

// TestWindows checks that windows are listed topmost first, become active, and close.
func TestWindows(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 800, 600)
	d := connect(t, desk)
	desk.Start("xterm", "-T", "first", "-geometry", "40x10+10+30")
	first := window(t, d, "first")
	desk.Start("xterm", "-T", "second", "-geometry", "40x10+60+60")
	second := window(t, d, "second")
	list, err := d.Windows()
	if err != nil || len(list) != 2 || list[0].ID != second.ID || !list[0].Active || list[1].Active || list[1].Class != "XTerm" || list[1].PID == 0 {
		t.Fatalf("%+v, %v", list, err)
	}
	if !first.Rect.In(image.Rect(0, 0, 800, 600)) || first.Rect.Dx() < 200 {
		t.Errorf("the first is at %v", first.Rect)
	}
	if err := d.Activate(t.Context(), first.ID); err != nil || d.Active() != first.ID {
		t.Errorf("active is %d: %v", d.Active(), err)
	}
	if list, _ = d.Windows(); list[0].ID != first.ID {
		t.Error("the active window is not the uppermost")
	}
	if err := d.CloseWindow(t.Context(), first.ID); err != nil {
		t.Error(err)
	}
	if list, _ = d.Windows(); len(list) != 1 {
		t.Errorf("left are %+v", list)
	}
	if d.Activate(t.Context(), first.ID) == nil || d.CloseWindow(t.Context(), first.ID) == nil {
		t.Error("a window that has gone was found")
	}
}

// TestClipboard checks reading and writing the clipboard, also of long texts in pieces, with real
// programs.
func TestClipboard(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 800, 600)
	one, two := connect(t, desk), connect(t, desk)
	if got, err := one.ReadClipboard(t.Context()); got != "" || err != nil {
		t.Errorf("an empty clipboard has %q, %v", got, err)
	}
	for _, text := range []string{"short: Zoë 漢", strings.Repeat("Zoë 漢😀", 400_000)[:x11.MaxClipboard-1] + "x", "again"} {
		text = strings.ToValidUTF8(text, "?")
		if err := one.WriteClipboard(text); err != nil {
			t.Fatal(err)
		}
		for _, d := range []*x11.Display{one, two} {
			if got, err := d.ReadClipboard(t.Context()); got != text || err != nil {
				t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
			}
		}
	}
	if one.WriteClipboard(strings.Repeat("x", x11.MaxClipboard+1)) == nil {
		t.Error("a text beyond the limit is taken")
	}
	file := filepath.Join(desk.Home, "text.txt")
	if err := os.WriteFile(file, []byte("from a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	desk.Start("mousepad", "--disable-server", file)
	window(t, one, "text.txt")
	for _, keys := range [][]string{{"ctrl", "a"}, {"ctrl", "c"}} {
		if err := one.Press(t.Context(), 0, keys...); err != nil {
			t.Fatal(err)
		}
	}
	testkit.EventuallyWithin(t, 5*time.Second, "what the program copied", func() (string, bool) {
		got, err := one.ReadClipboard(t.Context())
		return got, err == nil && got == "from a program"
	})
	if err := two.WriteClipboard("into a program 漢"); err != nil {
		t.Fatal(err)
	}
	for _, keys := range [][]string{{"ctrl", "a"}, {"ctrl", "v"}, {"ctrl", "s"}} {
		if err := one.Press(t.Context(), 0, keys...); err != nil {
			t.Fatal(err)
		}
	}
	testkit.EventuallyWithin(t, 5*time.Second, "what the program pasted", func() (string, bool) {
		got, _ := os.ReadFile(file)
		return string(got), strings.TrimSpace(string(got)) == "into a program 漢"
	})
}

// TestMonitors checks that pictures and clicks use the pixels of the whole screen of two monitors.
func TestMonitors(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 1600, 600)
	desk.Run("xrandr", "--setmonitor", "left", "800/200x600/150+0+0", "screen")
	desk.Run("xrandr", "--setmonitor", "right", "800/200x600/150+800+0", "none")
	d := connect(t, desk)
	list, err := d.Monitors()
	if err != nil || len(list) != 2 || !slices.ContainsFunc(list, func(m x11.Monitor) bool { return m.Name == "right" && m.Rect == image.Rect(800, 0, 1600, 600) }) {
		t.Fatalf("%+v, %v", list, err)
	}
	output := desk.Start("xev", "-geometry", "300x200+1100+100", "-event", "button")
	w := window(t, d, "Event Tester")
	if !w.Rect.In(list[0].Rect) && !w.Rect.In(list[1].Rect) {
		t.Fatalf("the window is at %v", w.Rect)
	}
	if err := d.Click(t.Context(), w.Rect.Min.Add(image.Pt(33, 44)), x11.Clicks{}); err != nil {
		t.Fatal(err)
	}
	testkit.EventuallyWithin(t, 5*time.Second, "the click arrives", func() (string, bool) { return output(), strings.Contains(output(), "(33,44)") })
	frame, err := d.Capture(list[1].Rect)
	if err != nil || frame.Rect != list[1].Rect {
		t.Errorf("a monitor's picture: %v, %v", frame, err)
	}
}

// TestRefusals checks that invalid keys and texts are refused, and that the end of the server is
// noticed.
func TestRefusals(t *testing.T) {
	t.Parallel()
	if _, err := x11.Open(":7531"); err == nil {
		t.Error("a display that is not there was opened")
	}
	desk := testkit.NewDesk(t, 800, 600)
	d := connect(t, desk)
	for name, do := range map[string]func() error{
		"an unknown key":  func() error { return d.Press(t.Context(), 0, "ctrl", "hyperdrive") },
		"no keys":         func() error { return d.Press(t.Context(), 0) },
		"too many keys":   func() error { return d.Press(t.Context(), 0, slices.Repeat([]string{"a"}, x11.MaxKeys+1)...) },
		"a control":       func() error { return d.Type(t.Context(), 0, "a\x1bb") },
		"no UTF-8":        func() error { return d.Type(t.Context(), 0, "\xff") },
		"a text too long": func() error { return d.Type(t.Context(), 0, strings.Repeat("x", x11.MaxType+1)) },
	} {
		t.Run(name, func(t *testing.T) {
			if do() == nil {
				t.Error("that was done")
			}
		})
	}
	if d.Lost() {
		t.Error("the connection has ended")
	}
}
