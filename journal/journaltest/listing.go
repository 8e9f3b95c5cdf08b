package journaltest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

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

func listRefuses(t *testing.T, j journal.Journal) {
	t.Helper()
	for name, l := range map[string]journal.Listing{
		"no user": {Kind: "k", Limit: 1}, "no kind": {User: "u", Limit: 1}, "no limit": {User: "u", Kind: "k"}, "a large limit": {User: "u", Kind: "k", Limit: journal.MaxEvents + 1},
	} {
		_, err := j.List(within(t), l)
		wantCode(t, "List with "+name, err, sdkapi.ValidationError)
	}
}

// listByPages goes through questions of which many were asked at once.
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
