package journaltest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

var streamChecks = []check{
	{"Streams", streams},
	{"StreamsBounds", streamsBounds},
	{"DropWithQuestions", dropWithQuestions},
	{"Evict", evict},
	{"ForgetUser", forgetUser},
	{"ManyQuestions", manyQuestions},
}

// streams lists streams by prefix, page by page.
func streams(t *testing.T, b Backend) {
	j := b.Open(t)
	for _, name := range []string{"b/2", "a/1", "b/\U0010FFFFx", "b/Z", "b/a", "b0", "b", "B/1"} {
		mustAppendTo(t, j, name)
	}
	mustAppendTo(t, j, "b/a")
	if err := j.Trim(within(t), "b/2", 100, nil); err != nil {
		t.Fatal(err)
	}
	var names []string
	for after := ""; ; {
		page, err := j.Streams(within(t), "b/", after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, s := range page {
			names, after = append(names, s.Name), s.Name
			if trimmed := s.Name == "b/2"; s.Used.IsZero() != trimmed || !trimmed && time.Since(s.Used) > patience {
				t.Errorf("%s was used at %v", s.Name, s.Used)
			}
			if want := map[bool]int64{true: 2, false: 1}[s.Name == "b/a"]; s.Last != want {
				t.Errorf("%s ends with %d", s.Name, s.Last)
			}
		}
	}
	if want := []string{"b/2", "b/Z", "b/a", "b/\U0010FFFFx"}; !slices.Equal(names, want) {
		t.Errorf("streams of b/: %q, want %q", names, want)
	}
	if all, err := j.Streams(within(t), "", "", 100); err != nil || len(all) != 8 || all[0].Name != "B/1" {
		t.Errorf("all streams: %v, %v", all, err)
	}
}

// mustAppendTo appends one event to a stream, whatever number it gets. An error ends the test.
func mustAppendTo(t *testing.T, j journal.Log, stream string) {
	t.Helper()
	if _, err := j.Append(within(t), stream, numbered(1, 1)...); err != nil {
		t.Fatal(err)
	}
}

// streamsBounds checks the limits of Streams, and that Evict requires a key.
func streamsBounds(t *testing.T, b Backend) {
	j := b.Open(t)
	for _, limit := range []int{-1, 0, journal.MaxEvents + 1} {
		_, err := j.Streams(within(t), "", "", limit)
		wantCode(t, fmt.Sprintf("Streams, %d of them", limit), err, sdkapi.ValidationError)
	}
	_, err := j.Streams(within(t), "é", "", 1)
	wantCode(t, "Streams with a prefix that does not end in ASCII", err, sdkapi.ValidationError)
	wantCode(t, "Evict without a key", j.Evict(within(t), ""), sdkapi.ValidationError)
}

// dropWithQuestions drops streams with questions, one of them without events.
func dropWithQuestions(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppendTo(t, j, "s")
	for _, stream := range []string{"s", "empty", "other"} {
		for _, id := range []string{"1", "2"} {
			d := journal.Decision{ID: stream + id, Stream: stream, User: "ada", Kind: "k", Digest: "d"}
			if _, err := j.Open(within(t), d); err != nil {
				t.Fatal(err)
			}
		}
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := j.Await(within(t), "s1")
		waiting <- err
	}()
	for _, stream := range []string{"s", "empty"} {
		if err := j.Drop(within(t), stream); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"1", "2"} {
			_, err := j.Decision(within(t), stream+id)
			wantCode(t, "a question of a stream that was dropped", err, sdkapi.DecisionNotFound)
		}
	}
	wantCode(t, "Await of such a question", <-waiting, sdkapi.DecisionNotFound)
	if _, err := j.Decision(within(t), "other1"); err != nil {
		t.Errorf("a question of another stream: %v", err)
	}
}

// evict takes a key from its holder, whose lease must then be lost.
func evict(t *testing.T, b Backend) {
	j := b.Open(t)
	first := mustLease(t, j, "k", "a", time.Hour)
	mustAppendAs(t, j, first, 1, 1)
	for range 2 {
		if err := j.Evict(within(t), "k"); err != nil {
			t.Fatal(err)
		}
	}
	_, err := j.AppendAs(within(t), first, "s", numbered(2, 2)...)
	wantCode(t, "AppendAs of a key that was evicted", err, sdkapi.LeaseLost)
	if second := mustLease(t, j, "k", "b", time.Hour); second.Token <= first.Token {
		t.Errorf("after an eviction %+v is %+v", first, second)
	}
}

// forgetUser deletes one user's questions, pending and decided.
func forgetUser(t *testing.T, b Backend) {
	j := b.Open(t)
	for _, id := range []string{"ada1", "ada2", "bob1"} {
		if _, err := j.Open(within(t), journal.Decision{ID: id, User: id[:3], Kind: "k", Digest: "d"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := j.Decide(within(t), "ada2", journal.Decider{User: "ada"}, journal.Answer{Reason: "why"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int64{2, 0} {
		if n, err := j.ForgetUser(within(t), "ada"); n != want || err != nil {
			t.Errorf("ForgetUser: %d, %v; want %d", n, err, want)
		}
	}
	_, err := j.Decision(within(t), "ada1")
	wantCode(t, "a question of a user who was forgotten", err, sdkapi.DecisionNotFound)
	if _, err := j.Decision(within(t), "bob1"); err != nil {
		t.Error(err)
	}
	_, err = j.ForgetUser(within(t), "")
	wantCode(t, "ForgetUser of nobody", err, sdkapi.ValidationError)
}

// manyQuestions drops a stream with more questions than one notice to other gateways can name, and
// forgets a user with as many. A caller that awaits the last question must wake up.
func manyQuestions(t *testing.T, b Backend) {
	const many = 700
	j := b.Open(t)
	var asking sync.WaitGroup
	for worker := range 4 {
		asking.Go(func() {
			for i := worker; i < many; i += 4 {
				_, err := j.Open(within(t), journal.Decision{ID: fmt.Sprintf("ada%d", i), Stream: "s", User: "ada", Kind: "k", Digest: "d"})
				if err == nil {
					_, err = j.Open(within(t), journal.Decision{ID: fmt.Sprintf("bob%d", i), User: "bob", Kind: "k", Digest: "d"})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	asking.Wait()
	waiting := make(chan error, 2)
	for _, id := range []string{fmt.Sprintf("ada%d", many-1), fmt.Sprintf("bob%d", many-1)} {
		go func() {
			_, err := j.Await(within(t), id)
			waiting <- err
		}()
	}
	if err := j.Drop(within(t), "s"); err != nil {
		t.Errorf("Drop: %v", err)
	}
	if n, err := j.ForgetUser(within(t), "bob"); n != many || err != nil {
		t.Errorf("ForgetUser: %d, %v; want %d", n, err, many)
	}
	for range cap(waiting) {
		wantCode(t, "Await of such a question", <-waiting, sdkapi.DecisionNotFound)
	}
}
