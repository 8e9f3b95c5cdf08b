//go:build unix

package mcptools_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
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
	testkit.Eventually(t, fmt.Sprintf("the process %d ends", pid), func() (string, bool) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return string(stat), syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(stat), ") Z ")
	})
}
