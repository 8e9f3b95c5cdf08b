package retention_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/retention"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// onBoth runs a test on an empty database of each kind.
func onBoth(t *testing.T, run func(t *testing.T, db *database.DB)) {
	t.Helper()
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) { run(t, databasetest.Open(t, cfg)) })
}

// shelf keeps things of users, by when they were used last.
type shelf struct {
	things map[string][]time.Time
	fail   error // of the next call
}

func (s *shelf) failed() (err error) {
	err, s.fail = s.fail, nil
	return err
}

func (s *shelf) part(name string, ttl time.Duration) retention.Part {
	return retention.Part{Name: name, TTL: ttl,
		Erase: func(_ context.Context, user string) (int64, error) {
			n := len(s.things[user])
			if err := s.failed(); err != nil {
				return 0, err
			}
			delete(s.things, user)
			return int64(n), nil
		},
		Prune: func(_ context.Context, before time.Time, dry bool) (removed int64, err error) {
			if err := s.failed(); err != nil {
				return 0, err
			}
			for user, list := range s.things {
				left := slices.DeleteFunc(slices.Clone(list), func(used time.Time) bool { return used.Before(before) })
				if removed += int64(len(list) - len(left)); !dry {
					s.things[user] = left
				}
			}
			return removed, nil
		},
		Usage: func(context.Context) (retention.Usage, error) {
			return retention.Usage{Items: int64(len(s.things))}, s.failed()
		},
	}
}

// An erasure goes over all parts, and again over what came meanwhile.
func TestErase(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		now := time.Now()
		first, late := &shelf{things: map[string][]time.Time{"ada": {now, now}, "eve": {now}}}, &shelf{things: map[string][]time.Time{"ada": {now}}}
		writes := first.part("late writes", 0)
		wrote := false
		writes.Erase = func(context.Context, string) (int64, error) { // what a gateway writes before it hears of the deletion
			if !wrote {
				first.things["ada"], wrote = []time.Time{now}, true
			}
			return 0, nil
		}
		var reported map[string]int64
		s := retention.Open(db, []retention.Part{first.part("first", 0), writes, late.part("late", 0)}, retention.Options{
			Settle: time.Millisecond, Erased: func(_ context.Context, removed map[string]int64) error { reported = removed; return nil },
		})
		removed, err := s.Erase(t.Context(), "ada")
		if want := map[string]int64{"first": 3, "late writes": 0, "late": 1}; err != nil || !maps.Equal(removed, want) || !maps.Equal(reported, want) {
			t.Errorf("removed %v, reported %v, %v; want %v", removed, reported, err, want)
		}
		if len(first.things["ada"]) != 0 || len(first.things["eve"]) != 1 {
			t.Errorf("left are %v", first.things)
		}
		if n, _, err := s.Pending(t.Context()); n != 0 || err != nil {
			t.Errorf("%d are pending, %v", n, err)
		}
		if c := s.Counts()["first"]; c.Erased != 3 {
			t.Errorf("counted %+v", c)
		}
		reported = nil
		if removed, err := s.Erase(t.Context(), "nobody"); err != nil || len(reported) != 0 || removed["first"] != 0 {
			t.Errorf("nobody: %v, reported %v, %v", removed, reported, err)
		}
		if _, err := s.Erase(t.Context(), ""); fault.CodeOf(err) != sdkapi.ValidationError {
			t.Errorf("no user: %v", err)
		}
	})
}

// An erasure that broke off anywhere is finished by another process, which reports all of it.
func TestEraseBreaksOff(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		now := time.Now()
		first, second := &shelf{things: map[string][]time.Time{"ada": {now, now}}}, &shelf{things: map[string][]time.Time{"ada": {now}}, fail: errors.New("the power is gone")}
		parts := []retention.Part{first.part("first", 0), second.part("second", 0)}
		dies := retention.Open(db, parts, retention.Options{Settle: time.Millisecond})
		if _, err := dies.Erase(t.Context(), "ada"); err == nil || len(second.things["ada"]) != 1 {
			t.Fatalf("the erasure has not broken off: %v", err)
		}
		var reported map[string]int64
		other := retention.Open(db, parts, retention.Options{Settle: time.Millisecond, Erased: func(_ context.Context, removed map[string]int64) error { reported = removed; return nil }})
		if err := other.Resume(t.Context()); err != nil || reported != nil {
			t.Errorf("an erasure that somebody works on is taken up: %v, %v", reported, err)
		}
		if n, oldest, err := other.Pending(t.Context()); n != 1 || oldest.IsZero() || err != nil {
			t.Errorf("%d are pending since %v, %v", n, oldest, err)
		}
		age(t, db)
		if err := other.Resume(t.Context()); err != nil || len(second.things["ada"]) != 0 || !maps.Equal(reported, map[string]int64{"first": 2, "second": 1}) {
			t.Errorf("after that %v are left, and reported %v, %v", second.things, reported, err)
		}
		if n, _, _ := other.Pending(t.Context()); n != 0 {
			t.Errorf("%d are pending", n)
		}
	})
}

