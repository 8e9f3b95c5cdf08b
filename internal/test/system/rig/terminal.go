package rig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
)

// Terminal is a terminal in which a person types, with the program in it.
type Terminal struct {
	t      testing.TB
	socket string
}

// InTerminal starts the program with arguments in a terminal of its own, in a folder.
func InTerminal(t testing.TB, dir, data string, args ...string) *Terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		testkit.Skip(t, "tmux", "your system's package tmux")
	}
	program := Program(t)
	folder, err := os.MkdirTemp("", "tmux") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	x := &Terminal{t, filepath.Join(folder, "s")}
	var line strings.Builder
	fmt.Fprintf(&line, "env -i TERM=xterm-256color PATH=%s HOME=%s WINDIE_DATA_DIR=%s %s", os.Getenv("PATH"), data, data, program)
	for _, arg := range args {
		line.WriteString(" '" + arg + "'")
	}
	line.WriteString("; echo ended with $?; exec cat")
	x.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "-c", dir, line.String())
	x.tmux("set-option", "-g", "history-limit", "10000")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen:\n%s", x.All())
		}
		x.tmux("kill-server")
		_ = os.RemoveAll(folder)
	})
	return x
}

func (x *Terminal) tmux(args ...string) string {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// All returns the screen and what has gone from it.
func (x *Terminal) All() string { return x.tmux("capture-pane", "-p", "-S", "-") }

// Types types a text.
func (x *Terminal) Types(text string) { x.tmux("send-keys", "-l", text) }

// Press presses keys, by tmux's names.
func (x *Terminal) Press(keys ...string) { x.tmux(append([]string{"send-keys"}, keys...)...) }

// Allows answers a question with a key, once it has been shown for long enough to be read.
func (x *Terminal) Allows(key string) {
	time.Sleep(600 * time.Millisecond)
	x.Press(key)
}

// Says types a line, and sends it.
func (x *Terminal) Says(text string) {
	x.Types(text)
	x.Press("Enter")
}

// Shows waits until the screen has all texts.
func (x *Terminal) Shows(texts ...string) string {
	x.t.Helper()
	return testkit.Eventually(x.t, fmt.Sprintf("the screen shows %q", texts), func() (string, bool) {
		all := x.All()
		for _, text := range texts {
			if !strings.Contains(all, text) {
				return all, false
			}
		}
		return all, true
	})
}
