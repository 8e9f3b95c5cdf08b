package sqljournal

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// forgetAtOnce is the number of decisions that one transaction deletes, so that other writes can run
// in between.
const forgetAtOnce = 1000

// Open implements journal.Decisions.
func (j *Journal) Open(ctx context.Context, d journal.Decision) (journal.Decision, error) {
	const op = "sqljournal.Open"
	now, err := j.now(ctx, op)
	if err != nil {
		return journal.Decision{}, err
	}
	if d, err = d.Asked(now); err != nil {
		return journal.Decision{}, err
	}
	err = j.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(rowOf(d)).On("CONFLICT (id) DO NOTHING").Exec(ctx)
		return err
	})
	if err != nil {
		return journal.Decision{}, err
	}
	kept, err := j.question(ctx, op, d.ID)
	if err == nil && !kept.Same(d) {
		return journal.Decision{}, journal.AnotherDecision(d.ID)
	}
	return kept, err
}

// Decide implements journal.Decisions. The statement that stores an answer also checks that the
// question is pending. So only one of two concurrent answers is stored.
func (j *Journal) Decide(ctx context.Context, id string, by journal.Decider, answer journal.Answer) (journal.Decision, error) {
	const op = "sqljournal.Decide"
	for {
		d, err := j.question(ctx, op, id)
		if err != nil {
			return journal.Decision{}, err
		}
		now, err := j.now(ctx, op)
		if err != nil {
			return journal.Decision{}, err
		}
		open := d.State == journal.Pending
		if d, err = d.Decide(by, answer, now); err != nil || !open {
			return d, err
		}
		if settled, err := j.settle(ctx, op, d); err != nil || settled {
			return d, err
		}
		// Another caller was faster; the loop reads its answer.
	}
}

// Withdraw implements journal.Decisions.
func (j *Journal) Withdraw(ctx context.Context, ids ...string) error {
	const op = "sqljournal.Withdraw"
	for _, id := range ids {
		d, err := j.question(ctx, op, id)
		if fault.CodeOf(err) == sdkapi.DecisionNotFound || err == nil && d.State != journal.Pending {
			continue
		}
		if err != nil {
			return err
		}
		now, err := j.now(ctx, op)
		if err != nil {
			return err
		}
		// False: a faster caller has ended it.
		if _, err := j.settle(ctx, op, d.Withdrawn(now)); err != nil {
			return err
		}
	}
	return nil
}

// settle stores the end of a question, unless it has ended already, and wakes callers that await
// it.
func (j *Journal) settle(ctx context.Context, op string, d journal.Decision) (settled bool, err error) {
	row, topics := rowOf(d), []topic{decisionTopic(d.ID)}
	err = j.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		settled = false
		result, err := tx.NewUpdate().Model(row).Column("state", "denied", "reason", "value", "ended").
			Where("id = ? AND state = ?", d.ID, journal.Pending).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		settled = true
		return tell(ctx, j.db, tx, topics)
	})
	if settled = settled && err == nil; settled {
		j.hub.wake(topics...)
	}
	return settled, err
}

// Await implements journal.Decisions.
func (j *Journal) Await(ctx context.Context, id string) (journal.Decision, error) {
	const op = "sqljournal.Await"
	w := j.hub.watchDecision(id)
	defer j.hub.leave(w)
	for {
		d, err := j.question(ctx, op, id)
		if err != nil || d.State != journal.Pending {
			return d, err
		}
		now, err := j.now(ctx, op)
		if err != nil {
			return journal.Decision{}, err
		}
		expiry := time.NewTimer(d.Expires.Sub(now))
		select {
		case <-w.woken:
		case <-expiry.C:
		case <-ctx.Done():
		case <-j.closed:
		}
		expiry.Stop()
	}
}

// Decision implements journal.Decisions. If the question has expired, Decision stores its expiry.
// If the database is read-only or full, it returns the expired question without storing the expiry.
func (j *Journal) Decision(ctx context.Context, id string) (journal.Decision, error) {
	d, err := j.question(ctx, "sqljournal.Decision", id)
	if d.State == journal.Expired && database.TakesNothing(err) {
		return d, nil
	}
	return d, err
}

// question returns a question in its current state. It stores an expiry before it returns it,
// because a slow gateway may have begun to decide in time. If the store fails, question returns
// both the question and the error.
func (j *Journal) question(ctx context.Context, op, id string) (journal.Decision, error) {
	if err := journal.CheckID(id); err != nil {
		return journal.Decision{}, err
	}
	for {
		if err := j.usable(ctx); err != nil {
			return journal.Decision{}, err
		}
		var row decisionRow
		var now int64
		err := j.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) (err error) {
			if now, err = j.db.Now(ctx, db); err != nil {
				return err
			}
			return db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
		})
		if errors.Is(err, sql.ErrNoRows) {
			return journal.Decision{}, journal.NoDecision(op, id)
		}
		if err != nil {
			return journal.Decision{}, err
		}
		d := row.decision().At(database.Time(now))
		if d.State == row.State {
			return d, nil
		}
		if settled, err := j.settle(ctx, op, d); err != nil || settled {
			return d, err
		}
	}
}

// Pending implements journal.Decisions.
func (j *Journal) Pending(ctx context.Context, stream string) ([]journal.Decision, error) {
	return j.pending(ctx, "sqljournal.Pending", journal.CheckStream(stream), bun.SafeQuery("stream = ?", stream))
}

// PendingOf implements journal.Decisions.
func (j *Journal) PendingOf(ctx context.Context, user, kind string) ([]journal.Decision, error) {
	wanted := bun.SafeQuery("kind = ?", kind)
	if user != "" {
		wanted = bun.SafeQuery("kind = ? AND user_id = ?", kind, user)
	}
	return j.pending(ctx, "sqljournal.PendingOf", journal.CheckPendingOf(user, kind), wanted)
}

