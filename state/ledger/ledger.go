// Package ledger records the users' spending on models, and enforces a budget for each day.
//
//	book := ledger.Open(db, ledger.Options{Budget: ledger.Budget{Tokens: 5_000_000}})
//	model = book.Model(model, price, func(context.Context) string { return user })
//
// A *day* is a UTC day. A *budget* is the maximum of tokens and money for a user's requests in a
// day. Before a request to a model, a *reservation* is taken from the budget: the estimated tokens
// of the request and the maximum of its answer. After the request, the actual usage replaces the
// reservation. Gateways with the same database share budgets and reservations. The reservation of a
// gateway that died expires.
package ledger

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Budget is the maximum that one user may spend in a day. A zero field means no limit.
type Budget struct {
	Tokens int64 // maximum number of tokens, of requests and answers together
	Micros int64 // maximum amount of money, in millionths of a unit of the catalogue's currency
}

// Options configure a Ledger.
type Options struct {
	Budget Budget       // budget of each user who has no budget of their own
	Log    *slog.Logger // logger; nil discards the log lines

	Currency string // currency of all prices, for example "USD"; Usage shows it; may be empty

	// Replaced by tests; default: the database's clock.
	now func(ctx context.Context, tx bun.IDB) (int64, error)
	// Replaced by tests: the interval in which a reservation is renewed; default holdTime/3.
	renew time.Duration
}

// Ledger records what users spend. Make one with Open. Its methods are safe for concurrent use. The
// errors of the methods are faults.
type Ledger struct {
	db   *database.DB
	opts Options

	mu     sync.Mutex
	totals Totals
}

// Totals are the amounts that one gateway has booked since its start.
type Totals struct {
	Requests, Unpriced    uint64 // number of all requests, and number of requests to models without a price
	Input, Output, Micros uint64
	Refused               uint64 // number of requests and turns that were refused for lack of budget
}

// Open returns the ledger in db. The caller closes db.
func Open(db *database.DB, o Options) *Ledger {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.now == nil {
		o.now = db.Now
	}
	o.renew = cmp.Or(o.renew, holdTime/3)
	return &Ledger{db: db, opts: o}
}

// Totals returns the amounts that this gateway has booked since its start.
func (l *Ledger) Totals() Totals {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.totals
}

// Usage is a user's spending on one day.
type Usage struct {
	Day                 time.Time // time at which the day starts
	Resets              time.Time // time at which the day ends and the spending starts again at 0
	Requests, Unpriced  int64
	Input, Output       int64 // numbers of tokens
	Micros              int64 // spent money, in millionths of the currency
	HeldTokens, HeldFor int64 // amounts reserved for running requests: tokens, and millionths of the currency
	Budget              Budget
	// Own is true if the user has a budget of their own, which replaces the budget in the settings.
	Own      bool
	Currency string
}

// Wire returns the spending in its API form.
func (u Usage) Wire(user string) sdkapi.Usage {
	return sdkapi.Usage{
		UserID: user, Day: u.Day.Format(time.DateOnly), ResetsAt: u.Resets,
		Requests: u.Requests, UnpricedRequests: u.Unpriced, InputTokens: u.Input, OutputTokens: u.Output,
		Tokens:      sdkapi.Spent{Used: u.Input + u.Output, Reserved: u.HeldTokens, Limit: u.Budget.Tokens},
		MoneyMicros: sdkapi.Spent{Used: u.Micros, Reserved: u.HeldFor, Limit: u.Budget.Micros},
		Currency:    u.Currency,
	}
}

// day is the length of a day in microseconds, the database's unit of time.
const day = int64(24 * time.Hour / time.Microsecond)

// Usage returns a user's spending on the current day.
func (l *Ledger) Usage(ctx context.Context, user string) (u Usage, err error) {
	err = l.db.Ask(ctx, "ledger.Usage", func(ctx context.Context, db *bun.DB) error {
		now, err := l.opts.now(ctx, db)
		if err != nil {
			return err
		}
		u = Usage{Currency: l.opts.Currency, Day: database.Time(now / day * day), Resets: database.Time((now/day + 1) * day)}
		if u.Budget, u.Own, err = l.budget(ctx, db, user); err != nil {
			return err
		}
		err = db.NewRaw("SELECT requests, unpriced, input, output, cost FROM spending WHERE user_id = ? AND day = ?", user, now/day).
			Scan(ctx, &u.Requests, &u.Unpriced, &u.Input, &u.Output, &u.Micros)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		u.HeldTokens, u.HeldFor, err = held(ctx, db, user, now)
		return err
	})
	return u, err
}

