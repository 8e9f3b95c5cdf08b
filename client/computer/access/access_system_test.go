//go:build system && linux

package access_test

import (
	"errors"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/windieos/windie/client/computer/access"
	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/internal/test/testkit"
)

const launcher = "/usr/libexec/at-spi-bus-launcher"

// desk is a screen in memory with a session bus and the accessibility of it.
type desk struct {
	*testkit.Desk
	t    *testing.T
	tree *access.Tree
	bus  string
}

// newDesk starts a desk, which ends with the test.
func newDesk(t *testing.T) *desk {
	t.Helper()
	if _, err := exec.LookPath(launcher); err != nil {
		testkit.Skip(t, "the program "+launcher, "make deps-system")
	}
	d := &desk{Desk: testkit.NewDesk(t, 1280, 900), t: t}
	d.bus = "unix:path=" + filepath.Join(d.Home, "session")
	d.Start("dbus-daemon", "--session", "--nofork", "--nopidfile", "--address="+d.bus)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", d.bus)
	t.Setenv("AT_SPI_BUS_ADDRESS", "")
	testkit.Eventually(t, "the session's bus", func() (string, bool) {
		_, err := os.Stat(filepath.Join(d.Home, "session"))
		return "", err == nil
	})
	d.program(launcher, "--launch-immediately")
	d.tree = testkit.Eventually(t, "the accessibility bus", func() (*access.Tree, bool) {
		tree, err := access.Open(t.Context(), "")
		return tree, err == nil
	})
	t.Cleanup(d.tree.Close)
	d.tree.Options = access.Options{Time: 5 * time.Second, Patience: 2 * time.Second} // other tests run beside
	return d
}

// program starts a program that has accessibility.
func (d *desk) program(name string, args ...string) {
	d.t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		testkit.Skip(d.t, "the program "+name, "make deps-system")
	}
	d.Start("env", append([]string{"-u", "NO_AT_BRIDGE", "DBUS_SESSION_BUS_ADDRESS=" + d.bus, "SAL_USE_VCLPLUGIN=gtk3", name}, args...)...)
}

// window waits for a window of a program whose nodes satisfy a condition, and logs the time of a look.
func (d *desk) window(program string, ready func(w access.Window) bool) access.Window {
	d.t.Helper()
	return testkit.EventuallyWithin(d.t, 60*time.Second, "a window of "+program, func() (access.Window, bool) {
		began := time.Now()
		list, err := d.tree.Look(d.t.Context())
		took := time.Since(began)
		if err != nil {
			d.t.Fatal(err)
		}
		for _, w := range list {
			if strings.EqualFold(w.Program, program) && ready(w) {
				d.t.Logf("a look: %d nodes of %s in %v", len(w.Nodes), program, took)
				return w, true
			}
		}
		return access.Window{}, false
	})
}

// find returns the first node of a role with a name, or the zero value.
func find(w access.Window, role access.Role, name string) access.Node {
	i := slices.IndexFunc(w.Nodes, func(n access.Node) bool { return n.Role == role && n.Name == name })
	if i < 0 {
		return access.Node{}
	}
	return w.Nodes[i]
}

