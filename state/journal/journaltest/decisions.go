package journaltest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

var decisionChecks = []check{
	{"OpenAndDecide", openAndDecide},
	{"OpenFillsIn", openFillsIn},
	{"OpenAgain", openAgain},
	{"SameAnswer", sameAnswer},
	{"AnswersOfOthers", answersOfOthers},
	{"WrongDigest", wrongDigest},
	{"NoSuchDecision", noSuchDecision},
	{"Await", await},
	{"AwaitEndsWithCtx", awaitEndsWithCtx},
	{"Pending", pending},
	{"PendingAtMost", pendingAtMost},
	{"PendingOf", pendingOf},
	{"List", list},
	{"ListByPages", listByPages},
	{"Forget", forget},
}

// asked returns a question for the user ada.
func asked(id string) journal.Decision {
	return journal.Decision{ID: id, Stream: "s", User: "ada", Kind: "approval", Digest: "d1", Request: json.RawMessage(`{"tool":"a.b"}`)}
}

// expiring returns a question for the user ada, which can be answered for the duration lasts. A
// question with a negative duration has expired already.
func expiring(id string, lasts time.Duration) journal.Decision {
	d := asked(id)
	d.Expires = time.Now().Add(lasts)
	return d
}

var ada = journal.Decider{User: "ada"}

// yes returns an answer that approves, with value as its JSON. An empty value is stored as null.
func yes(value string) journal.Answer { return journal.Answer{Value: json.RawMessage(value)} }

// mustOpen is Open for calls that must succeed: an error ends the test.
func mustOpen(t *testing.T, j journal.Decisions, d journal.Decision) journal.Decision {
	t.Helper()
	d, err := j.Open(within(t), d)
	if err != nil {
		t.Fatalf("Open of %q: %v", d.ID, err)
	}
	return d
}

// mustDecide is Decide by ada for calls that must succeed: an error ends the test.
func mustDecide(t *testing.T, j journal.Decisions, id string, answer journal.Answer) journal.Decision {
	t.Helper()
	d, err := j.Decide(within(t), id, ada, answer)
	if err != nil {
		t.Fatalf("Decide of %q: %v", id, err)
	}
	return d
}

// wantSame fails unless two decisions are equal in all fields. It ignores the answers of pending
// decisions.
func wantSame(t *testing.T, what string, got, want journal.Decision) {
	t.Helper()
	same := got.Same(want) && got.Created.Equal(want.Created) && got.Expires.Equal(want.Expires) && string(got.Request) == string(want.Request)
	if !same || got.State != want.State || !got.Ended.Equal(want.Ended) || got.State != journal.Pending && !got.Answer.Equal(want.Answer) {
		t.Errorf("%s:\ngot  %+v\nwant %+v", what, got, want)
	}
}

// wantListed fails unless a list has the questions with these ids, in order, each as Decision
// returns it.
func wantListed(t *testing.T, j journal.Decisions, found []journal.Decision, err error, want []string) {
	t.Helper()
	var got []string
	for _, d := range found {
		got = append(got, d.ID)
		wantDecision(t, j, d)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("listed are %v, %v; want %v", got, err, want)
	}
}

// wantDecision fails unless Decision returns want. If want has ended, Await must return it too.
func wantDecision(t *testing.T, j journal.Decisions, want journal.Decision) {
	t.Helper()
	d, err := j.Decision(within(t), want.ID)
	if err != nil {
		t.Errorf("Decision of %q: %v", want.ID, err)
	}
	wantSame(t, "Decision", d, want)
	if want.State == journal.Pending {
		return
	}
	if d, err = j.Await(within(t), want.ID); err != nil {
		t.Errorf("Await of %q: %v", want.ID, err)
	}
	wantSame(t, "Await", d, want)
}

// openAndDecide checks that a journal stores the value of an answer byte for byte. An answer
// without a value must get null.
func openAndDecide(t *testing.T, b Backend) {
	j := b.Open(t)
	began := time.Now()
	opened := mustOpen(t, j, asked("q"))
	wantDecision(t, j, opened)
	answer := journal.Answer{Denied: true, Reason: "because é", Value: json.RawMessage(` {"b": [1.50, 9007199254740993], "a": null}`)}
	decided := mustDecide(t, j, "q", answer)
	want := opened
	want.State, want.Answer, want.Ended = journal.Decided, answer, decided.Ended
	wantSame(t, "Decide", decided, want)
	wantTime(t, "an answer", decided.Ended, began)
	if string(decided.Answer.Value) != string(answer.Value) {
		t.Errorf("the value is %s, want %s as it was given", decided.Answer.Value, answer.Value)
	}
	wantDecision(t, j, want)
	mustOpen(t, j, asked("none"))
	if d := mustDecide(t, j, "none", journal.Answer{}); string(d.Answer.Value) != "null" {
		t.Errorf("no value is kept as %q", d.Answer.Value)
	}
}

