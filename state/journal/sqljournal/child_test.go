//go:build system

package sqljournal_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal/sqljournal"
)

// childEnv names the variable that makes this test program another process of
// a test: what it is to do, and on what.
const childEnv = "WINDIE_SQLJOURNAL_CHILD"

// child is such a process.
type child struct {
	cmd   *exec.Cmd
	lines <-chan string // what it prints; closed when it ends
}

// startChild starts one, which ends with the test.
func startChild(t testing.TB, args ...string) *child {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(program)}
	c.cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(args, "\n"))
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.cmd.StdinPipe(); err != nil { // the child ends when this one does
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1024)
	c.lines = lines
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	t.Cleanup(c.kill)
	return c
}

// kill ends the process at once, as a power cut ends a gateway. It may be called
// twice, and wants its lines read.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	for range c.lines {
		continue
	}
	_ = c.cmd.Wait()
}

func init() { // a child does what a parent started it for, and runs no tests
	if what := os.Getenv(childEnv); what != "" {
		beChild(strings.Split(what, "\n"))
		os.Exit(0)
	}
}

func beChild(args []string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the parent is gone
		cancel()
	}()
	switch args[0] {
	case "follow":
		childFollow(ctx, database.Config{URL: args[1]}, args[2])
	case "hold":
		childHold(ctx, database.Config{File: args[1]}, args[2])
	case "work":
		childWork(ctx, database.Config{File: args[1]}, args[2])
	}
}

// childOpen opens the journal of a child, which ends with the process.
func childOpen(ctx context.Context, config database.Config) *sqljournal.Journal {
	db, err := database.Open(ctx, config)
	if err != nil {
		panic(err)
	}
	j, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		panic(err)
	}
	return j
}

// childFollow prints the time of each event.
func childFollow(ctx context.Context, config database.Config, stream string) {
	j := childOpen(ctx, config)
	fmt.Println("following")
	for _, err := range j.Follow(ctx, stream, 0) {
		if err != nil {
			return
		}
		fmt.Println(time.Now().UnixNano())
	}
}