// A part that fails keeps an erasure from no other part, unless they are to wait for it, and is erased
// when the erasure is taken up again. The error has all failures.
func TestErasePassesFailures(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		now := time.Now()
		disk, bucket := errors.New("the disk is away"), errors.New("the bucket is away")
		stuck, behind := &shelf{things: map[string][]time.Time{"ada": {now}}, fail: disk}, &shelf{things: map[string][]time.Time{"ada": {now, now}}}
		stuckToo := &shelf{things: map[string][]time.Time{"ada": {now}}, fail: bucket}
		s := retention.Open(db, []retention.Part{stuck.part("stuck", 0), behind.part("behind", 0), stuckToo.part("stuck too", 0)}, retention.Options{Settle: time.Millisecond})
		removed, err := s.Erase(t.Context(), "ada")
		if !errors.Is(err, disk) || !errors.Is(err, bucket) || removed["behind"] != 2 || len(behind.things["ada"]) != 0 {
			t.Errorf("removed %v, %v", removed, err)
		}
		if n, _, err := s.Pending(t.Context()); n != 1 || err != nil {
			t.Errorf("%d are pending, %v", n, err)
		}
		age(t, db)
		if err := s.Resume(t.Context()); err != nil || len(stuck.things["ada"])+len(stuckToo.things["ada"]) != 0 {
			t.Errorf("taken up again: %v, %v, %v", stuck.things, stuckToo.things, err)
		}

		first := &shelf{things: map[string][]time.Time{"eve": {now}}, fail: disk}
		users := first.part("users", 0)
		users.Settles = true
		behind.things["eve"] = []time.Time{now}
		s = retention.Open(db, []retention.Part{users, behind.part("behind", 0)}, retention.Options{Settle: time.Millisecond})
		if _, err := s.Erase(t.Context(), "eve"); !errors.Is(err, disk) || len(behind.things["eve"]) != 1 {
			t.Errorf("nobody has ended what eve has open, and left are %v, %v", behind.things, err)
		}
	})
}

