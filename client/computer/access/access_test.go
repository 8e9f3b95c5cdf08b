//go:build linux

package access_test

import (
	"errors"
	"fmt"
	"image"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"go.uber.org/goleak"

	"github.com/windieos/windie/client/computer/access"
	"github.com/windieos/windie/internal/test/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bus starts a bus of its own, which ends with the test, and returns its address.
func bus(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		testkit.Skip(t, "the program dbus-daemon", "make deps-system")
	}
	address := "unix:path=" + filepath.Join(t.TempDir(), "bus")
	config := filepath.Join(t.TempDir(), "bus.conf")
	text := `<busconfig><type>session</type><listen>` + address + `</listen><policy context="default">
		<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	daemon := exec.CommandContext(t.Context(), "dbus-daemon", "--config-file="+config, "--nofork", "--nopidfile")
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = daemon.Wait() })
	testkit.Eventually(t, "the bus listens", func() (string, bool) {
		conn, err := dbus.Connect(address)
		if err != nil {
			return err.Error(), false
		}
		return "", conn.Close() == nil
	})
	return address
}

// method is a method of a program that answers as the test likes.
type method func(path dbus.ObjectPath, args []any) []any

// fake answers calls to any path. Methods are named by their last name, and properties as "Get Name".
type fake map[string]method

func (f fake) LookupObject(path dbus.ObjectPath) (dbus.ServerObject, bool) { return at{f, path}, true }

// at is a path of a fake program.
type at struct {
	fake
	path dbus.ObjectPath
}

func (a at) LookupInterface(string) (dbus.Interface, bool) { return a, true }
func (a at) LookupMethod(name string) (dbus.Method, bool)  { return call{a, name}, true }

// call is one call of a method.
type call struct {
	at
	name string
}

func (c call) DecodeArguments(_ *dbus.Conn, _ string, _ *dbus.Message, args []any) ([]any, error) {
	return args, nil
}
func (call) NumArguments() int     { return 0 }
func (call) NumReturns() int       { return 0 }
func (call) ArgumentValue(int) any { return nil }
func (call) ReturnValue(int) any   { return nil }

func (c call) Call(args ...any) ([]any, error) {
	name := c.name
	if name == "Get" {
		name += " " + args[1].(string)
	}
	if m := c.fake[name]; m != nil {
		return m(c.path, args), nil
	}
	return nil, dbus.MakeFailedError(errors.New("no such thing"))
}

// serve puts a fake program on a bus, alone in the list of programs.
func serve(t *testing.T, address string, f fake) {
	t.Helper()
	conn, err := dbus.Connect(address, dbus.WithHandler(f))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	inside := f["GetChildren"]
	f["GetChildren"] = func(path dbus.ObjectPath, args []any) []any {
		switch path {
		case "/org/a11y/atspi/accessible/root":
			return []any{[]ref{{conn.Names()[0], "/program"}}}
		case "/program":
			return []any{[]ref{{conn.Names()[0], "/window"}}}
		}
		if inside == nil {
			return []any{[]ref{}}
		}
		return inside(path, []any{conn.Names()[0]})
	}
	if _, err := conn.RequestName("org.a11y.atspi.Registry", 0); err != nil {
		t.Fatal(err)
	}
}

type ref struct {
	Bus  string
	Path dbus.ObjectPath
}

// gives returns a method that always answers the same.
func gives(values ...any) method { return func(dbus.ObjectPath, []any) []any { return values } }

// property is the answer to a property.
func property(v any) method { return gives(dbus.MakeVariant(v)) }

// ordinary is a program with one window, whose nodes all are buttons in sight.
func ordinary() fake {
	return fake{
		"GetState": gives([]uint32{1<<24 | 1<<25, 0}), "GetRole": gives(uint32(43)), "GetInterfaces": gives([]string{"org.a11y.atspi.Action"}),
		"Get Name": property("a name"), "Get Description": property(""), "Get ChildCount": property(int32(0)),
		"GetExtents": gives(struct{ X, Y, W, H int32 }{10, 20, 30, 40}),
		"GetActions": gives([]struct{ A, B, C string }{{"click", "", ""}}), "DoAction": gives(false),
	}
}

// open connects to a bus, until the end of the test.
func open(t *testing.T, address string) *access.Tree {
	t.Helper()
	tree, err := access.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tree.Close)
	return tree
}

// TestHostilePrograms checks that a look ends in time, with what is valid, whatever a program answers.
func TestHostilePrograms(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	t.Cleanup(func() { close(over) }) // after all subtests
	long := strings.Repeat("ä", 1<<20)
	endless := func(n int) method {
		return func(path dbus.ObjectPath, args []any) []any {
			var list []ref
			for i := range n {
				list = append(list, ref{args[0].(string), dbus.ObjectPath(fmt.Sprintf("%s/a%d", path, i))})
			}
			return []any{list}
		}
	}
	for _, tt := range []struct {
		name   string
		change fake
		check  func(w access.Window) bool
	}{
		{"an ordinary one", fake{}, func(w access.Window) bool {
			return len(w.Nodes) == 0 && !w.Cut && !w.Silent && w.Title == "a name" && w.Rect == image.Rect(10, 20, 40, 60)
		}},
		{"endless depth", fake{"GetChildren": endless(1), "Get ChildCount": property(int32(1))}, func(w access.Window) bool {
			return len(w.Nodes) == 60 && w.Cut
		}},
		{"endless breadth", fake{"GetChildren": endless(50), "Get ChildCount": property(int32(50))}, func(w access.Window) bool {
			return len(w.Nodes) == 500 && w.Cut
		}},
		{"more children than counted", fake{"GetChildren": func(path dbus.ObjectPath, args []any) []any {
			if path == "/window" {
				return endless(5000)(path, args)
			}
			return []any{[]ref{}}
		}, "Get ChildCount": property(int32(1))}, func(w access.Window) bool { return len(w.Nodes) == 256 }},
		{"children without number", fake{"GetChildren": endless(1), "Get ChildCount": property(int32(math.MaxInt32))}, func(w access.Window) bool {
			return len(w.Nodes) == 0
		}},
		{"a long scrolled list", fake{"Get ChildCount": func(path dbus.ObjectPath, _ []any) []any {
			if path == "/window" {
				return []any{dbus.MakeVariant(int32(100_000))}
			}
			return []any{dbus.MakeVariant(int32(0))}
		}, "GetAccessibleAtPoint": func(_ dbus.ObjectPath, args []any) []any {
			return []any{ref{":1.1", dbus.ObjectPath(fmt.Sprintf("/item/%d", 500+args[1].(int32)))}}
		}, "GetIndexInParent": func(path dbus.ObjectPath, _ []any) []any {
			i, _ := strconv.Atoi(filepath.Base(string(path)))
			return []any{int32(i)}
		}, "GetChildAtIndex": func(_ dbus.ObjectPath, args []any) []any {
			return []any{ref{":1.1", dbus.ObjectPath(fmt.Sprintf("/item/%d", args[0]))}}
		}}, func(w access.Window) bool {
			return len(w.Nodes) == 37 && strings.HasSuffix(string(w.Nodes[0].ID), "/item/522") && strings.HasSuffix(string(w.Nodes[36].ID), "/item/558")
		}},
		{"hidden nodes with a place", fake{"GetChildren": endless(1), "Get ChildCount": property(int32(1)), "GetState": func(path dbus.ObjectPath, _ []any) []any {
			if path == "/window" {
				return []any{[]uint32{1 << 25, 0}}
			}
			return []any{[]uint32{1<<24 | 1<<30, 0}}
		}}, func(w access.Window) bool { return len(w.Nodes) == 0 && !w.Cut }},
		{"a loop", fake{"GetChildren": func(_ dbus.ObjectPath, args []any) []any {
			bus := args[0].(string)
			return []any{[]ref{{bus, "/window"}, {bus, "/one"}, {bus, "/one"}, {bus, "/two"}}}
		}, "Get ChildCount": property(int32(4))}, func(w access.Window) bool { return len(w.Nodes) == 2 && !w.Cut }},
		{"children elsewhere", fake{"GetChildren": gives([]ref{{"", "/"}, {"org.freedesktop.DBus", "/"}, {":1.999", "/gone"}}), "Get ChildCount": property(int32(3))}, func(w access.Window) bool {
			return len(w.Nodes) == 0
		}},
		{"huge texts", fake{"Get Name": property(long), "Get Description": property(long), "GetRole": gives(uint32(61)), "GetText": gives(long), "Get CharacterCount": property(int32(5)),
			"GetInterfaces": gives([]string{"org.a11y.atspi.Text"}), "GetChildren": func(path dbus.ObjectPath, args []any) []any {
				if path == "/window" {
					return endless(1)(path, args)
				}
				return []any{[]ref{}}
			}, "Get ChildCount": property(int32(1))}, func(w access.Window) bool {
			return len([]rune(w.Title)) == 300 && len(w.Nodes) == 1 && len([]rune(w.Nodes[0].Text)) == 1000 && len([]rune(w.Nodes[0].Description)) == 300
		}},
		{"wrong types", fake{"Get Name": property([]int32{1}), "GetRole": gives("button", "more"), "GetInterfaces": gives(int32(4)), "Get ChildCount": property("many"),
			"GetActions": gives(true)}, func(w access.Window) bool { return w.Title == "" && w.Role == access.Other }},
		{"no answers but errors", fake{"GetRole": nil, "Get Name": nil, "GetInterfaces": nil, "Get ChildCount": nil}, func(w access.Window) bool { return w.Title == "" }},
		{"a silent method", fake{"GetRole": func(path dbus.ObjectPath, _ []any) []any {
			if path != "/window" {
				<-over // it does not answer
			}
			return []any{uint32(43)}
		}, "GetChildren": endless(50), "Get ChildCount": property(int32(50))}, func(w access.Window) bool { return w.Silent && w.Title == "a name" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			address, f := bus(t), ordinary()
			for name, m := range tt.change {
				f[name] = m
			}
			serve(t, address, f)
			tree := open(t, address)
			tree.Options = access.Options{Time: 5 * time.Second, Patience: 500 * time.Millisecond, Nodes: 500}
			list, err := tree.Look(t.Context())
			if err != nil || len(list) != 1 || !tt.check(list[0]) {
				for i := range list {
					list[i].Nodes = list[i].Nodes[:min(len(list[i].Nodes), 3)]
				}
				t.Errorf("%.1000s, %v", fmt.Sprintf("%+v", list), err)
			}
			for _, w := range list {
				for i, n := range w.Nodes {
					if n.Parent >= i || n.Parent < -1 {
						t.Fatalf("the parent of %d is %d", i, n.Parent)
					}
				}
			}
		})
	}
}

// TestWhatIsMissing checks that each missing part has its error.
func TestWhatIsMissing(t *testing.T) {
	t.Setenv("AT_SPI_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	for _, tt := range []struct {
		name, session, address string
		want                   error
	}{
		{"no session", "", "", access.ErrNoSession},
		{"a session that ended", "unix:path=/nonexistent", "", access.ErrNoSession},
		{"a session without accessibility", bus(t), "", access.ErrNoBus},
		{"an accessibility bus that ended", "", "unix:path=/nonexistent", access.ErrNoBus},
		{"an accessibility bus that does not respond", "", deaf(t), access.ErrNoBus},
		{"a program as the bus", "", "unixexec:path=/bin/true", access.ErrNoBus},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", tt.session)
			if _, err := access.Open(t.Context(), tt.address); !errors.Is(err, tt.want) {
				t.Errorf("%v; want %v", err, tt.want)
			} else if strings.HasPrefix(tt.address, "unixexec:") && !strings.Contains(err.Error(), "must begin with") {
				t.Errorf("%v, which is another reason", err)
			}
		})
	}
}

// deaf returns the address of a socket that nobody reads.
func deaf(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bus")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return "unix:path=" + path
}

// TestActions checks the errors of nodes that are gone or refuse.
func TestActions(t *testing.T) {
	t.Parallel()
	address := bus(t)
	serve(t, address, ordinary())
	tree := open(t, address)
	list, err := tree.Look(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	ctx, id := t.Context(), list[0].ID
	_, cell := tree.Cell(ctx, id, -1, 0)
	for _, tt := range []struct {
		name      string
		err, want error
	}{
		{"a refused action", tree.Do(ctx, id, "Click"), access.ErrRefused},
		{"no such action", tree.Do(ctx, id, "fly"), access.ErrRefused},
		{"nothing to edit", tree.SetText(ctx, id, "text"), access.ErrRefused},
		{"no value", tree.SetValue(ctx, id, 4), access.ErrRefused},
		{"no parent", tree.Select(ctx, id), access.ErrRefused},
		{"no cell", cell, access.ErrRefused},
		{"a program that ended", tree.Do(ctx, ":1.999/window", ""), access.ErrGone},
		{"an empty id", tree.Focus(ctx, ""), access.ErrGone},
		{"an invalid id", tree.Focus(ctx, "org.a11y.atspi.Registry/root"), access.ErrGone},
	} {
		if !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: %v; want %v", tt.name, tt.err, tt.want)
		}
	}
	if rect, err := tree.Extents(ctx, id); err != nil || rect != image.Rect(10, 20, 40, 60) {
		t.Errorf("%v, %v", rect, err)
	}
	tree.Close()
	if _, err := tree.Look(ctx); !errors.Is(err, access.ErrClosed) {
		t.Errorf("%v after Close", err)
	}
}
