package testkit

import (
	"bytes"
	"encoding/binary"
	"os"
	"syscall"
	"testing"
)

// Watch has the system note what happens in a folder, until the test ends. The function that it returns
// lists what has happened since, as "to NAME" for what was renamed into the folder, "gone NAME" for what was
// removed, and "opened" for the folder itself, which is how a sync of it begins.
func Watch(t testing.TB, dir string) func() []string {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err == nil {
		_, err = syscall.InotifyAddWatch(fd, dir, syscall.IN_MOVED_TO|syscall.IN_DELETE|syscall.IN_OPEN)
	}
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "inotify")
	t.Cleanup(func() { _ = file.Close() })
	return func() (events []string) {
		buffer := make([]byte, 64<<10)
		n, err := syscall.Read(fd, buffer) // it has whatever happened before, and never waits
		if err != nil && err != syscall.EAGAIN {
			t.Fatal(err)
		}
		for rest := buffer[:max(n, 0)]; len(rest) >= syscall.SizeofInotifyEvent; {
			mask, length := binary.NativeEndian.Uint32(rest[4:]), binary.NativeEndian.Uint32(rest[12:])
			name := string(bytes.TrimRight(rest[syscall.SizeofInotifyEvent:syscall.SizeofInotifyEvent+length], "\x00"))
			rest = rest[syscall.SizeofInotifyEvent+length:]
			switch {
			case mask&syscall.IN_MOVED_TO != 0:
				events = append(events, "to "+name)
			case mask&syscall.IN_DELETE != 0:
				events = append(events, "gone "+name)
			case mask&syscall.IN_OPEN != 0 && name == "":
				events = append(events, "opened")
			}
		}
		return events
	}
}