// openFillsIn opens one question with only the required fields and one with all fields.
func openFillsIn(t *testing.T, b Backend) {
	j := b.Open(t)
	began := time.Now()
	d := mustOpen(t, j, journal.Decision{ID: "least", User: "u", Kind: "k", Digest: "d", State: journal.Decided, Answer: yes(`1`), Ended: began})
	wantTime(t, "a question", d.Created, began)
	if d.Expires.Sub(d.Created) != journal.DefaultExpiry || d.Expires.Location() != time.UTC || d.State != journal.Pending || !d.Ended.IsZero() || string(d.Request) != "null" {
		t.Errorf("Open made %+v", d)
	}
	wantDecision(t, j, d)

	most := asked("most")
	most.Created = time.Now().Add(-time.Hour).In(time.FixedZone("far", 3600))
	d = mustOpen(t, j, most)
	if !d.Created.Equal(most.Created.Truncate(time.Microsecond)) || d.Created.Location() != time.UTC || d.Expires.Sub(d.Created) != journal.DefaultExpiry {
		t.Errorf("Open made %v to %v of a question of %v", d.Created, d.Expires, most.Created)
	}
	most.ID, most.Expires = "most2", time.Now().Add(time.Hour)
	d = mustOpen(t, j, most)
	if !d.Expires.Equal(most.Expires.Truncate(time.Microsecond)) || d.State != journal.Pending {
		t.Errorf("Open made %v of %v, %s", d.Expires, most.Expires, d.State)
	}
	wantDecision(t, j, d)
}

// openAgain opens a question under an id that is in use. For the same question, Open must return
// the stored one, pending or decided. Any other question must fail with DECISION_CONFLICT.
func openAgain(t *testing.T, b Backend) {
	j := b.Open(t)
	first := mustOpen(t, j, asked("q"))
	again := asked("q")
	again.Created, again.Expires, again.Request = time.Now().Add(time.Hour), time.Now().Add(2*time.Hour), nil
	wantSame(t, "Open again", mustOpen(t, j, again), first)
	decided := mustDecide(t, j, "q", yes(`1`))
	wantSame(t, "Open of what is decided", mustOpen(t, j, again), decided)
	for name, change := range map[string]func(d *journal.Decision){
		"stream": func(d *journal.Decision) { d.Stream = "other" },
		"user":   func(d *journal.Decision) { d.User = "bob" },
		"kind":   func(d *journal.Decision) { d.Kind = "result" },
		"digest": func(d *journal.Decision) { d.Digest = "d2" },
	} {
		other := asked("q")
		change(&other)
		_, err := j.Open(within(t), other)
		wantCode(t, "Open with another "+name, err, sdkapi.DecisionConflict)
	}
	wantDecision(t, j, decided)
}

// sameAnswer answers each question twice. The second answer must succeed if it is equal as JSON;
// otherwise it must fail with DECISION_CONFLICT.
func sameAnswer(t *testing.T, b Backend) {
	j := b.Open(t)
	for i, c := range []struct {
		first, second journal.Answer
		same          bool
	}{
		{yes(`{"a":1,"b":[true,"é"]}`), yes(` { "b" : [ true , "\u00e9" ] , "a" : 1 } `), true},
		{yes(``), yes(`null`), true},
		{yes(`9007199254740993`), yes(`9007199254740993`), true},
		{yes(`9007199254740993`), yes(`9007199254740992`), false},
		{yes(`{"a":1}`), yes(`{"a":"1"}`), false},
		{yes(`[1,2]`), yes(`[2,1]`), false},
		{yes(`{"a":null}`), yes(`{}`), false},
		{yes(`1`), journal.Answer{Denied: true, Value: json.RawMessage(`1`)}, false},
		{journal.Answer{Denied: true, Reason: "no"}, journal.Answer{Denied: true, Reason: "no"}, true},
		{journal.Answer{Denied: true, Reason: "no"}, journal.Answer{Denied: true, Reason: "never"}, false},
	} {
		id := fmt.Sprint("q", i)
		mustOpen(t, j, asked(id))
		first := mustDecide(t, j, id, c.first)
		d, err := j.Decide(within(t), id, ada, c.second)
		if c.same {
			wantCode(t, fmt.Sprintf("answer %d again", i), err, "")
			wantSame(t, "the same answer", d, first)
		} else {
			wantCode(t, fmt.Sprintf("another answer than %d", i), err, sdkapi.DecisionConflict)
		}
		wantDecision(t, j, first)
	}
}

