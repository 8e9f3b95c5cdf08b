package journaltest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// posters is how many answer one question at once. Two of them bring the same
// answer each.
const posters = 16

// races lets many answer the same questions at once: one answer wins each, and
// is what everybody gets from then on.
func races(t *testing.T, b Backend) {
	const atOnce = 8
	one := b.Open(t)
	two := one
	if b.Join != nil {
		two = b.Join(t, one)
	}
	var wg sync.WaitGroup
	for w := range atOnce {
		wg.Go(func() {
			for q := w; q < b.Races && !t.Failed(); q += atOnce {
				race(t, []journal.Journal{one, two}, fmt.Sprint("q", q))
			}
		})
	}
	wg.Wait()
}

// race has one question decided.
func race(t *testing.T, js []journal.Journal, id string) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel() // within's would pile up
	if _, err := js[0].Open(ctx, asked(id)); err != nil {
		t.Errorf("Open of %s: %v", id, err)
		return
	}
	awaited := make(chan journal.Decision, 1)
	go func() {
		d, err := js[1].Await(ctx, id)
		if err != nil {
			t.Errorf("Await of %s: %v", id, err)
		}
		awaited <- d
	}()
	start, got, errs := make(chan struct{}), make([]journal.Decision, posters), make([]error, posters)
	var wg sync.WaitGroup
	for p := range posters {
		wg.Go(func() {
			<-start
			got[p], errs[p] = js[p%2].Decide(ctx, id, ada, posted(p))
		})
	}
	close(start)
	wg.Wait()
	d, err := js[0].Decision(ctx, id)
	if err != nil || d.State != journal.Decided {
		t.Errorf("Decision of %s: %s, %v", id, d.State, err)
	}
	wantSame(t, "Await of "+id, <-awaited, d)
	won := 0
	for p := range posters {
		switch {
		case d.Answer.Equal(posted(p)):
			won++
			wantCode(t, fmt.Sprintf("the answer to %s that won", id), errs[p], "")
			wantSame(t, "Decide of "+id, got[p], d)
		case fault.CodeOf(errs[p]) != sdkapi.DecisionConflict:
			t.Errorf("an answer to %s that lost: %v", id, errs[p])
		}
	}
	if won != 2 {
		t.Errorf("%d of those who answered %s brought what was decided: %+v", won, id, d.Answer)
	}
}

// posted is what a poster answers.
func posted(p int) journal.Answer { return yes(fmt.Sprintf(`{"answer": %d}`, p/2)) }