// While deleted data is still on the disk, an erasure is unfinished: whoever takes it up removes the data from there.
func TestEraseScrubsLater(t *testing.T) {
	t.Parallel()
	cfg := databasetest.InFile(t)
	db := databasetest.Open(t, cfg)
	things := &shelf{things: map[string][]time.Time{"ada": {time.Now()}}}
	parts := []retention.Part{things.part("things", 0)}
	reader, err := db.Read().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Rollback() }()
	if err := reader.NewRaw("SELECT count(*) FROM users").Scan(t.Context(), new(int)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := retention.Open(db, parts, retention.Options{Settle: time.Millisecond}).Erase(ctx, "ada"); err == nil {
		t.Error("the erasure ended while a reader kept the data in the log")
	}
	other := retention.Open(db, parts, retention.Options{Settle: time.Millisecond})
	if n, _, err := other.Pending(t.Context()); n != 1 || err != nil {
		t.Errorf("%d erasures are pending, %v; want 1", n, err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	age(t, db)
	if err := other.Resume(t.Context()); err != nil {
		t.Error(err)
	}
	if n, _, err := other.Pending(t.Context()); n != 0 || err != nil {
		t.Errorf("at last %d erasures are pending, %v; want none", n, err)
	}
	if log, err := os.Stat(cfg.File + "-wal"); err != nil || log.Size() != 0 {
		t.Errorf("the log has %d bytes, %v", log.Size(), err)
	}
}

// age makes all erasures an hour old.
func age(t *testing.T, db *database.DB) {
	t.Helper()
	err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("UPDATE erasures SET began = began - 3600000000").Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The janitor removes what is too old by its clock, of each kind by its own age, and goes on
// after a kind that fails.
func TestClean(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		now := time.Now()
		day := 24 * time.Hour
		broken := &shelf{things: map[string][]time.Time{"ada": {now.Add(-day)}}, fail: errors.New("the disk is away")}
		short, long, kept := &shelf{things: map[string][]time.Time{"ada": {now.Add(-day), now}}}, &shelf{things: map[string][]time.Time{"ada": {now.Add(-day), now}}}, &shelf{things: map[string][]time.Time{"ada": {{}}}}
		s := retention.Open(db, []retention.Part{broken.part("broken", time.Hour), short.part("short", time.Hour), long.part("long", 2*day), kept.part("kept", 0)},
			retention.Options{Now: func() time.Time { return now }})
		removed, err := s.Clean(t.Context())
		if err == nil || !maps.Equal(removed, map[string]int64{"broken": 0, "short": 1, "long": 0}) || s.Counts()["broken"].Failed != 1 || s.Counts()["short"].Aged != 1 {
			t.Errorf("removed %v, counted %+v, %v", removed, s.Counts(), err)
		}
		now = now.Add(3 * day)
		removed, err = s.Clean(t.Context())
		if err != nil || !maps.Equal(removed, map[string]int64{"broken": 1, "short": 1, "long": 2}) || len(kept.things["ada"]) != 1 {
			t.Errorf("later removed %v, %v", removed, err)
		}
	})
}

// While something reads the log of SQLite for long, what was deleted stays in it. The first round after
// that empties it, though there is nothing more to remove.
func TestCleanScrubsLater(t *testing.T) {
	t.Parallel()
	cfg := databasetest.InFile(t)
	db := databasetest.Open(t, cfg)
	things := &shelf{things: map[string][]time.Time{"ada": {time.Now().Add(-time.Hour)}}}
	s := retention.Open(db, []retention.Part{things.part("things", time.Minute)}, retention.Options{})
	reader, err := db.Read().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Rollback() }()
	if err := reader.NewRaw("SELECT count(*) FROM users").Scan(t.Context(), new(int)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if removed, err := s.Clean(ctx); err == nil || removed["things"] != 1 {
		t.Errorf("beside a reader: %v, %v", removed, err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Clean(t.Context()); err != nil {
		t.Error(err)
	}
	if log, err := os.Stat(cfg.File + "-wal"); err != nil || log.Size() != 0 {
		t.Errorf("the log has %d bytes, %v", log.Size(), err)
	}
}

// Prune counts first, and removes by the age that it gets.
func TestPrune(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		things := &shelf{things: map[string][]time.Time{"ada": {time.Now().Add(-time.Hour), time.Now()}}}
		s := retention.Open(db, []retention.Part{things.part("things", 0)}, retention.Options{})
		for _, dry := range []bool{true, false} {
			if n, known, err := s.Prune(t.Context(), "things", time.Minute, dry); n != 1 || !known || err != nil {
				t.Errorf("dry %t: %d, %t, %v", dry, n, known, err)
			}
		}
		if _, known, _ := s.Prune(t.Context(), "others", time.Minute, true); known || len(things.things["ada"]) != 1 {
			t.Errorf("left are %v", things.things)
		}
		if u, err := s.Measure(t.Context()); err != nil || u["things"].Items != 1 || s.Usage()["things"].Items != 1 {
			t.Errorf("measured %v, %v", u, err)
		}
	})
}

// Run cleans and takes up erasures by itself.
func TestRun(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	things := &shelf{things: map[string][]time.Time{"ada": {time.Now().Add(-time.Hour)}}}
	s := retention.Open(db, []retention.Part{things.part("things", time.Minute)}, retention.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { s.Run(ctx); close(ended) }()
	testkit.Eventually(t, "what is old is removed", func() (bool, bool) { return true, s.Counts()["things"].Aged == 1 })
	cancel()
	<-ended
}

// An age is raised to the least one of a part; what a user has comes with what the user may have.
func TestLeastAgeAndUse(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		now := time.Now()
		part := (&shelf{things: map[string][]time.Time{"ada": {now.Add(-90 * time.Minute), now.Add(-3 * time.Hour)}}}).part("things", 0)
		part.Least, part.Most = 2*time.Hour, retention.Usage{Items: 9}
		part.UsageOf = func(context.Context, string) (retention.Usage, error) { return retention.Usage{Items: 2}, nil }
		s := retention.Open(db, []retention.Part{part, {Name: "others"}}, retention.Options{})
		if n, ok, err := s.Prune(t.Context(), "things", time.Hour, true); n != 1 || !ok || err != nil {
			t.Errorf("older than an hour are %d, %v", n, err)
		}
		if held, err := s.UsageOf(t.Context(), "ada"); err != nil || len(held) != 1 || held[0].Used.Items != 2 || held[0].Most.Items != 9 {
			t.Errorf("%+v, %v", held, err)
		}
		if kinds := s.Kinds(); len(kinds) != 2 || !kinds[0].Prunable || kinds[1].Prunable {
			t.Errorf("%+v", kinds)
		}
	})
}