// answersOfOthers answers as another user: with the right digest, with a wrong one, and after the
// decision. No error may reveal that the question exists.
func answersOfOthers(t *testing.T, b Backend) {
	j := b.Open(t)
	d := mustOpen(t, j, asked("q"))
	for range 2 {
		for _, by := range []journal.Decider{{User: "bob"}, {User: "bob", Digest: "d1"}, {User: "bob", Digest: "d2"}, {}, {User: "Ada"}} {
			_, err := j.Decide(within(t), "q", by, yes(`1`))
			wantCode(t, fmt.Sprintf("an answer by %+v", by), err, sdkapi.DecisionNotFound)
		}
		wantDecision(t, j, d)
		d = mustDecide(t, j, "q", yes(`1`))
	}
}

// wrongDigest answers with another digest, before and after the decision.
func wrongDigest(t *testing.T, b Backend) {
	j := b.Open(t)
	d := mustOpen(t, j, asked("q"))
	for range 2 {
		_, err := j.Decide(within(t), "q", journal.Decider{User: "ada", Digest: "d2"}, yes(`1`))
		wantCode(t, "an answer to another digest", err, sdkapi.DecisionConflict)
		wantDecision(t, j, d)
		if d, err = j.Decide(within(t), "q", journal.Decider{User: "ada", Digest: "d1"}, yes(`1`)); err != nil {
			t.Fatal(err)
		}
	}
}

// noSuchDecision calls methods with the id of a missing question. All must fail with
// DECISION_NOT_FOUND.
func noSuchDecision(t *testing.T, b Backend) {
	j := b.Open(t)
	_, err := j.Decide(within(t), "q", ada, yes(`1`))
	wantCode(t, "Decide", err, sdkapi.DecisionNotFound)
	_, err = j.Await(within(t), "q")
	wantCode(t, "Await", err, sdkapi.DecisionNotFound)
	_, err = j.Decision(within(t), "q")
	wantCode(t, "Decision", err, sdkapi.DecisionNotFound)
}

// await waits in several goroutines, most of which start before the answer.
func await(t *testing.T, b Backend) {
	j := b.Open(t)
	mustOpen(t, j, asked("q"))
	mustOpen(t, j, asked("other"))
	got := awaitAll(t, j, j, j, j, j, j, j, j)
	mustDecide(t, j, "other", yes(`0`))
	testkit.Throughout(t, 20*time.Millisecond, "Await waits", func() (int, bool) { return len(got), len(got) == 0 })
	want := mustDecide(t, j, "q", yes(`1`))
	for range cap(got) {
		wantSame(t, "Await", <-got, want)
	}
}

// awaitAll awaits the question "q" on each journal, and returns when all wait. The channel has room
// for all results.
func awaitAll(t *testing.T, js ...journal.Decisions) <-chan journal.Decision {
	got := make(chan journal.Decision, len(js))
	for _, j := range js {
		go func() {
			d, err := j.Await(within(t), "q")
			if err != nil {
				t.Errorf("Await: %v", err)
			}
			got <- d
		}()
	}
	testkit.Throughout(t, 20*time.Millisecond, "all wait", func() (int, bool) { return len(got), len(got) == 0 })
	return got
}

// awaitEndsWithCtx cancels the context of a waiting Await. The question must stay pending.
func awaitEndsWithCtx(t *testing.T, b Backend) {
	j := b.Open(t)
	d := mustOpen(t, j, asked("q"))
	ctx, cancel := context.WithCancel(within(t))
	time.AfterFunc(20*time.Millisecond, cancel)
	err := finish(t, "Await", func() error { _, err := j.Await(ctx, "q"); return err })
	wantEnded(t, "Await", err)
	wantDecision(t, j, d)
}

