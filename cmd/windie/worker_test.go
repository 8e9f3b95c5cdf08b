package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

const runsKey = "a key of runs that nobody guesses"

// runsOf returns a client of a gateway's runs.
func runsOf(t *testing.T, address string) *sdk.Client {
	t.Helper()
	client, err := sdk.New(address, sdk.WithRunsKey(runsKey))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// workForTest runs `windie worker` with a folder until the test ends.
func workForTest(t *testing.T, address, dir string, flags ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var out, complaint output
	ended := make(chan int, 1)
	args := append([]string{"worker", "--gateway", address, "--dir", dir, "--program", "sh"}, flags...)
	environ := []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_RUNS_API_KEY=" + runsKey, "PATH=" + os.Getenv("PATH")}
	go func() { ended <- run(ctx, args, environ, nil, &out, &complaint) }()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != 0 || t.Failed() {
			t.Errorf("the worker ended with %d:\n%s", code, complaint.String())
		}
	})
}

// asked asks for a run.
func asked(t *testing.T, client *sdk.Client, query string, files ...sdkapi.RunFile) sdkapi.Run {
	t.Helper()
	answer, err := client.Runs.Create(t.Context(), sdkapi.RunRequest{WorkspaceID: "default", AgentID: "clerk", Query: query, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Run
}

// script writes a script into a worker's folder, and returns what has the agent run it there.
func script(t *testing.T, dir, text string) (query string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "job.sh"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return `run process_run {"program":"sh","args":["job.sh"]}`
}

// followed returns the types of a run's events, until its end, and all that they hold.
func followed(t *testing.T, client *sdk.Client, id string) (kinds []string, all string) {
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

func ended(t *testing.T, client *sdk.Client, id, status string) {
	t.Helper()
	run, err := client.Runs.Get(t.Context(), id)
	if err != nil || run.Status != status {
		t.Errorf("%+v, %v; want %s", run, err, status)
	}
}

// A run goes from a dashboard to a worker, whose machine does what the agent calls, with the run's files.
func TestWorker(t *testing.T) {
	t.Parallel()
	address, dir := serveForTest(t, "WINDIE_RUNS_API_KEY="+runsKey, "WINDIE_RUNS_LEASE=6s"), t.TempDir()
	client := runsOf(t, address)
	stored, err := client.UploadArtifact(t.Context(), "letter.txt", strings.NewReader("Dear Ada"))
	if err != nil {
		t.Fatal(err)
	}
	workForTest(t, address, dir, "--unattended")
	first := asked(t, client, "what tools are there", sdkapi.RunFile{ArtifactID: stored.ArtifactID, Filename: "../letter.txt"})
	followed(t, client, first.RunID)
	run := asked(t, client, script(t, dir, "cat runs/*/letter.txt && echo done > done.txt"))
	kinds, all := followed(t, client, run.RunID)
	ended(t, client, run.RunID, sdkapi.RunCompleted)
	at := 0
	for _, kind := range []string{
		sdkapi.RunCreated, sdkapi.RunAssigned, sdkapi.RunDispatched, sdkapi.WSSystemPrompt, sdkapi.WSToolCall, sdkapi.WSToolOutput, sdkapi.WSStreamingComplete, sdkapi.RunEnded,
	} {
		i := slices.Index(kinds[at:], kind)
		if i < 0 {
			t.Fatalf("no %s in order in %v", kind, kinds)
		}
		at += i + 1
	}
	if !strings.Contains(all, "Dear Ada") {
		t.Errorf("the file is not in what the program wrote: %v", kinds)
	}
	if made, err := os.ReadFile(filepath.Join(dir, "done.txt")); err != nil || string(made) != "done\n" {
		t.Errorf("%s, %v", made, err)
	}
	next := asked(t, client, `run file_read {"path":"done.txt"}`)
	if _, all := followed(t, client, next.RunID); !strings.Contains(all, "done") {
		t.Errorf("the second run: %s", all)
	}
}

// Files of runs take the place of none that are there, and a worker that only reads takes no files.
func TestWorkerKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	address := serveForTest(t, "WINDIE_RUNS_API_KEY="+runsKey)
	client := runsOf(t, address)
	stored, err := client.UploadArtifact(t.Context(), "x", strings.NewReader("another"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		flags  []string
		status string
		taken  int
	}{"writes": {nil, sdkapi.RunCompleted, 2}, "reads": {[]string{"--read-only"}, sdkapi.RunFailed, 0}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "Makefile"), []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
			workForTest(t, address, dir, c.flags...)
			file := sdkapi.RunFile{ArtifactID: stored.ArtifactID, Filename: "Makefile"}
			run := asked(t, client, "what tools are there", file, file)
			followed(t, client, run.RunID)
			ended(t, client, run.RunID, c.status)
			if got, err := os.ReadFile(filepath.Join(dir, "Makefile")); err != nil || string(got) != "mine" {
				t.Errorf("%q, %v", got, err)
			}
			one, _ := filepath.Glob(filepath.Join(dir, "runs", run.RunID, "Makefile"))
			two, _ := filepath.Glob(filepath.Join(dir, "runs", run.RunID, "2", "Makefile"))
			if len(one)+len(two) != c.taken {
				t.Errorf("%v, %v", one, two)
			}
		})
	}
}

