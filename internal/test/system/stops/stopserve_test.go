//go:build system

package stops_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// slow is what a model says in the tests of stopping: eight words, one each 300
// ms.
var slow = modelstest.Reply{
	Text: strings.SplitAfter("one two three four five six seven eight", " "), Delay: 300 * time.Millisecond, Usage: models.Usage{Input: 5, Output: 8},
}

// endless is an answer that no test sees the end of: a word each 300 ms for five
// minutes.
var endless = modelstest.Reply{Text: slices.Repeat([]string{"on "}, 1000), Delay: 300 * time.Millisecond}

// slowModel returns what makes a gateway ask a server of a model that is slow.
func slowModel(t *testing.T) (*modelstest.Server, []string) {
	t.Helper()
	return rig.ModelThatSays(t, slow)
}

// prompting is a prompt under way at a gateway.
type prompting struct {
	id     string
	ended  <-chan []sdk.PromptEvent // all events, once the stream has ended
	cancel context.CancelFunc
}

// prompt begins a prompt, and returns when some pieces of the answer have come.
func prompt(t *testing.T, url string, pieces int) prompting {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	enough, ended := make(chan string, 1), make(chan []sdk.PromptEvent, 1)
	go func() {
		var events []sdk.PromptEvent
		id, deltas := "", 0
		for e, err := range user(t, url).Prompts.Start(ctx, sdkapi.PromptStart{Input: "count", Deltas: true}) {
			if err != nil {
				break
			}
			events = append(events, e)
			if e.Created != nil {
				id = e.Created.PromptID
			}
			if e.Delta != nil {
				deltas++
			}
			if deltas == pieces {
				enough <- id
				pieces = -1
			}
		}
		ended <- events
	}()
	select {
	case id := <-enough:
		return prompting{id, ended, cancel}
	case <-time.After(time.Minute):
		t.Fatal("the model's words do not come")
		return prompting{}
	}
}

func user(t *testing.T, url string) *sdk.Client {
	t.Helper()
	client, err := sdk.New(url, sdk.WithUser("ada"))
	if err != nil {
		t.Error(err)
	}
	return client
}

// outcome returns all events of a prompt, from the first on.
func outcome(t *testing.T, url, id string) []sdk.PromptEvent {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var events []sdk.PromptEvent
	for e, err := range user(t, url).Prompts.Events(ctx, id, "", true) {
		if err != nil {
			t.Fatalf("%v, behind %d events", err, len(events))
		}
		events = append(events, e)
	}
	return events
}

// wholeOnce fails unless events have the slow answer once, and all of it.
func wholeOnce(t *testing.T, events []sdk.PromptEvent) {
	t.Helper()
	var outputs []string
	for _, e := range events {
		if e.Output != nil {
			outputs = append(outputs, e.Output.Content)
		}
	}
	if want := strings.Join(slow.Text, ""); len(outputs) != 1 || outputs[0] != want {
		t.Errorf("the answers are %q, want one of %q", outputs, want)
	}
	last := events[len(events)-1]
	if last.Completed == nil || last.Completed.Usage.InputTokens != slow.Usage.Input || last.Completed.Usage.OutputTokens != slow.Usage.Output {
		t.Errorf("the last event is %+v", last)
	}
}

// untilAsked waits until the model was asked so often, and returns when.
func untilAsked(t *testing.T, server *modelstest.Server, times int) time.Time {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("the model is asked %d times", times), func() (int, bool) {
		n := len(server.Asked())
		return n, n >= times
	})
	return time.Now()
}

// soonEnough bounds how long a turn that was left waits for a gateway. It should
// be two seconds, and is more here for machines that are busy; a lease would
// take thirty.
const soonEnough = 6 * time.Second

// However a gateway ends in the middle of an answer, the next one on the same
// folder begins that again, soon, and it is whole and there once.
func TestServeStopped(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]os.Signal{"told to stop": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, variables := slowModel(t)
			variables = append(variables, "WINDIE_DATA_DIR="+t.TempDir(), "WINDIE_DRAIN_TIMEOUT=300ms")
			first := rig.Start(t, nil, variables...)
			p := prompt(t, first.URL, 2)
			first.Signal(end)
			if code := first.Cmd.ProcessState.ExitCode(); end == syscall.SIGTERM && code != 0 {
				t.Errorf("the gateway ended with %v", first.Cmd.ProcessState)
			}
			p.cancel()
			for _, e := range <-p.ended {
				if e.Output != nil || e.Completed != nil || e.Failed != nil {
					t.Errorf("before the stop there was %+v", e)
				}
			}
			second := rig.Start(t, nil, variables...)
			began := time.Now()
			if took := untilAsked(t, server, 2).Sub(began); took > soonEnough {
				t.Errorf("the turn goes on after %v", took)
			} else {
				t.Logf("the turn goes on after %v", took)
			}
			wholeOnce(t, outcome(t, second.URL, p.id))
			second.Signal(syscall.SIGTERM)
		})
	}
}

// A gateway that gets a signal to stop lets a turn end that has the time, sends its
// end to clients that watch, and ends then, and not later.
func TestServeDrains(t *testing.T) {
	t.Parallel()
	server, variables := slowModel(t)
	p := rig.Start(t, nil, append(variables, "WINDIE_DATA_DIR="+t.TempDir(), "WINDIE_DRAIN_TIMEOUT=50s")...)
	watched := prompt(t, p.URL, 2)
	if took := p.Signal(syscall.SIGTERM); took > 40*time.Second {
		t.Errorf("the gateway ended after %v, long after the turn", took)
	}
	if !p.Cmd.ProcessState.Success() {
		t.Errorf("the gateway ended with %v", p.Cmd.ProcessState)
	}
	wholeOnce(t, <-watched.ended)
	if n := len(server.Asked()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

// A second signal ends a gateway at once that waits for a turn.
func TestServeStoppedTwice(t *testing.T) {
	t.Parallel()
	_, variables := rig.ModelThatSays(t, endless)
	p := rig.Start(t, nil, append(variables, "WINDIE_DATA_DIR="+t.TempDir(), "WINDIE_DRAIN_TIMEOUT=50s")...)
	watched := prompt(t, p.URL, 1)
	defer watched.cancel()
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the gateway drains", func() (any, bool) {
		select {
		case <-p.Ended:
			t.Fatal("the first signal ended it")
		default:
		}
		ready, err := user(t, p.URL).Ready(t.Context())
		return err, err == nil && !ready.Healthy
	})
	p.Signal(syscall.SIGTERM)
	if state, ok := p.Cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || state.Signal() != syscall.SIGTERM {
		t.Errorf("the gateway ended with %v", p.Cmd.ProcessState)
	}
}

// In a cluster another gateway takes a turn up soon after its own was told to
// stop.
func TestServeHandsOver(t *testing.T) {
	t.Parallel()
	server, variables := slowModel(t)
	variables = append(variables, "WINDIE_DATABASE_URL="+pgtest.Start(t), "WINDIE_DRAIN_TIMEOUT=100ms")
	first := rig.Start(t, nil, append(variables, "WINDIE_DATA_DIR="+t.TempDir())...)
	second := rig.Start(t, nil, append(variables, "WINDIE_DATA_DIR="+t.TempDir())...)
	p := prompt(t, first.URL, 2)
	first.Signal(syscall.SIGTERM)
	ended := time.Now()
	p.cancel()
	if took := untilAsked(t, server, 2).Sub(ended); took > soonEnough {
		t.Errorf("the other gateway goes on after %v", took)
	} else {
		t.Logf("the other gateway goes on after %v", took)
	}
	wholeOnce(t, outcome(t, second.URL, p.id))
}
