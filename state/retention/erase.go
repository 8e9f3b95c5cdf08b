package retention

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// passes is how often an erasure visits all parts. Gateways need a moment to close a user's open work, and may write
// data until then.
const passes = 2

// Erase deletes all data of a user in all parts. It returns the number of deleted items in each
// part, by the name of the part. If the process dies during the erasure, another gateway finishes
// it.
func (s *Store) Erase(ctx context.Context, user string) (map[string]int64, error) {
	if err := s.begin(ctx, user); err != nil {
		return nil, err
	}
	return s.finish(ctx, user)
}

// begin stores the start of an erasure. If the user has an unfinished one, it keeps the counts and renews the time.
func (s *Store) begin(ctx context.Context, user string) error {
	const op = "retention.Erase"
	if user == "" {
		return fault.New(op, sdkapi.ValidationError, "the user is missing; name the user whose data the gateway must erase").At("user", "expected the id of a user")
	}
	return s.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		now, err := s.db.Now(ctx, tx)
		if err == nil {
			_, err = tx.NewRaw("INSERT INTO erasures (user_id, began, removed) VALUES (?, ?, '{}') ON CONFLICT (user_id) DO UPDATE SET began = EXCLUDED.began",
				user, now).Exec(ctx)
		}
		return err
	})
}

// finish runs all steps of an erasure. An interrupted erasure repeats all of them.
func (s *Store) finish(ctx context.Context, user string) (map[string]int64, error) {
	removed, err := s.soFar(ctx, user)
	if err != nil {
		return nil, err
	}
	settled := false
	for pass := 1; pass <= passes; pass++ {
		if pass > 1 && total(removed) == 0 {
			break // the user has no data
		}
		if pass > 1 && !settled {
			if err := s.settle(ctx); err != nil {
				return removed, err
			}
		}
		if settled, err = s.pass(ctx, user, removed); err != nil {
			return removed, err
		}
	}
	if total(removed) > 0 { // before the row is gone: an interrupted erasure repeats it
		if err := s.scrub(ctx); err != nil {
			return removed, err
		}
	}
	if _, err := s.db.Change(ctx, "retention.Erase", func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM erasures WHERE user_id = ?", user).Exec(ctx)
	}); err != nil {
		return removed, err
	}
	if total(removed) == 0 {
		return removed, nil
	}
	s.opts.Log.Info("erased a user's data", slog.Any("removed", removed))
	if s.opts.Erased != nil {
		if err := s.opts.Erased(ctx, removed); err != nil {
			return removed, err
		}
	}
	return removed, s.scrub(ctx) // again: the row had the user's id
}

// pass erases a user in all parts once, and adds the numbers to removed. If a part fails, the other
// parts are still erased, unless the failed part Settles; err joins all failures. settled reports
// whether it has waited for gateways to close the user's open work.
func (s *Store) pass(ctx context.Context, user string, removed map[string]int64) (settled bool, err error) {
	for _, p := range s.parts {
		if p.Erase == nil {
			continue
		}
		n, failed := s.erase(ctx, p, user, removed)
		err = errors.Join(err, failed)
		if failed != nil && p.Settles || ctx.Err() != nil {
			return settled, cmp.Or(err, ctx.Err())
		}
		if p.Settles && n > 0 {
			settled = true
			if err := s.settle(ctx); err != nil {
				return settled, err
			}
		}
	}
	return settled, err
}

// erase erases a user in one part, adds the number to removed, and stores it.
func (s *Store) erase(ctx context.Context, p Part, user string, removed map[string]int64) (n int64, err error) {
	n, err = p.Erase(ctx, user)
	removed[p.Name] += n
	s.count(p.Name, Count{Erased: n})
	if n > 0 {
		err = errors.Join(err, s.note(ctx, user, removed))
	}
	if err != nil {
		s.count(p.Name, Count{Failed: 1})
		return n, fmt.Errorf("cannot erase %s: %w", p.Name, err)
	}
	return n, nil
}

// settle waits until gateways have closed the user's open work.
func (s *Store) settle(ctx context.Context) error {
	if err := background.Sleep(ctx, s.opts.Settle); err != nil {
		return fault.From(err)
	}
	return nil
}

// total returns the sum of the counts of all parts.
func total(removed map[string]int64) (n int64) {
	for _, of := range removed {
		n += of
	}
	return n
}

// soFar returns the stored numbers of an unfinished erasure.
func (s *Store) soFar(ctx context.Context, user string) (map[string]int64, error) {
	removed := map[string]int64{}
	var text string
	err := s.db.Ask(ctx, "retention.Erase", func(ctx context.Context, db *bun.DB) error {
		return db.NewRaw("SELECT coalesce(max(removed), '{}') FROM erasures WHERE user_id = ?", user).Scan(ctx, &text)
	})
	if err == nil {
		err = json.Unmarshal([]byte(text), &removed)
	}
	return removed, err
}

// note stores the numbers of an erasure, and the time, which shows that the erasure is being worked
// on.
func (s *Store) note(ctx context.Context, user string, removed map[string]int64) error {
	text, err := json.Marshal(removed)
	if err != nil {
		return err
	}
	_, err = s.db.Change(ctx, "retention.Erase", func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		now, err := s.db.Now(ctx, tx)
		if err != nil {
			return nil, err
		}
		return tx.NewRaw("UPDATE erasures SET removed = ?, began = ? WHERE user_id = ?", string(text), now, user).Exec(ctx)
	})
	return err
}

// Resume completes the erasures that killed processes left unfinished.
func (s *Store) Resume(ctx context.Context) error {
	var users []string
	err := s.db.Ask(ctx, "retention.Resume", func(ctx context.Context, db *bun.DB) error {
		users = nil
		now, err := s.db.Now(ctx, db)
		if err != nil {
			return err
		}
		return db.NewRaw("SELECT user_id FROM erasures WHERE began < ?", now-orphaned.Microseconds()).Scan(ctx, &users)
	})
	for _, user := range users {
		_, failed := s.finish(ctx, user)
		err = cmp.Or(err, failed)
	}
	if err != nil && ctx.Err() == nil {
		s.opts.Log.Warn("the gateway could not finish an erasure; it retries later", slog.Any("err", err))
	}
	return err
}

// Pending returns how many erasures are unfinished, and when the oldest unfinished erasure began.
// Both are zero if all erasures are finished.
func (s *Store) Pending(ctx context.Context) (n int64, oldest time.Time, err error) {
	var began int64
	err = s.db.Ask(ctx, "retention.Pending", func(ctx context.Context, db *bun.DB) error {
		return db.NewRaw("SELECT count(*), coalesce(min(began), 0) FROM erasures").Scan(ctx, &n, &began)
	})
	if began > 0 {
		oldest = database.Time(began)
	}
	return n, oldest, err
}