// Spenders returns a page of at most limit users, sorted by name. These are the users who spent
// something today or who have their own budget. cursor is the last user of the previous page, and
// empty for the first page.
func (l *Ledger) Spenders(ctx context.Context, cursor string, limit int) (users []string, err error) {
	err = l.db.Ask(ctx, "ledger.Spenders", func(ctx context.Context, db *bun.DB) error {
		now, err := l.opts.now(ctx, db)
		if err != nil {
			return err
		}
		users = nil
		return db.NewRaw("SELECT user_id FROM spending WHERE day = ? AND user_id > ? UNION SELECT user_id FROM budgets WHERE user_id > ? ORDER BY user_id LIMIT ?",
			now/day, cursor, cursor, limit).Scan(ctx, &users)
	})
	return users, err
}

// held returns the reserved tokens and millionths of a user's running requests.
func held(ctx context.Context, db bun.IDB, user string, now int64) (tokens, micros int64, err error) {
	err = db.NewRaw("SELECT CAST(coalesce(sum(tokens), 0) AS BIGINT), CAST(coalesce(sum(cost), 0) AS BIGINT) FROM reservations WHERE user_id = ? AND day = ? AND expires > ?",
		user, now/day, now).Scan(ctx, &tokens, &micros)
	return tokens, micros, err
}

// budget returns a user's budget. own reports whether it is the user's own, not the one in the
// settings.
func (l *Ledger) budget(ctx context.Context, db bun.IDB, user string) (b Budget, own bool, err error) {
	err = db.NewRaw("SELECT tokens, cost FROM budgets WHERE user_id = ?", user).Scan(ctx, &b.Tokens, &b.Micros)
	if errors.Is(err, sql.ErrNoRows) {
		return l.opts.Budget, false, nil
	}
	return b, err == nil, err
}

// SetBudget sets a user's own budget. If b is nil, it deletes the user's own budget, and the budget
// in the settings applies.
func (l *Ledger) SetBudget(ctx context.Context, user string, b *Budget) error {
	return l.db.Write(ctx, "ledger.SetBudget", func(ctx context.Context, tx bun.Tx) error {
		if b == nil {
			_, err := tx.NewRaw("DELETE FROM budgets WHERE user_id = ?", user).Exec(ctx)
			return err
		}
		_, err := tx.NewRaw("INSERT INTO budgets (user_id, tokens, cost) VALUES (?, ?, ?) ON CONFLICT (user_id) DO UPDATE SET tokens = excluded.tokens, cost = excluded.cost",
			user, b.Tokens, b.Micros).Exec(ctx)
		return err
	})
}

// EraseUser deletes a user's spending, budget and reservations, and returns the number of deleted
// rows.
func (l *Ledger) EraseUser(ctx context.Context, user string) (rows int64, err error) {
	err = l.db.Write(ctx, "ledger.EraseUser", func(ctx context.Context, tx bun.Tx) error {
		rows = 0
		for _, table := range []string{"reservations", "spending", "budgets"} {
			result, err := tx.NewRaw("DELETE FROM "+table+" WHERE user_id = ?", user).Exec(ctx)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err
			}
			rows += n
		}
		return nil
	})
	return rows, err
}

// Check fails with BUDGET_EXCEEDED if a user has used up today's budget.
func (l *Ledger) Check(ctx context.Context, user string) error {
	budget, limited, err := l.limited(ctx, user)
	if err != nil || !limited {
		return err
	}
	u, err := l.Usage(ctx, user)
	if err != nil {
		return err
	}
	tokens, micros := u.Input+u.Output+u.HeldTokens, u.Micros+u.HeldFor
	if budget.Tokens > 0 && tokens >= budget.Tokens || budget.Micros > 0 && micros >= budget.Micros {
		return l.refuse(budget, need{tokens: 1}, tokens, micros, u.Resets, time.Until(u.Resets))
	}
	return nil
}

// limited returns a user's budget. limited reports whether it has any limit.
func (l *Ledger) limited(ctx context.Context, user string) (b Budget, limited bool, err error) {
	err = l.db.Ask(ctx, "ledger.budget", func(ctx context.Context, db *bun.DB) (err error) {
		b, _, err = l.budget(ctx, db, user)
		return err
	})
	return b, b != Budget{}, err
}

// need is the maximum usage of one request.
type need struct{ tokens, micros int64 }