// A worker with another key than the gateway's ends, and says what to do.
func TestWorkerWithoutKey(t *testing.T) {
	t.Parallel()
	address := serveForTest(t, "WINDIE_RUNS_API_KEY="+runsKey)
	var out, complaint output
	environ := []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_RUNS_API_KEY=another key that nobody guesses either"}
	code := run(t.Context(), []string{"worker", "--gateway", address, "--dir", t.TempDir()}, environ, nil, &out, &complaint)
	if code == 0 || !strings.Contains(complaint.String(), "set WINDIE_RUNS_API_KEY to the gateway's") {
		t.Errorf("%d: %s", code, complaint.String())
	}
}

// A worker that is attended to waits for a person before it runs a program.
func TestWorkerAsks(t *testing.T) {
	t.Parallel()
	address, dir := serveForTest(t, "WINDIE_RUNS_API_KEY="+runsKey, "WINDIE_RUNS_LEASE=6s"), t.TempDir()
	client := runsOf(t, address)
	workForTest(t, address, dir)
	run := asked(t, client, script(t, dir, "echo x > x.txt"))
	testkit.Eventually(t, "the run waits for a person", func() (*sdkapi.Run, bool) {
		run, err := client.Runs.Get(t.Context(), run.RunID)
		return run, err == nil && run.NeedsHuman
	})
	if _, err := client.Runs.Control(t.Context(), run.RunID, sdkapi.RunControlRequest{Action: sdkapi.RunStop}); err != nil {
		t.Fatal(err)
	}
	followed(t, client, run.RunID)
	ended(t, client, run.RunID, sdkapi.RunStopped)
	if _, err := os.Stat(filepath.Join(dir, "x.txt")); err == nil {
		t.Error("the program was run")
	}
	again := asked(t, client, "what tools are there") // the worker is free again
	followed(t, client, again.RunID)
	ended(t, client, again.RunID, sdkapi.RunCompleted)
}

// A paused run calls nothing until it is resumed, and neither does one that a person has taken over.
func TestWorkerPauses(t *testing.T) {
	t.Parallel()
	address, dir := serveForTest(t, "WINDIE_RUNS_API_KEY="+runsKey, "WINDIE_RUNS_LEASE=6s"), t.TempDir()
	client := runsOf(t, address)
	workForTest(t, address, dir, "--unattended")
	run := asked(t, client, script(t, dir, "echo 1 >> log; while ! test -e go; do sleep 0.05; done"))
	isThere := func(name string) func() (string, bool) {
		return func() (string, bool) {
			made, err := os.ReadFile(filepath.Join(dir, name))
			return string(made), err == nil
		}
	}
	testkit.Eventually(t, "the program runs", isThere("log"))
	control := func(in sdkapi.RunControlRequest) {
		t.Helper()
		done, err := client.Runs.Control(t.Context(), run.RunID, in)
		if err != nil || done.Command == nil {
			t.Fatalf("%+v, %v", done, err)
		}
		testkit.Eventually(t, "the worker has the command", func() (string, bool) {
			page, err := client.Runs.Events(t.Context(), run.RunID, 0, 1000)
			if err != nil {
				return err.Error(), false
			}
			all := ""
			for _, e := range page.Events {
				all += e.EventType + string(e.Payload)
			}
			return all, strings.Contains(all, sdkapi.RunControlApplied+`{"action":"`+done.Command.Action+`","command_id":"`+done.Command.CommandID)
		})
	}
	control(sdkapi.RunControlRequest{Action: sdkapi.RunPause})
	control(sdkapi.RunControlRequest{Action: sdkapi.RunSetControlMode, ControlMode: sdkapi.RunHumanOverride})
	control(sdkapi.RunControlRequest{Action: sdkapi.RunResume})
	control(sdkapi.RunControlRequest{Action: sdkapi.RunSetControlMode, ControlMode: sdkapi.RunSharedControl})
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	followed(t, client, run.RunID)
	ended(t, client, run.RunID, sdkapi.RunCompleted)
	if text, _ := isThere("log")(); text != "1\n" {
		t.Errorf("the program ran as %q", text)
	}
}

// A message of a run that the gateway does not take ends the run, and whoever looks at it learns why and what to do. The next
// run is carried out.
func TestWorkerIsRefused(t *testing.T) {
	t.Parallel()
	url, dir := serveForTest(t, "WINDIE_RUNS_API_KEY="+runsKey, "WINDIE_RUNS_LEASE=6s"), t.TempDir()
	address, control := gatewaytest.Behind(t, url)
	client := runsOf(t, url)
	workForTest(t, address, dir, "--unattended")
	run := asked(t, client, script(t, dir, "echo 1 >> log; while ! test -e go; do sleep 0.05; done"))
	testkit.Eventually(t, "the program runs", func() (string, bool) {
		made, err := os.ReadFile(filepath.Join(dir, "log"))
		return string(made), err == nil
	})
	events := strings.Replace(sdkapi.RunEventsPath, "{run_id}", run.RunID, 1)
	faults, err := json.Marshal([]gatewaytest.Fault{{Path: events, Times: 1, Status: http.StatusRequestEntityTooLarge, Body: "too much"}})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(control+"/faults", "", bytes.NewReader(faults)) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, all := followed(t, client, run.RunID); !strings.Contains(all, "413 Request Entity Too Large") || !strings.Contains(all, "configure the gateway, and a proxy in front of it, to accept bodies of 1 MiB") {
		t.Errorf("%s", all)
	}
	ended(t, client, run.RunID, sdkapi.RunFailed)
	again := asked(t, client, "what tools are there")
	followed(t, client, again.RunID)
	ended(t, client, again.RunID, sdkapi.RunCompleted)
}
