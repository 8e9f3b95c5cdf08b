package testkit

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// deskPrograms are what a Desk is made of, with the packages of Debian that have them.
const (
	deskServer  = "Xvfb"
	deskManager = "openbox"
	deskProbe   = "xev"
	deskLook    = "xprop"
	deskManages = 500 * time.Millisecond // within which a new window is managed
	deskAdvice  = "make deps-system"
	deskStarts  = 5 // should a number be taken
)

// Desk is a screen in memory with a window manager, for tests with real programs.
type Desk struct {
	Display string // as ":99"
	Home    string // the home folder of its programs

	t       testing.TB
	server  *os.Process
	session string // address of the session bus; empty: there is none
}

// Signal sends a signal to the X server, as to stop it.
func (d *Desk) Signal(s os.Signal) {
	d.t.Helper()
	if err := d.server.Signal(s); err != nil {
		d.t.Fatal(err)
	}
}

// NewDesk starts an X server with a window manager, which end with the test. It skips the test where they are missing.
func NewDesk(t testing.TB, width, height int) *Desk {
	t.Helper()
	for _, name := range []string{deskServer, deskManager, deskProbe, deskLook} {
		if _, err := exec.LookPath(name); err != nil {
			Skip(t, "the program "+name, deskAdvice)
		}
	}
	d := &Desk{t: t, Home: t.TempDir()}
	for range deskStarts {
		if d.serve(width, height) {
			break
		}
	}
	if d.Display == "" {
		t.Fatalf("%s did not begin", deskServer)
	}
	d.Start(deskManager)
	Eventually(t, "the window manager sees windows", func() (string, bool) { // it overlooks those that come while it begins
		return d.Display, d.managed()
	})
	return d
}

// managed opens a window, and reports whether the window manager has seen it. The window is gone afterwards.
func (d *Desk) managed() bool {
	d.t.Helper()
	ctx, cancel := context.WithCancel(d.t.Context())
	probe := exec.CommandContext(ctx, deskProbe, "-geometry", "20x20")
	probe.Env = d.Environ()
	dieWithParent(probe)
	if err := probe.Start(); err != nil {
		d.t.Fatal(err)
	}
	has := func() bool { return strings.Contains(d.Run(deskLook, "-root", "_NET_CLIENT_LIST"), "0x") }
	seen := false
	for began := time.Now(); !seen && time.Since(began) < deskManages; {
		seen = has()
	}
	cancel()
	_ = probe.Wait() // it is killed
	for began := time.Now(); seen && has() && time.Since(began) < patience; {
	}
	return seen
}

// serve starts the X server under a number of its own, and reports whether it has begun. Servers that look for a free
// number themselves take the same one when they start at once.
func (d *Desk) serve(width, height int) bool {
	d.t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		d.t.Fatal(err)
	}
	defer read.Close()
	number := ":" + strconv.Itoa(1000+rand.IntN(20_000))
	server := exec.CommandContext(d.t.Context(), deskServer, number, "-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", width, height), "-nolisten", "tcp", "-noreset", "-dpi", "96")
	server.ExtraFiles = []*os.File{write}
	d.start(server)
	_ = write.Close()
	if line, err := bufio.NewReader(read).ReadString('\n'); err != nil || ":"+strings.TrimSpace(line) != number {
		return false
	}
	d.Display, d.server = number, server.Process
	return true
}

// Start starts a program on the desk, which ends with the test, and skips the test where the program is missing. The
// result has what the program has printed so far.
func (d *Desk) Start(name string, args ...string) (output func() string) {
	d.t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		Skip(d.t, "the program "+name, deskAdvice)
	}
	cmd := exec.CommandContext(d.t.Context(), name, args...)
	cmd.Env = d.Environ()
	cmd.Dir = d.Home
	return d.start(cmd)
}

// Run runs a program on the desk to its end, and returns what it printed.
func (d *Desk) Run(name string, args ...string) string {
	d.t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		Skip(d.t, "the program "+name, deskAdvice)
	}
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = d.Environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return string(out)
}

// accessLauncher starts the accessibility bus of a session.
const accessLauncher = "/usr/libexec/at-spi-bus-launcher"

// WithAccess starts a session bus and an accessibility bus, which the programs of the desk then use. It skips the
// test where one of them is missing.
func (d *Desk) WithAccess() {
	d.t.Helper()
	session := "unix:path=" + filepath.Join(d.Home, "session")
	d.Start("dbus-daemon", "--session", "--nofork", "--nopidfile", "--address="+session)
	Eventually(d.t, "the session's bus", func() (string, bool) {
		_, err := os.Stat(filepath.Join(d.Home, "session"))
		return "", err == nil
	})
	d.session = session
	d.Start(accessLauncher, "--launch-immediately")
	Eventually(d.t, "the accessibility bus", func() (string, bool) {
		said := d.Run(deskLook, "-root", "AT_SPI_BUS")
		return said, strings.Contains(said, "unix:")
	})
}

// Environ returns the environment of the desk's programs: their settings are files below Home. They know of no
// session bus before WithAccess.
func (d *Desk) Environ() []string {
	bus := []string{"NO_AT_BRIDGE=1", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent"}
	if d.session != "" {
		bus = []string{"DBUS_SESSION_BUS_ADDRESS=" + d.session, "SAL_USE_VCLPLUGIN=gtk3"}
	}
	return append(bus,
		"PATH="+os.Getenv("PATH"), "DISPLAY="+d.Display, "HOME="+d.Home, "XDG_CONFIG_HOME="+filepath.Join(d.Home, ".config"), "LC_ALL=C.UTF-8",
		"XDG_RUNTIME_DIR="+d.Home, "GSETTINGS_BACKEND=keyfile", "GTK_THEME=Adwaita", "GDK_BACKEND=x11",
	)
}

// start starts a child that ends with the test.
func (d *Desk) start(cmd *exec.Cmd) (output func() string) {
	d.t.Helper()
	var out sharedBuffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, time.Second
	dieWithParent(cmd)
	inGroup(cmd)
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed
		close(ended)
	}()
	d.t.Cleanup(func() {
		killGroup(cmd)
		<-ended
		if d.t.Failed() {
			d.t.Logf("%s printed:\n%.4000s", filepath.Base(cmd.Path), out.String())
		}
	})
	return out.String
}

// sharedBuffer is a buffer for several goroutines.
type sharedBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

var _ io.Writer = (*sharedBuffer)(nil)

func (b *sharedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *sharedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}
