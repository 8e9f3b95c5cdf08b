package journal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

// A reader that returns with the last number that it has seen gets all later events.
func Example() {
	var log journal.Journal = journaltest.NewMemory()
	defer log.Close()
	ctx := context.Background()
	last, err := log.Append(ctx, "session/42",
		journal.Event{Kind: "turn.started", Data: json.RawMessage(`{"turn":1}`)},
		journal.Event{Kind: "turn.ended", Data: json.RawMessage(`{"turn":1}`)})
	fmt.Println(last, err)
	for event, err := range log.Follow(ctx, "session/42", 1) {
		if err != nil {
			panic(err)
		}
		fmt.Println(event.Seq, event.Kind, string(event.Data))
		break // it would wait for the next one
	}
	// Output:
	// 2 <nil>
	// 2 turn.ended {"turn":1}
}

// One event replaces the trimmed events.
func ExampleLog_trim() {
	var log journal.Log = journaltest.NewMemory()
	ctx := context.Background()
	for _, kind := range []string{"a", "b", "c"} {
		if _, err := log.Append(ctx, "s", journal.Event{Kind: kind}); err != nil {
			panic(err)
		}
	}
	if err := log.Trim(ctx, "s", 3, json.RawMessage(`{"seen":["a","b"]}`)); err != nil {
		panic(err)
	}
	events, err := log.Read(ctx, "s", 0, 10)
	if err != nil {
		panic(err)
	}
	for _, event := range events {
		fmt.Println(event.Seq, event.Kind, string(event.Data))
	}
	// Output:
	// 2 resync {"seen":["a","b"]}
	// 3 c null
}

// A call waits until a person approves it once.
func ExampleDecisions() {
	var decisions journal.Decisions = journaltest.NewMemory()
	ctx := context.Background()
	call := json.RawMessage(`{"path":"a.txt"}`)
	digest, err := journal.Digest("files.delete", call)
	if err != nil {
		panic(err)
	}
	question := journal.Decision{ID: "call-1", Stream: "session/42", User: "ada", Kind: "approval", Digest: digest, Request: call}
	if _, err := decisions.Open(ctx, question); err != nil {
		panic(err)
	}
	go func() { // as a request of ada's
		by := journal.Decider{User: "ada", Digest: digest}
		if _, err := decisions.Decide(ctx, "call-1", by, journal.Answer{Denied: true, Reason: "I need it"}); err != nil {
			panic(err)
		}
	}()
	decided, err := decisions.Await(ctx, "call-1")
	fmt.Println(decided.State, decided.Answer.Denied, decided.Answer.Reason, err)

	_, err = decisions.Decide(ctx, "call-1", journal.Decider{User: "ada"}, journal.Answer{})
	fmt.Println(fault.CodeOf(err))
	_, err = decisions.Decide(ctx, "call-1", journal.Decider{User: "bob"}, journal.Answer{})
	fmt.Println(fault.CodeOf(err))
	// Output:
	// decided true I need it <nil>
	// DECISION_CONFLICT
	// DECISION_NOT_FOUND
}

// One gateway works on a session at a time. A gateway that has lost the lease cannot append.
func ExampleLeases() {
	log := journaltest.NewMemory()
	ctx := context.Background()
	first, err := log.Lease(ctx, "session/42", "gateway-1", time.Minute)
	if err != nil {
		panic(err)
	}
	_, err = log.Lease(ctx, "session/42", "gateway-2", time.Minute)
	fmt.Println(fault.CodeOf(err))
	if err := log.Release(ctx, first); err != nil {
		panic(err)
	}
	second, err := log.Lease(ctx, "session/42", "gateway-2", time.Minute)
	fmt.Println(second.Token > first.Token, err)
	_, err = log.AppendAs(ctx, first, "session/42", journal.Event{Kind: "turn.started"})
	fmt.Println(fault.CodeOf(err))
	// Output:
	// LEASE_HELD
	// true <nil>
	// LEASE_LOST
}