// pending returns the wanted questions that can still be answered, unless invalid is an error.
func (j *Journal) pending(ctx context.Context, op string, invalid error, wanted schema.QueryWithArgs) ([]journal.Decision, error) {
	if err := cmp.Or(invalid, j.usable(ctx)); err != nil {
		return nil, err
	}
	var rows []decisionRow
	err := j.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		rows = nil
		now, err := j.db.Now(ctx, db)
		if err != nil {
			return err
		}
		return db.NewSelect().Model(&rows).Where("?", wanted).Where("state = ? AND expires > ?", journal.Pending, now).
			Order("created", "id").Limit(journal.MaxEvents).Scan(ctx)
	})
	var pending []journal.Decision
	for _, row := range rows {
		pending = append(pending, row.decision())
	}
	// The database may sort text by the rules of a language.
	slices.SortFunc(pending, func(a, b journal.Decision) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return pending, err
}

// Forget implements journal.Decisions.
func (j *Journal) Forget(ctx context.Context, before time.Time, dry bool) (removed int64, err error) {
	const op = "sqljournal.Forget"
	now, err := j.now(ctx, op)
	if err != nil {
		return 0, err
	}
	// Rounded up, because stored times are truncated.
	limit := database.Micros(before.Add(time.Microsecond - 1))
	for _, old := range []schema.QueryWithArgs{
		bun.SafeQuery("state <> ? AND ended < ?", journal.Pending, limit),
		bun.SafeQuery("state = ? AND expires < ? AND expires <= ?", journal.Pending, limit, database.Micros(now)),
	} {
		var n int64
		var err error
		if dry {
			err = j.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
				return db.NewRaw("SELECT count(*) FROM decisions WHERE ?", old).Scan(ctx, &n)
			})
		} else {
			n, err = j.db.ChangeAll(ctx, op, forgetAtOnce, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
				return tx.NewRaw("DELETE FROM decisions WHERE id IN (SELECT id FROM decisions WHERE ? LIMIT ?)", old, forgetAtOnce).Exec(ctx)
			})
		}
		if removed += n; err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// ForgetUser implements journal.Decisions.
func (j *Journal) ForgetUser(ctx context.Context, user string) (removed int64, err error) {
	if err := cmp.Or(journal.CheckUser(user), j.usable(ctx)); err != nil {
		return 0, err
	}
	for n := forgetAtOnce; n == forgetAtOnce; removed += int64(n) {
		var ids []string
		var topics []topic
		err := j.db.Write(ctx, "sqljournal.ForgetUser", func(ctx context.Context, tx bun.Tx) error {
			ids, topics = nil, nil
			err := tx.NewRaw("DELETE FROM decisions WHERE id IN (SELECT id FROM decisions WHERE user_id = ? LIMIT ?) RETURNING id", user, forgetAtOnce).Scan(ctx, &ids)
			if err != nil || len(ids) == 0 {
				return err
			}
			for _, id := range ids {
				topics = append(topics, decisionTopic(id))
			}
			return tell(ctx, j.db, tx, topics)
		})
		if err != nil {
			return removed, err
		}
		j.hub.wake(topics...)
		n = len(ids)
	}
	return removed, nil
}

// now returns the time of the clock that all gateways share.
func (j *Journal) now(ctx context.Context, op string) (time.Time, error) {
	if err := j.usable(ctx); err != nil {
		return time.Time{}, err
	}
	var now int64
	err := j.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) (err error) {
		now, err = j.db.Now(ctx, db)
		return err
	})
	return database.Time(now), err
}

// List implements journal.Decisions.
func (j *Journal) List(ctx context.Context, l journal.Listing) ([]journal.Decision, error) {
	if err := cmp.Or(journal.CheckListing(l), j.usable(ctx)); err != nil {
		return nil, err
	}
	var rows []decisionRow
	var now int64
	err := j.db.Ask(ctx, "sqljournal.List", func(ctx context.Context, db *bun.DB) (err error) {
		rows = nil
		if now, err = j.db.Now(ctx, db); err != nil {
			return err
		}
		return listed(db.NewSelect().Model(&rows), l, now).Limit(int64(l.Limit)).Scan(ctx)
	})
	list := make([]journal.Decision, len(rows))
	for i, row := range rows {
		list[i] = row.decision().At(database.Time(now))
	}
	return list, err
}

// listed adds the conditions and the order of a listing to a query. A question that expired
// unnoticed is still stored as pending.
func listed(of *bun.SelectQuery, l journal.Listing, now int64) *bun.SelectQuery {
	of = of.Where("user_id = ? AND kind = ?", l.User, l.Kind)
	if l.Stream != "" {
		of = of.Where("substr(stream, 1, ?) = ?", len([]rune(l.Stream)), l.Stream)
	}
	switch l.State {
	case journal.Pending:
		of = of.Where("state = ? AND expires > ?", l.State, now)
	case journal.Expired:
		of = of.Where("(state = ? OR state = ? AND expires <= ?)", l.State, journal.Pending, now)
	case journal.Decided:
		of = of.Where("state = ? AND denied = ?", l.State, l.Denied)
	}
	than, order := ">", "created, id"
	if l.Newest {
		than, order = "<", "created DESC, id DESC"
	}
	if l.After != nil {
		of = of.Where("(created, id) ? (?, ?)", bun.Safe(than), database.Micros(l.After.Created), l.After.ID)
	}
	return of.OrderExpr(order)
}
