package sqljournal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
)

// What is counted in a row beside a stream always agrees with the stream, by however many writers of two gateways it is
// counted, and with others that are refused among them.
func TestAppendBeside(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		one := open(t, cfg)
		logs := []*gateway{one}
		if cfg.URL != "" {
			logs = append(logs, open(t, cfg))
		}
		err := one.db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw("CREATE TABLE counters (id TEXT PRIMARY KEY, n BIGINT NOT NULL)").Exec(ctx)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		const writers, each = 8, 25
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				log := logs[w%len(logs)].Journal
				for i := range each {
					count(t, log, i%5 == 4)
					if _, err := log.Append(t.Context(), fmt.Sprintf("other/%d", w), journal.Event{Kind: "other"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		events, err := one.Read(t.Context(), "counted", 0, journal.MaxEvents)
		if err != nil || len(events) != writers*each*4/5 {
			t.Fatalf("%d events, %v", len(events), err)
		}
		for i, e := range events {
			if want := fmt.Sprint(i + 1); e.Seq != int64(i+1) || string(e.Data) != want {
				t.Fatalf("event %d counts %s", e.Seq, e.Data)
			}
		}
	})
}

// count adds one to a row and to a stream, or is refused when it has done half of that.
func count(t *testing.T, log *sqljournal.Journal, refuse bool) {
	t.Helper()
	var n int64
	last, err := log.AppendBeside(t.Context(), "test", func(ctx context.Context, tx bun.Tx) (string, []journal.Event, error) {
		err := tx.NewRaw("INSERT INTO counters AS c (id, n) VALUES ('a', 1) ON CONFLICT (id) DO UPDATE SET n = c.n + 1 RETURNING n").Scan(ctx, &n)
		if refuse && err == nil {
			err = fault.New("test", sdkapi.RunLimit, "enough")
		}
		return "counted", []journal.Event{{Kind: "count", Data: json.RawMessage(fmt.Sprint(n))}}, err
	})
	switch {
	case refuse && fault.CodeOf(err) != sdkapi.RunLimit:
		t.Errorf("refused with %v", err)
	case !refuse && (err != nil || last != n):
		t.Errorf("event %d counts %d: %v", last, n, err)
	}
}

// A follower hears what is appended beside rows, and an append that breaks a bound changes no row.
func TestAppendBesideIsHeard(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		log := open(t, cfg)
		last, err := log.AppendBeside(t.Context(), "test", func(context.Context, bun.Tx) (string, []journal.Event, error) { return "", nil, nil })
		if last != 0 || err != nil {
			t.Errorf("without events: %d, %v", last, err)
		}
		_, err = log.AppendBeside(t.Context(), "test", func(ctx context.Context, tx bun.Tx) (string, []journal.Event, error) {
			_, err := tx.NewRaw("INSERT INTO streams (id, name, last, trimmed) VALUES (7, 'kept', 0, 0)").Exec(ctx)
			return "a", []journal.Event{{Kind: journal.Resync}}, err
		})
		if streams, failed := log.Streams(t.Context(), "", "", 10); fault.CodeOf(err) != sdkapi.ValidationError || failed != nil || len(streams) > 0 {
			t.Errorf("an event that cannot be: %v, and %v, %v", err, streams, failed)
		}
		heard := make(chan journal.Event)
		go func() {
			for e, err := range log.Follow(t.Context(), "a", 0) {
				if err == nil {
					heard <- e
				}
				break
			}
		}()
		if _, err := log.AppendBeside(t.Context(), "test", func(context.Context, bun.Tx) (string, []journal.Event, error) {
			return "a", []journal.Event{{Kind: "heard"}}, nil
		}); err != nil {
			t.Fatal(err)
		}
		if e := <-heard; e.Kind != "heard" || e.Seq != 1 {
			t.Errorf("heard %+v", e)
		}
	})
}
