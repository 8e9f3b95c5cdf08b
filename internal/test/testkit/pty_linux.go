package testkit

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// Terminal returns a pseudo-terminal for a program to write to, and a function that returns all that it has drawn by now.
// Both are closed when the test ends.
func Terminal(t testing.TB) (tty *os.File, drawn func() string) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		Skip(t, "/dev/ptmx", "mount devpts")
	}
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	size := unix.Winsize{Row: 24, Col: 80}
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &size); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var text strings.Builder
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		part := make([]byte, 4096)
		for {
			n, err := screen.Read(part)
			mu.Lock()
			text.Write(part[:n])
			mu.Unlock()
			if err != nil { // EIO once nobody has the terminal any more
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = tty.Close()
		<-ended
		_ = screen.Close()
	})
	return tty, func() string {
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
}
