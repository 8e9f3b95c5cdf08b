package rig

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// RunsKey is the key of a gateway's runs, which WINDIE_RUNS_API_KEY sets.
const RunsKey = "a key of runs that nobody guesses"

// RunsOf returns a client of a gateway's runs.
func RunsOf(t testing.TB, address string) *sdk.Client {
	t.Helper()
	client, err := sdk.New(address, sdk.WithRunsKey(RunsKey))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Work runs `windie worker` with a folder until the test ends.
func Work(t testing.TB, address, dir string, flags ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var out, complaint Output
	ended := make(chan int, 1)
	args := append([]string{"worker", "--gateway", address, "--dir", dir, "--program", "sh"}, flags...)
	environ := []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_RUNS_API_KEY=" + RunsKey}
	go func() { ended <- Run(ctx, args, environ, nil, &out, &complaint) }()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != 0 || t.Failed() {
			t.Errorf("the worker ended with %d:\n%s", code, complaint.String())
		}
	})
}

// AskRun asks for a run.
func AskRun(t testing.TB, client *sdk.Client, query string, files ...sdkapi.RunFile) sdkapi.Run {
	t.Helper()
	answer, err := client.Runs.Create(t.Context(), sdkapi.RunRequest{WorkspaceID: "default", AgentID: "clerk", Query: query, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Run
}

// Script writes a script into a worker's folder, and returns what has the agent run it there.
func Script(t testing.TB, dir, text string) (query string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "job.sh"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return `run process_run {"program":"sh","args":["job.sh"]}`
}

// FollowRun returns the types of a run's events, until its end, and all that they hold.
func FollowRun(t testing.TB, client *sdk.Client, id string) (kinds []string, all string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for e, err := range client.Runs.Follow(ctx, id, 0) {
		if err != nil {
			t.Fatalf("after %v: %v", kinds, err)
		}
		kinds, all = append(kinds, e.EventType), all+string(e.Payload)
	}
	return kinds, all
}

// RunEnded fails unless a run has this status.
func RunEnded(t testing.TB, client *sdk.Client, id, status string) {
	t.Helper()
	run, err := client.Runs.Get(t.Context(), id)
	if err != nil || run.Status != status {
		t.Errorf("%+v, %v; want %s", run, err, status)
	}
}
