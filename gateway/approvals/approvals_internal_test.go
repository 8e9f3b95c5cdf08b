package approvals

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

// TestApprovalIsUsedOnce checks that only one of two callers can use an approval, and that the next
// call asks again. Another tool, other arguments or another user need another question.
func TestApprovalIsUsedOnce(t *testing.T) {
	t.Parallel()
	log := journaltest.NewMemory()
	defer log.Close()
	all := Approvals{Log: log}
	ask := func(user, tool, arguments string) journal.Decision {
		d, err := all.Ask(t.Context(), user, Asked{Tool: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	first := ask("ada", "shell.run", `{"a":1,"b":2}`)
	changed, err := all.Ask(t.Context(), "ada", Asked{Tool: "shell.run", Of: "another hash", Arguments: json.RawMessage(`{"a":1,"b":2}`)})
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]journal.Decision{
		"another tool of the name": changed,
		"another user":             ask("bob", "shell.run", `{"a":1,"b":2}`), "another tool": ask("ada", "shell.stop", `{"a":1,"b":2}`), "other arguments": ask("ada", "shell.run", `{"a":1}`),
	} {
		t.Run(name, func(t *testing.T) {
			if other.ID == first.ID {
				t.Errorf("%s: the same question", name)
			}
		})
	}
	if _, err := log.Decide(t.Context(), first.ID, journal.Decider{User: "ada"}, journal.Answer{}); err != nil {
		t.Fatal(err)
	}
	one, two := ask("ada", "shell.run", `{"b":2,"a":1}`), ask("ada", "shell.run", `{"a":1,"b":2}`)
	if one.ID != first.ID || two.ID != first.ID || one.State != journal.Decided {
		t.Fatalf("approved: %+v, %+v", one, two)
	}
	for i, want := range []bool{true, false, false} {
		if got, err := all.Use(t.Context(), one); got != want || err != nil {
			t.Errorf("use %d: %v, %v", i, got, err)
		}
	}
	if again := ask("ada", "shell.run", `{"a":1,"b":2}`); again.ID == first.ID || again.State != journal.Pending {
		t.Errorf("after its use: %+v", again)
	}
}

// TestQuestionsAreBounded checks the maximum number of pending questions of a user.
func TestQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	log := journaltest.NewMemory()
	defer log.Close()
	all := Approvals{Log: log}
	for i := range maxAsked + 1 {
		arguments, err := json.Marshal(map[string]int{"n": i})
		if err != nil {
			t.Fatal(err)
		}
		_, err = all.Ask(t.Context(), "ada", Asked{Tool: "shell.run", Arguments: arguments})
		if (err != nil) != (i == maxAsked) {
			t.Errorf("question %d: %v", i, err)
		}
	}
	if _, err := all.Ask(t.Context(), "bob", Asked{Tool: "shell.run", Arguments: json.RawMessage(`{}`)}); err != nil {
		t.Errorf("another user: %v", err)
	}
}

// TestOneCallAgainAndAgain checks how often the same call can ask in one window. An answer must be
// valid for its whole time, at whatever time in a window the question was asked.
func TestOneCallAgainAndAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := journaltest.NewMemory()
		defer log.Close()
		all := Approvals{Log: log}
		ask := func() (journal.Decision, error) {
			return all.Ask(t.Context(), "ada", Asked{Tool: "git.commit", Arguments: json.RawMessage(`{}`)})
		}
		decide := func(d journal.Decision, denied bool) {
			if _, err := log.Decide(t.Context(), d.ID, journal.Decider{User: "ada"}, journal.Answer{Denied: denied}); err != nil {
				t.Fatal(err)
			}
		}
		for window, rounds := range []int{maxRounds, 5} {
			for round := range rounds {
				d, err := ask()
				if err != nil || d.State != journal.Pending {
					t.Fatalf("question %d of window %d: %s, %v", round, window, d.State, err)
				}
				decide(d, false)
				if first, err := all.Use(t.Context(), d); !first || err != nil {
					t.Fatal(first, err)
				}
			}
			if _, err := ask(); (fault.CodeOf(err) == sdkapi.RateLimited) != (rounds == maxRounds) {
				t.Errorf("after %d questions in window %d: %v", rounds, window, err)
			}
			time.Sleep(askWindow)
		}
		for minute := range 10 {
			time.Sleep(3*askWindow + time.Minute)
			first, err := ask()
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(askWindow - time.Millisecond)
			if d, err := ask(); err != nil || d.ID != first.ID {
				t.Errorf("minute %d, before it expires: %s, %v", minute, d.State, err)
			}
			decide(first, minute%2 == 0)
			time.Sleep(approvalHolds - time.Millisecond)
			if d, err := ask(); err != nil || d.ID != first.ID || d.State != journal.Decided {
				t.Errorf("minute %d, while the answer counts: %s, %v", minute, d.State, err)
			}
			time.Sleep(time.Millisecond)
			if d, err := ask(); err != nil || d.ID == first.ID || d.State != journal.Pending {
				t.Errorf("minute %d, when it counts no longer: %s, %v", minute, d.State, err)
			}
		}
	})
}