// refuse returns the BUDGET_EXCEEDED of a request that does not fit into the rest of a budget, and
// counts it.
func (l *Ledger) refuse(b Budget, n need, tokens, micros int64, resets time.Time, wait time.Duration) error {
	l.mu.Lock()
	l.totals.Refused++
	l.mu.Unlock()
	what := fmt.Sprintf("the daily limit is %d tokens, %d are used or reserved, and this request may need %d", b.Tokens, tokens, n.tokens)
	if b.Tokens == 0 || tokens+n.tokens <= b.Tokens {
		what = fmt.Sprintf("the daily limit is %s, %s is used or reserved, and this request may need %s", Money(b.Micros), Money(micros), Money(n.micros))
	}
	f := fault.New("ledger.reserve", sdkapi.BudgetExceeded, "the budget for models is used up: %s; try again after %s", what, resets.Format(time.RFC3339)).After(wait)
	f.Details.ResetsAt = &resets
	return f
}

// holdTime is how long a reservation lasts after its last renewal. Running requests renew theirs,
// so only the reservation of a gateway that died lasts that long.
const holdTime = 15 * time.Minute

// The maximum usage booked for one request, whatever the request or its provider says. It keeps
// sums from overflowing.
const (
	mostTokens = 1 << 40 // tokens of the request, and tokens of the answer
	mostMicros = 1 << 50
)

// bounded limits a number of tokens to the range 0 to mostTokens.
func bounded(tokens int64) int64 { return min(max(tokens, 0), mostTokens) }

// reservation is the reserved maximum usage of one request, until it is settled.
type reservation struct {
	ledger *Ledger
	id     string // empty: no budget, so nothing is reserved
	user   string // empty: nobody pays, so nothing is booked
	day    int64  // day of the reservation; 0: book on the day on which the request ends
	price  models.Price
}

// reserve takes the maximum usage of a request from a user's budget. It calls estimate only if the
// user has a budget. It fails with BUDGET_EXCEEDED if too little is left.
func (l *Ledger) reserve(ctx context.Context, user string, price models.Price, estimate func() (input, output int)) (*reservation, error) {
	r := &reservation{ledger: l, user: user, price: price}
	if user == "" {
		return r, nil
	}
	budget, limited, err := l.limited(ctx, user)
	if err != nil || !limited {
		return r, err
	}
	input, output := estimate()
	n := need{bounded(int64(input)) + bounded(int64(output)), costOf(price, int64(input), int64(output))}
	var over error
	err = l.db.Write(ctx, "ledger.reserve", func(ctx context.Context, tx bun.Tx) (err error) {
		over, err = l.take(ctx, tx, r, budget, n)
		return err
	})
	return r, errors.Join(err, over)
}

// take reserves n within a transaction. over is the fault if too little of the budget is left.
func (l *Ledger) take(ctx context.Context, tx bun.Tx, r *reservation, b Budget, n need) (over, err error) {
	now, err := l.opts.now(ctx, tx)
	if err != nil {
		return nil, err
	}
	var tokens, micros int64
	// This update without a change locks the row: other reservations of the user wait here.
	err = tx.NewRaw("INSERT INTO spending (user_id, day, requests, unpriced, input, output, cost) VALUES (?, ?, 0, 0, 0, 0, 0) "+
		"ON CONFLICT (user_id, day) DO UPDATE SET requests = spending.requests RETURNING input + output, cost", r.user, now/day).Scan(ctx, &tokens, &micros)
	if err != nil {
		return nil, err
	}
	if _, err := tx.NewRaw("DELETE FROM reservations WHERE user_id = ? AND expires <= ?", r.user, now).Exec(ctx); err != nil {
		return nil, err
	}
	heldTokens, heldMicros, err := held(ctx, tx, r.user, now)
	if err != nil {
		return nil, err
	}
	tokens, micros = tokens+heldTokens, micros+heldMicros
	if b.Tokens > 0 && tokens+n.tokens > b.Tokens || b.Micros > 0 && micros+n.micros > b.Micros {
		resets := (now/day + 1) * day
		return l.refuse(b, n, tokens, micros, database.Time(resets), time.Duration(resets-now)*time.Microsecond), nil
	}
	r.id, r.day = strings.ToLower(rand.Text()), now/day
	_, err = tx.NewRaw("INSERT INTO reservations (id, user_id, day, tokens, cost, expires) VALUES (?, ?, ?, ?, ?, ?)",
		r.id, r.user, r.day, n.tokens, n.micros, now+int64(holdTime/time.Microsecond)).Exec(ctx)
	return nil, err
}

