//go:build system

package guides_test

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// A dashboard and two workers that were written from the reference alone drive a run from its request to its stop. The
// worker that has it is killed on the way: nothing is lost, and nothing is there twice.
func TestDocumentedRuns(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		testkit.Skip(t, "python3", "your system's package python3")
	}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		documentedRun(t)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		documentedRun(t, "WINDIE_DATABASE_URL="+pgtest.Start(t))
	})
}

// said is a line of a client: what a worker did, or an event that a dashboard saw, or its end.
type said struct {
	Did       string
	N         int
	EventType string `json:"event_type"`

	Payload struct{ Payload struct{ N int } }
	Ended   bool
	Status  string
	Events  int
	InOrder bool `json:"seqs_in_order"`
}

// client is a process of gateway/testdata/documented/runs.py.
type client struct {
	cmd  *exec.Cmd
	mu   sync.Mutex
	all  []said
	over chan struct{}
}

func startClient(t *testing.T, address, role string, args ...string) *client {
	t.Helper()
	program := filepath.Join(testkit.RepoRoot(t), "gateway", "testdata", "documented", "runs.py")
	c := &client{over: make(chan struct{})}
	c.cmd = exec.CommandContext(t.Context(), "python3", slices.Concat([]string{"-B", program, role}, args, []string{"--key", rig.RunsKey, "--workspace", "home", address})...)
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.over)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var s said
			if json.Unmarshal(lines.Bytes(), &s) != nil {
				continue // the run's id
			}
			c.mu.Lock()
			c.all = append(c.all, s)
			c.mu.Unlock()
		}
		_, _ = io.Copy(io.Discard, out)
		_ = c.cmd.Wait()
	}()
	t.Cleanup(c.kill)
	return c
}

func (c *client) kill() {
	_ = c.cmd.Process.Kill()
	<-c.over
}

func (c *client) lines() []said {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.all)
}

// relayed returns how often each event of a worker was accepted, by its number.
func (c *client) relayed() map[int]int {
	n := map[int]int{}
	for _, s := range c.lines() {
		if s.Did == "relayed" {
			n[s.N]++
		}
	}
	return n
}

func documentedRun(t *testing.T, variables ...string) {
	address := rig.Serve(t, append(variables, "WINDIE_RUNS_API_KEY="+rig.RunsKey, "WINDIE_RUNS_LEASE=2s")...)
	dashboard := startClient(t, address, "dashboard", "--stop-after", "30", "--pause-seconds", "1.5")
	first := startClient(t, address, "worker", "--worker-id", "first")
	testkit.Eventually(t, "the first worker's events", func() (map[int]int, bool) {
		n := first.relayed()
		return n, len(n) >= 8
	})
	second := startClient(t, address, "worker", "--worker-id", "second")
	first.kill()
	select {
	case <-dashboard.over:
	case <-time.After(2 * time.Minute):
		t.Fatalf("the dashboard sees no end: %+v", dashboard.lines())
	}
	seen := dashboard.lines()
	last := seen[len(seen)-1]
	if !last.Ended || last.Status != sdkapi.RunStopped || !last.InOrder {
		t.Errorf("the end is %+v", last)
	}
	var timeline []map[int]int // by the worker, how often each of its events is there
	for _, s := range seen {
		switch {
		case s.EventType == sdkapi.RunAssigned:
			timeline = append(timeline, map[int]int{})
		case s.Payload.Payload.N != 0:
			timeline[len(timeline)-1][s.Payload.Payload.N]++
		}
	}
	if len(timeline) != 2 {
		t.Fatalf("the run had %d workers", len(timeline))
	}
	for i, relayed := range []map[int]int{first.relayed(), second.relayed()} {
		for _, n := range slices.Sorted(maps.Keys(relayed)) {
			unseen := i == 1 && n >= 30-len(timeline[0]) // it may have come behind the end
			if timeline[i][n] != 1 && !unseen {
				t.Errorf("event %d of worker %d is there %d times", n, i+1, timeline[i][n])
			}
		}
		for n, times := range timeline[i] {
			if times != 1 {
				t.Errorf("event %d of worker %d is there %d times", n, i+1, times)
			}
		}
	}
}