func has(role access.Role, name string) func(w access.Window) bool {
	return func(w access.Window) bool { return find(w, role, name).ID != "" }
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEditor checks roles, names, states, texts, places and actions of a GTK program.
func TestEditor(t *testing.T) {
	d := newDesk(t)
	file := filepath.Join(d.Home, "letter.txt")
	must(t, os.WriteFile(file, []byte("Dear Zoë"), 0o600))
	d.program("mousepad", file)
	w := d.window("mousepad", func(w access.Window) bool { return w.Active && find(w, access.Field, "").Text == "Dear Zoë" })
	display, err := x11.Open(d.Display)
	must(t, err)
	defer display.Close()
	list, err := display.Windows()
	must(t, err)
	if len(list) != 1 || list[0].PID != w.PID || list[0].Title != w.Title {
		t.Fatalf("%+v; the window manager has %+v", w, list)
	}
	content := list[0].Rect // the tree has the frame, this the content
	if !content.In(w.Rect) || w.Rect.Dx() > content.Dx()+10 || w.Rect.Dy() > content.Dy()+50 {
		t.Errorf("the window is at %v; its content is at %v", w.Rect, content)
	}
	if got := w.Nodes[0].Rect; got != content {
		t.Errorf("the content is at %v, want %v", got, content)
	}
	field := find(w, access.Field, "")
	if !field.States.Has(access.Editable|access.Multiline) || field.States.Has(access.ReadOnly) || field.Rect.Empty() || !field.Rect.In(content) {
		t.Errorf("%+v", field)
	}
	ctx := t.Context()
	must(t, d.tree.SetText(ctx, field.ID, "Dear Ada"))
	w = d.window("mousepad", func(w access.Window) bool { return find(w, access.Field, "").Text == "Dear Ada" })
	if again := find(w, access.Field, ""); again.ID != field.ID {
		t.Errorf("the id was %s, is %s", field.ID, again.ID)
	}
	if find(w, access.MenuItem, "Statusbar").ID != "" || find(w, access.StatusBar, "").ID != "" {
		t.Error("a closed menu and a hidden bar are in sight")
	}
	view := find(w, access.Menu, "View")
	must(t, d.tree.Do(ctx, view.ID, "click"))
	w = d.window("mousepad", has(access.MenuItem, "Statusbar"))
	item := find(w, access.MenuItem, "Statusbar")
	if item.Rect.Min.Y < view.Rect.Max.Y || w.Nodes[item.Parent].ID != view.ID {
		t.Errorf("%+v below %+v", item, view)
	}
	must(t, d.tree.Do(ctx, item.ID, "click"))
	d.window("mousepad", has(access.StatusBar, ""))
	must(t, syscall.Kill(w.PID, syscall.SIGKILL))
	testkit.Eventually(t, "the field is gone", func() (string, bool) {
		err := d.tree.Focus(ctx, field.ID)
		return "", errors.Is(err, access.ErrGone)
	})
}

// TestCalculatorIsSilent checks buttons of a program, and that a program that hangs delays others by no more
// than its patience.
func TestCalculatorIsSilent(t *testing.T) {
	d := newDesk(t)
	d.program("galculator")
	w := d.window("galculator", has(access.Button, "7"))
	for _, name := range []string{"7", "*", "6", "="} {
		must(t, d.tree.Do(t.Context(), find(w, access.Button, name).ID, ""))
	}
	w = d.window("galculator", func(w access.Window) bool { return find(w, access.Field, "").Text == "42" })
	if n := find(w, access.Field, ""); !n.States.Has(access.ReadOnly) {
		t.Errorf("%+v", n)
	}
	if n := find(w, access.Button, "MR"); !n.States.Has(access.Disabled) {
		t.Errorf("%+v", n)
	}
	if rect, err := d.tree.Extents(t.Context(), find(w, access.Button, "7").ID); err != nil || rect != find(w, access.Button, "7").Rect {
		t.Errorf("%v, %v", rect, err)
	}
	must(t, d.tree.Do(t.Context(), find(w, access.Menu, "View").ID, ""))
	w = d.window("galculator", has(access.MenuItem, "Basic Mode"))
	for name, want := range map[string]access.State{"Basic Mode": access.Checked, "Paper Mode": access.Unchecked, "Show menu bar": access.Checked} {
		i := slices.IndexFunc(w.Nodes, func(n access.Node) bool { return n.Name == name })
		if i < 0 || !w.Nodes[i].States.Has(want) || w.Nodes[i].States.Has(access.Checked|access.Unchecked) {
			t.Errorf("%s is not %v: %+v", name, want, w.Nodes[max(i, 0)])
		}
	}
	must(t, d.tree.Do(t.Context(), find(w, access.MenuItem, "Basic Mode").ID, "")) // closes the menu
	d.program("mousepad")
	d.window("mousepad", has(access.Menu, "View"))
	must(t, syscall.Kill(w.PID, syscall.SIGSTOP))
	d.tree.Options.Patience = 300 * time.Millisecond
	began := time.Now()
	list, err := d.tree.Look(t.Context())
	t.Logf("a look beside a silent program: %v", time.Since(began))
	if err != nil || len(list) != 2 || list[0].Silent || !list[1].Silent || list[1].Title != w.Title || list[1].Rect != w.Rect || len(list[1].Nodes) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if err := d.tree.Do(t.Context(), find(w, access.Button, "7").ID, ""); !errors.Is(err, access.ErrSilent) {
		t.Errorf("%v", err)
	}
	must(t, syscall.Kill(w.PID, syscall.SIGCONT))
	d.window("galculator", has(access.Button, "7"))
}

// sheetFile is a sheet with a text in B7.
const sheetFile = `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="Sheet1"><table:table-row table:number-rows-repeated="6"><table:table-cell/></table:table-row>
<table:table-row><table:table-cell/><table:table-cell office:value-type="string"><text:p>forty-two</text:p></table:table-cell></table:table-row>
</table:table></office:spreadsheet></office:body></office:document>`

// TestSheet checks that a look lists no cells of a sheet, and that each can be asked for.
func TestSheet(t *testing.T) {
	d := newDesk(t)
	file := filepath.Join(d.Home, "sheet.fods")
	must(t, os.WriteFile(file, []byte(sheetFile), 0o600))
	d.program("libreoffice", "--calc", "--norestore", "--nologo", file)
	sheet := func(w access.Window) access.Node { return find(w, access.Table, "Sheet Sheet1") }
	w := d.window("soffice", func(w access.Window) bool { return sheet(w).ID != "" })
	if slices.ContainsFunc(w.Nodes, func(n access.Node) bool { return n.Role == access.Cell }) || len(w.Nodes) > 500 {
		t.Errorf("%d nodes", len(w.Nodes))
	}
	cell, err := d.tree.Cell(t.Context(), sheet(w).ID, 6, 1)
	if err != nil || cell.Name != "B7" || cell.Role != access.Cell || *cell.Place != (access.Place{Row: 6, Column: 1}) || !cell.Rect.In(sheet(w).Rect) {
		t.Fatalf("%+v, %v", cell, err)
	}
	if cell.Text != "forty-two" {
		t.Errorf("%+v", cell)
	}
	if cell, err = d.tree.Cell(t.Context(), sheet(w).ID, 5000, 1); err != nil || cell.Name != "B5001" || cell.Text != "" {
		t.Errorf("a cell out of sight: %+v, %v", cell, err)
	}
	if _, err = d.tree.Cell(t.Context(), sheet(w).ID, 1<<22, 1<<22); !errors.Is(err, access.ErrRefused) {
		t.Errorf("%v", err)
	}
}

// TestQt checks a program of Qt, and that accessibility is switched on for those that wait for it.
func TestQt(t *testing.T) {
	d := newDesk(t)
	session, err := dbus.Connect(d.bus)
	must(t, err)
	defer session.Close()
	if on, err := session.Object("org.a11y.Bus", "/org/a11y/bus").GetProperty("org.a11y.Status.IsEnabled"); err != nil || on.Value() != true {
		t.Errorf("accessibility is enabled: %v, %v", on, err)
	}
	d.program("featherpad", "--standalone")
	w := d.window("FeatherPad", has(access.Button, "Open"))
	open, save := find(w, access.Button, "Open"), find(w, access.Button, "Save")
	if open.States.Has(access.Disabled) || !save.States.Has(access.Disabled) || open.Description != "Open a file" || !open.Rect.In(w.Rect) || open.Rect.Overlaps(save.Rect) {
		t.Errorf("%+v, %+v", open, save)
	}
	if w.Rect.Intersect(image.Rect(0, 0, 1280, 900)) != w.Rect {
		t.Errorf("%v", w.Rect)
	}
	must(t, d.tree.Do(t.Context(), find(w, access.Button, "Jump to").ID, "press"))
	w = d.window("FeatherPad", has(access.Checkbox, "Select Text"))
	spinner := w.Nodes[slices.IndexFunc(w.Nodes, func(n access.Node) bool { return n.Role == access.Spinner })]
	if n := find(w, access.Checkbox, "Select Text"); !n.States.Has(access.Unchecked) || spinner.Value == nil || spinner.Value.Least > spinner.Value.Now {
		t.Errorf("%+v, %+v", n, spinner)
	}
}