// pending checks that Pending lists the questions of one stream, oldest first, and omits decided
// and expired ones.
func pending(t *testing.T, b Backend) {
	j := b.Open(t)
	want := func(stream string, ids ...string) {
		t.Helper()
		found, err := j.Pending(within(t), stream)
		wantListed(t, j, found, err, ids)
	}
	want("s")
	now := time.Now()
	for i, id := range []string{"newest", "oldest", "middle"} {
		d := asked(id)
		d.Created = now.Add(time.Duration([]int{3, 1, 2}[i]) * time.Millisecond)
		mustOpen(t, j, d)
	}
	other := asked("other")
	other.Stream = "o"
	mustOpen(t, j, other)
	want("s", "oldest", "middle", "newest")
	want("o", "other")
	mustDecide(t, j, "middle", yes(`1`))
	want("s", "oldest", "newest")
	mustOpen(t, j, expiring("gone", -time.Second))
	want("s", "oldest", "newest")
	_, err := j.Pending(within(t), "")
	wantCode(t, "Pending of no stream", err, sdkapi.ValidationError)
}

// pendingOf checks that PendingOf lists a user's pending questions of one kind in all streams. An
// empty user must select all users.
func pendingOf(t *testing.T, b Backend) {
	j := b.Open(t)
	now := time.Now()
	for i, d := range []journal.Decision{
		{ID: "first", Stream: "s", User: "ada", Kind: "approval"}, {ID: "elsewhere", Stream: "o", User: "ada", Kind: "approval"},
		{ID: "nowhere", User: "ada", Kind: "approval"}, {ID: "result", Stream: "s", User: "ada", Kind: "result"},
		{ID: "bob's", Stream: "s", User: "bob", Kind: "approval"}, {ID: "decided", Stream: "s", User: "ada", Kind: "approval"},
		{ID: "expired", Stream: "s", User: "ada", Kind: "approval", Expires: now.Add(-time.Second)},
	} {
		d.Digest, d.Created = "d", now.Add(time.Duration(i)*time.Millisecond)
		mustOpen(t, j, d)
	}
	mustDecide(t, j, "decided", yes(`1`))
	for _, tt := range []struct {
		user, kind string
		want       []string
	}{
		{"ada", "approval", []string{"first", "elsewhere", "nowhere"}}, {"", "approval", []string{"first", "elsewhere", "nowhere", "bob's"}},
		{"bob", "approval", []string{"bob's"}}, {"ada", "result", []string{"result"}}, {"eve", "approval", nil}, {"ada", "other", nil},
	} {
		t.Run(fmt.Sprint(tt.user, " ", tt.kind), func(t *testing.T) {
			found, err := j.PendingOf(within(t), tt.user, tt.kind)
			wantListed(t, j, found, err, tt.want)
		})
	}
	_, err := j.PendingOf(within(t), "ada", "")
	wantCode(t, "PendingOf of no kind", err, sdkapi.ValidationError)
}

// pendingAtMost opens one question more than Pending may return. Pending must omit the newest one.
func pendingAtMost(t *testing.T, b Backend) {
	j := b.Open(t)
	created := time.Now()
	for i := range journal.MaxEvents + 1 {
		d := asked(fmt.Sprint("q", i))
		d.Created = created.Add(time.Duration(i) * time.Millisecond)
		mustOpen(t, j, d)
	}
	found, err := j.Pending(within(t), "s")
	if err != nil || len(found) != journal.MaxEvents || found[0].ID != "q0" || found[len(found)-1].ID != fmt.Sprint("q", journal.MaxEvents-1) {
		t.Errorf("%d are listed, %v", len(found), err)
	}
}

// forget checks that Forget deletes only questions that ended before the given time, including
// expired ones. Their ids can then be used again.
func forget(t *testing.T, b Backend) {
	j := b.Open(t)
	mustOpen(t, j, asked("early"))
	mustOpen(t, j, asked("late"))
	open := mustOpen(t, j, asked("open"))
	mustOpen(t, j, expiring("expired", -time.Hour)) // no call looks it up

	early := mustDecide(t, j, "early", yes(`1`))
	time.Sleep(2 * time.Millisecond) // so that their times differ
	late := mustDecide(t, j, "late", yes(`1`))
	forgotten := func(before time.Time, want int64) {
		t.Helper()
		for _, dry := range []bool{true, true, false} {
			if n, err := j.Forget(within(t), before, dry); n != want || err != nil {
				t.Errorf("Forget removed %d, %v; want %d (dry %t)", n, err, want, dry)
			}
		}
	}
	forgotten(time.Now().Add(-2*time.Hour), 0)
	forgotten(early.Ended, 1) // deletes the expired one; early itself is not before its own time
	forgotten(late.Ended, 1)
	for _, id := range []string{"early", "expired"} {
		_, err := j.Decision(within(t), id)
		wantCode(t, "Decision of what was forgotten", err, sdkapi.DecisionNotFound)
	}
	wantDecision(t, j, late)
	forgotten(time.Now().Add(time.Hour), 1)
	forgotten(time.Now().Add(time.Hour), 0)
	wantDecision(t, j, open)
	again := mustOpen(t, j, asked("early"))
	if again.State != journal.Pending {
		t.Errorf("a question under an id that was forgotten is %s", again.State)
	}
}

