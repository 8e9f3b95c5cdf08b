//go:build unix

package mcptools

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// A gateway without any of the inherited variables gives a server no variables at all.
func TestServersOfABareGatewayGetNoSecrets(t *testing.T) {
	t.Setenv("WINDIE_OPERATOR_TOKEN", "of the gateway")
	for _, name := range inherited {
		t.Setenv(name, "") // it restores the variable after the test
		os.Unsetenv(name)
	}
	var mu sync.Mutex
	var lines []string
	p, err := startProcess(&Spec{Command: "/bin/sh", Args: []string{"-c", `echo "token:$WINDIE_OPERATOR_TOKEN" >&2`}}, func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	})
	if err != nil {
		t.Fatal(err)
	}
	<-p.exited
	p.readers.Wait() // its output has ended
	p.Close()
	if got := strings.Join(lines, "\n"); got != "token:" {
		t.Errorf("the program printed %q", got)
	}
}
