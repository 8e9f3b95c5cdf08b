//go:build unix

package mcptools_test

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The programs that a server started end with it.
func TestNoProcessIsLeft(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"up": upstream("good")})
	s.until("a server", "up", ready)
	res, err := s.invoke("up.orphan", `{"n":1}`)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(words(res))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	for range 200 {
		if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the process %d goes on", pid)
}