// list checks each filter of a journal.Listing.
func list(t *testing.T, b Backend) {
	j := b.Open(t)
	now := time.Now()
	for i, d := range []journal.Decision{
		{ID: "yes"}, {ID: "no"}, {ID: "late", Expires: now.Add(-time.Second)}, {ID: "open", Stream: "session/a"}, {ID: "elsewhere", Stream: "decisions/a"},
		{ID: "result", Kind: "result"}, {ID: "bob's", User: "bob"}, {ID: "last", Stream: "session/b"},
	} {
		d.Digest, d.Created = "d", now.Add(time.Duration(i-100)*time.Millisecond)
		d.User, d.Kind = cmp.Or(d.User, "ada"), cmp.Or(d.Kind, "approval")
		mustOpen(t, j, d)
	}
	mustDecide(t, j, "yes", yes(`1`))
	mustDecide(t, j, "no", journal.Answer{Denied: true})
	for name, tt := range map[string]struct {
		asked journal.Listing
		want  []string
	}{
		"all":         {journal.Listing{}, []string{"yes", "no", "late", "open", "elsewhere", "last"}},
		"the newest":  {journal.Listing{Newest: true}, []string{"last", "elsewhere", "open", "late", "no", "yes"}},
		"pending":     {journal.Listing{State: journal.Pending}, []string{"open", "elsewhere", "last"}},
		"expired":     {journal.Listing{State: journal.Expired}, []string{"late"}},
		"approved":    {journal.Listing{State: journal.Decided}, []string{"yes"}},
		"denied":      {journal.Listing{State: journal.Decided, Denied: true}, []string{"no"}},
		"a stream's":  {journal.Listing{Stream: "session/"}, []string{"open", "last"}},
		"of a kind":   {journal.Listing{Kind: "result"}, []string{"result"}},
		"of bob":      {journal.Listing{User: "bob"}, []string{"bob's"}},
		"of nobody":   {journal.Listing{User: "eve"}, nil},
		"at most two": {journal.Listing{Limit: 2}, []string{"yes", "no"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := tt.asked
			l.User, l.Kind, l.Limit = cmp.Or(l.User, "ada"), cmp.Or(l.Kind, "approval"), cmp.Or(l.Limit, journal.MaxEvents)
			found, err := j.List(within(t), l)
			wantListed(t, j, found, err, tt.want)
		})
	}
	listRefuses(t, j)
}

// listRefuses lists without a required field, and with a limit above the maximum. Each call must
// fail with VALIDATION_ERROR.
func listRefuses(t *testing.T, j journal.Journal) {
	t.Helper()
	for name, l := range map[string]journal.Listing{
		"no user": {Kind: "k", Limit: 1}, "no kind": {User: "u", Limit: 1}, "no limit": {User: "u", Kind: "k"}, "a large limit": {User: "u", Kind: "k", Limit: journal.MaxEvents + 1},
	} {
		_, err := j.List(within(t), l)
		wantCode(t, "List with "+name, err, sdkapi.ValidationError)
	}
}

// listByPages lists questions in pages. Many of the questions have the same time.
func listByPages(t *testing.T, b Backend) {
	j := b.Open(t)
	const n = 25
	now := time.Now()
	for i := range n {
		mustOpen(t, j, journal.Decision{ID: fmt.Sprintf("q%02d", i), User: "ada", Kind: "approval", Digest: "d", Created: now.Add(time.Duration(i/10) * time.Millisecond)})
	}
	for _, newest := range []bool{false, true} {
		var got, want []string
		for i := range n {
			want = append(want, fmt.Sprintf("q%02d", i))
		}
		if newest {
			slices.Reverse(want)
		}
		l := journal.Listing{User: "ada", Kind: "approval", Newest: newest, Limit: 4}
		for {
			page, err := j.List(within(t), l)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range page {
				got = append(got, d.ID)
			}
			if len(page) < l.Limit {
				break
			}
			l.After = &page[len(page)-1]
		}
		if !slices.Equal(got, want) {
			t.Errorf("newest %t: by pages come\n%v, want\n%v", newest, got, want)
		}
	}
}