// hold renews a reservation until the caller calls stop, which waits for a running renewal.
func (r *reservation) hold(ctx context.Context) (stop func()) {
	if r.id == "" {
		return func() {}
	}
	l := r.ledger
	return background.Start(context.WithoutCancel(ctx), func(ctx context.Context) {
		background.Every(ctx, l.opts.renew, func(ctx context.Context) {
			err := l.db.Write(ctx, "ledger.renew", func(ctx context.Context, tx bun.Tx) error {
				now, err := l.opts.now(ctx, tx)
				if err == nil {
					_, err = tx.NewRaw("UPDATE reservations SET expires = ? WHERE id = ?", now+holdTime.Microseconds(), r.id).Exec(ctx)
				}
				return err
			})
			if err != nil && ctx.Err() == nil {
				l.opts.Log.Warn("the ledger could not renew a reservation; it may expire before its request ends", slog.String("user", r.user), slog.Any("err", err))
			}
		})
	})
}

// settleTime limits the time for booking a request.
const settleTime = 10 * time.Second

// settle books the actual usage of a request in place of its reservation. It is called once. It
// continues after the end of ctx, because the request was made.
func (r *reservation) settle(ctx context.Context, input, output int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	input, output = bounded(input), bounded(output)
	l, cost, unpriced := r.ledger, costOf(r.price, input, output), int64(0)
	if !r.price.Known {
		unpriced = 1
	}
	var err error
	if r.user != "" {
		err = r.book(ctx, unpriced, input, output, cost)
	}
	if err != nil {
		l.opts.Log.Warn("the ledger could not record the usage of a model request", slog.String("user", r.user), slog.Int64("input", input), slog.Int64("output", output), slog.Any("err", err))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.totals.Requests++
	l.totals.Unpriced += uint64(unpriced)
	l.totals.Input += uint64(input)
	l.totals.Output += uint64(output)
	l.totals.Micros += uint64(cost)
}

// book adds a request to its user's day and deletes the reservation.
func (r *reservation) book(ctx context.Context, unpriced, input, output, cost int64) error {
	l := r.ledger
	return l.db.Write(ctx, "ledger.settle", func(ctx context.Context, tx bun.Tx) error {
		on := r.day
		if on == 0 {
			now, err := l.opts.now(ctx, tx)
			if err != nil {
				return err
			}
			on = now / day
		}
		_, err := tx.NewRaw("INSERT INTO spending (user_id, day, requests, unpriced, input, output, cost) VALUES (?, ?, 1, ?, ?, ?, ?) "+
			"ON CONFLICT (user_id, day) DO UPDATE SET requests = spending.requests + 1, unpriced = spending.unpriced + excluded.unpriced, "+
			"input = spending.input + excluded.input, output = spending.output + excluded.output, cost = spending.cost + excluded.cost",
			r.user, on, unpriced, input, output, cost).Exec(ctx)
		if err == nil && r.id != "" {
			_, err = tx.NewRaw("DELETE FROM reservations WHERE id = ?", r.id).Exec(ctx)
		}
		return err
	})
}

// release deletes a reservation whose request was not made.
func (r *reservation) release(ctx context.Context) {
	if r.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	_, err := r.ledger.db.Change(ctx, "ledger.release", func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM reservations WHERE id = ?", r.id).Exec(ctx)
	})
	if err != nil {
		r.ledger.opts.Log.Warn("the ledger could not release a reservation; it ends when it expires", slog.String("user", r.user), slog.Any("err", err))
	}
}

// costOf returns the cost of tokens in millionths of the currency, rounded up, from 0 to
// mostMicros. A price is per million tokens, so the price is also the cost of one token in
// millionths.
func costOf(p models.Price, input, output int64) int64 {
	cost := math.Ceil(float64(bounded(input))*p.Input + float64(bounded(output))*p.Output)
	return int64(min(max(cost, 0), mostMicros))
}

// Money formats an amount of money for people, for example "0.0125". micros is the amount in
// millionths of the currency. The text has at least two decimals.
func Money(micros int64) string {
	text := fmt.Sprintf("%d.%06d", micros/1e6, micros%1e6)
	whole, rest, _ := strings.Cut(text, ".")
	rest = strings.TrimRight(rest, "0")
	for len(rest) < 2 {
		rest += "0"
	}
	return whole + "." + rest
}
