package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// noon is some day's, by the clock of the tests.
var noon = time.Date(2026, 2, 11, 12, 0, 0, 0, time.UTC)

// clock is a clock that a test moves.
type clock struct{ at atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.at.Store(database.Micros(noon))
	return c
}

func (c *clock) now(context.Context, bun.IDB) (int64, error) { return c.at.Load(), nil }
func (c *clock) move(d time.Duration)                        { c.at.Add(int64(d / time.Microsecond)) }

// both runs a test on SQLite, and on two connections to one PostgreSQL, as two gateways have.
func both(t *testing.T, check func(t *testing.T, one, two *database.DB)) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		db := databasetest.Open(t, databasetest.InFile(t))
		check(t, db, db)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		url := pgtest.Start(t)
		check(t, databasetest.Open(t, database.Config{URL: url}), databasetest.Open(t, database.Config{URL: url}))
	})
}

func fixed(n int) func() (int, int) { return func() (int, int) { return n, 0 } }

// What many requests of two gateways reserve at once is never more than the budget, and what
// they book in its place is counted once.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, a, b *database.DB) {
		c := newClock()
		one, two := Open(a, Options{Budget: Budget{Tokens: 1000}, now: c.now}), Open(b, Options{Budget: Budget{Tokens: 1000}, now: c.now})
		var all sync.WaitGroup
		var let, refused atomic.Int64
		for i := range 40 {
			book := []*Ledger{one, two}[i%2]
			all.Go(func() {
				r, err := book.reserve(t.Context(), "ada", models.Price{}, fixed(100))
				if fault.CodeOf(err) == sdkapi.BudgetExceeded {
					refused.Add(1)
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				let.Add(1)
				r.settle(t.Context(), 90, 10)
			})
		}
		all.Wait()
		u, err := two.Usage(t.Context(), "ada")
		if err != nil || let.Load() != 10 || refused.Load() != 30 || u.Input != 900 || u.Output != 100 || u.Requests != 10 || u.HeldTokens != 0 {
			t.Errorf("%d let through, %d refused, booked %+v, %v", let.Load(), refused.Load(), u, err)
		}
		if err := one.Check(t.Context(), "ada"); fault.CodeOf(err) != sdkapi.BudgetExceeded {
			t.Errorf("a turn would begin: %v", err)
		}
		if err := one.Check(t.Context(), "eve"); err != nil {
			t.Errorf("another user has the same budget: %v", err)
		}
	})
}

// The reservation of a gateway that died is counted until it expires, and no longer.
func TestReservationsExpire(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, a, b *database.DB) {
		c := newClock()
		dead, book := Open(a, Options{Budget: Budget{Tokens: 1000}, now: c.now}), Open(b, Options{Budget: Budget{Tokens: 1000}, now: c.now})
		if _, err := dead.reserve(t.Context(), "ada", models.Price{}, fixed(600)); err != nil {
			t.Fatal(err)
		}
		if _, err := book.reserve(t.Context(), "ada", models.Price{}, fixed(600)); fault.CodeOf(err) != sdkapi.BudgetExceeded {
			t.Errorf("while the other may be working: %v", err)
		}
		c.move(holdTime + time.Second)
		r, err := book.reserve(t.Context(), "ada", models.Price{}, fixed(600))
		if err != nil {
			t.Fatalf("after it expired: %v", err)
		}
		r.release(t.Context())
		if u, err := book.Usage(t.Context(), "ada"); err != nil || u.HeldTokens != 0 || u.Requests != 0 {
			t.Errorf("%+v, %v", u, err)
		}
	})
}

// A refusal says when the next day begins, in which there is a new budget.
func TestNextDay(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, a, _ *database.DB) {
		c := newClock()
		book := Open(a, Options{Budget: Budget{Micros: 2_000_000}, now: c.now})
		price := models.Price{Input: 3, Output: 15, Known: true}
		r, err := book.reserve(t.Context(), "ada", price, func() (int, int) { return 100_000, 100_000 })
		if err != nil {
			t.Fatal(err)
		}
		c.move(13 * time.Hour) // it is counted to the day when it began
		r.settle(t.Context(), 100_000, 100_000)
		c.move(-13 * time.Hour)
		_, err = book.reserve(t.Context(), "ada", price, func() (int, int) { return 100_000, 0 })
		f := fault.From(err)
		if fault.CodeOf(err) != sdkapi.BudgetExceeded || f.Details.RetryAfter != 12*3600 || f.Details.ResetsAt == nil || !f.Details.ResetsAt.Equal(noon.Add(12*time.Hour)) ||
			!strings.Contains(f.Message, "the daily limit is 2.00, 1.80 is used or reserved, and this request may need 0.30") {
			t.Errorf("%v, %+v", err, f.Details)
		}
		c.move(12 * time.Hour)
		if _, err = book.reserve(t.Context(), "ada", price, func() (int, int) { return 100_000, 0 }); err != nil {
			t.Errorf("on the next day: %v", err)
		}
	})
}

// A user's own budget goes before that of the settings, and is forgotten with the user.
func TestOwnBudget(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, a, _ *database.DB) {
		c := newClock()
		book := Open(a, Options{Budget: Budget{Tokens: 100}, now: c.now})
		reserve := func(n int) error {
			_, err := book.reserve(t.Context(), "ada", models.Price{}, fixed(n))
			return err
		}
		if err := reserve(101); fault.CodeOf(err) != sdkapi.BudgetExceeded {
			t.Errorf("by the settings: %v", err)
		}
		if err := errors.Join(book.SetBudget(t.Context(), "ada", &Budget{Tokens: 1000}), reserve(101)); err != nil {
			t.Errorf("by a budget of one's own: %v", err)
		}
		if u, err := book.Usage(t.Context(), "ada"); err != nil || !u.Own || u.HeldTokens != 101 {
			t.Errorf("%+v, %v", u, err)
		}
		all, err := book.Spenders(t.Context(), "", 10)
		behind, failed := book.Spenders(t.Context(), "ada", 10)
		if err := errors.Join(err, failed); err != nil || fmt.Sprint(all, behind) != "[ada] []" {
			t.Errorf("spenders are %v, and behind the first %v, %v", all, behind, err)
		}
		if rows, err := book.EraseUser(t.Context(), "ada"); rows != 3 || err != nil {
			t.Errorf("%d rows erased, %v", rows, err)
		}
		if err := reserve(99); err != nil {
			t.Error(err)
		}
		if u, err := book.Usage(t.Context(), "ada"); err != nil || u.Own || u.HeldTokens != 99 {
			t.Errorf("after EraseUser: %+v, %v", u, err)
		}
	})
}

// Whoever has no budget is counted all the same, and a request to a model without a price is
// counted as such.
func TestWithoutABudget(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, a, _ *database.DB) {
		book := Open(a, Options{now: newClock().now})
		r, err := book.reserve(t.Context(), "ada", models.Price{}, func() (int, int) { t.Error("nothing needs an estimate"); return 0, 0 })
		if err != nil || r.id != "" {
			t.Fatalf("%+v, %v", r, err)
		}
		r.settle(t.Context(), 7, 3)
		u, err := book.Usage(t.Context(), "ada")
		if err != nil || u.Requests != 1 || u.Unpriced != 1 || u.Input != 7 || u.Output != 3 || u.Micros != 0 {
			t.Errorf("%+v, %v", u, err)
		}
		if got := book.Totals(); got.Requests != 1 || got.Unpriced != 1 || got.Input != 7 || got.Output != 3 {
			t.Errorf("%+v", got)
		}
	})
}

// An answer is booked as the provider counts it, or estimated; a refusal costs nothing.
func TestModelIsBooked(t *testing.T) {
	t.Parallel()
	request := models.Request{Messages: []models.Message{{Role: models.User, Parts: []models.Part{{Text: "How late is it?"}}}}, MaxTokens: 100}
	estimated := int64(models.Estimate(request))
	for name, tt := range map[string]struct {
		reply         modelstest.Reply
		leave         bool
		requests      int64
		input, output int64
	}{
		"counted":                    {reply: modelstest.Reply{Text: []string{"Noon."}, Usage: models.Usage{Input: 10, CacheRead: 5, Output: 3, Reasoning: 2}}, requests: 1, input: 15, output: 5},
		"broken off":                 {reply: modelstest.Reply{Text: []string{"It ", "is ", "noon"}, Err: fault.New("test", sdkapi.ModelUnavailable, "gone")}, requests: 1, input: estimated, output: 2},
		"left":                       {reply: modelstest.Reply{Text: []string{"It is ", "noon"}}, leave: true, requests: 1, input: estimated, output: 1},
		"refused":                    {reply: modelstest.Reply{Err: fault.New("test", sdkapi.ModelError, "no")}},
		"too many calls":             {reply: modelstest.Reply{Calls: manyCalls(models.MaxCalls + 1)}, requests: 1, input: estimated, output: 2 * (models.MaxCalls + 1)},
		"broken off in calls":        {reply: modelstest.Reply{Calls: append(manyCalls(2), models.Call{Name: "t", Arguments: json.RawMessage(strings.Repeat(" ", models.MaxArguments+1))})}, requests: 1, input: estimated, output: 5},
		"canceled before the answer": {reply: modelstest.Reply{Err: context.Canceled}, requests: 1, input: estimated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book := Open(databasetest.Open(t, databasetest.InFile(t)), Options{Budget: Budget{Tokens: 1000}})
			model := book.Model(modelstest.NewScript(tt.reply), models.Price{Known: true}, func(context.Context) string { return "ada" })
			for _, err := range model.Stream(t.Context(), request) {
				if tt.leave && err == nil {
					break
				}
			}
			u, err := book.Usage(t.Context(), "ada")
			if err != nil || u.Requests != tt.requests || u.Input != tt.input || u.Output != tt.output || u.HeldTokens != 0 {
				t.Errorf("%+v, %v, want %d requests, %d and %d tokens", u, err, tt.requests, tt.input, tt.output)
			}
		})
	}
}

// manyCalls returns calls of two tokens each.
func manyCalls(n int) []models.Call {
	return slices.Repeat([]models.Call{{Name: "tool", Arguments: json.RawMessage(`{}`)}}, n)
}

// Neither what a request asks for nor what a provider reports makes a sum overflow: a budget that is used up stays so.
func TestNumbersBeyondAll(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		budget Budget
		output int
		let    bool
	}{
		"tokens, all":            {Budget{Tokens: 1000}, math.MaxInt, false},
		"money, all":             {Budget{Micros: 1000}, math.MaxInt, false},
		"tokens, less than none": {Budget{Tokens: 1000}, math.MinInt, true},
		"money, less than none":  {Budget{Micros: 1000}, math.MinInt, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, a, _ *database.DB) {
				book := Open(a, Options{Budget: tt.budget, now: newClock().now})
				price := models.Price{Input: 1, Output: 1_000_000, Known: true}
				for range 2 {
					_, err := book.reserve(t.Context(), "ada", price, func() (int, int) { return 500, tt.output })
					if u, failed := book.Usage(t.Context(), "ada"); failed != nil || u.HeldTokens < 0 || u.HeldFor < 0 || (err == nil) != tt.let {
						t.Errorf("%v, %v, %+v", err, failed, u)
					}
				}
				for range 9 { // a provider that counts nonsense
					(&reservation{ledger: book, user: "ada", price: price}).settle(t.Context(), math.MinInt64, math.MaxInt64)
				}
				u, err := book.Usage(t.Context(), "ada")
				if err != nil || u.Input != 0 || u.Output != 9*mostTokens || u.Micros != 9*mostMicros {
					t.Errorf("%+v, %v", u, err)
				}
				if err := book.Check(t.Context(), "ada"); fault.CodeOf(err) != sdkapi.BudgetExceeded {
					t.Errorf("a turn would begin: %v", err)
				}
			})
		})
	}
}

// The reservation of a request that goes on does not expire.
func TestReservationsAreRenewed(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, a, b *database.DB) {
		c := newClock()
		slow, book := Open(a, Options{Budget: Budget{Tokens: 1000}, now: c.now, renew: 5 * time.Millisecond}), Open(b, Options{Budget: Budget{Tokens: 1000}, now: c.now})
		model := slow.Model(modelstest.NewScript(modelstest.Reply{Text: []string{"It is noon."}}), models.Price{}, PayerOf)
		request := models.Request{System: "Be brief.", MaxTokens: 900}
		for _, err := range model.Stream(For(t.Context(), "ada"), request) {
			if err != nil {
				t.Fatal(err)
			}
			for range 3 { // the reader takes its time
				c.move(holdTime - time.Minute)
				testkit.Eventually(t, "a renewal", func() (expires int64, renewed bool) {
					err := a.Ask(t.Context(), "test", func(ctx context.Context, db *bun.DB) error {
						return db.NewRaw("SELECT expires FROM reservations").Scan(ctx, &expires)
					})
					return expires, err == nil && expires == c.at.Load()+holdTime.Microseconds()
				})
			}
			if _, err := book.reserve(t.Context(), "ada", models.Price{}, fixed(600)); fault.CodeOf(err) != sdkapi.BudgetExceeded {
				t.Errorf("beside the request that goes on: %v", err)
			}
			break
		}
		if u, err := book.Usage(t.Context(), "ada"); err != nil || u.HeldTokens != 0 || u.Requests != 1 {
			t.Errorf("after it: %+v, %v", u, err)
		}
	})
}

// A request that does not fit is not sent.
func TestModelIsNotAsked(t *testing.T) {
	t.Parallel()
	book := Open(databasetest.Open(t, databasetest.InFile(t)), Options{Budget: Budget{Tokens: assumedOutput}})
	script := modelstest.NewScript(modelstest.Reply{Text: []string{"no"}})
	model := book.Model(script, models.Price{}, PayerOf)
	var got error
	for _, err := range model.Stream(For(t.Context(), "ada"), models.Request{System: "Be brief."}) {
		got = err
	}
	if fault.CodeOf(got) != sdkapi.BudgetExceeded || len(script.Requests()) != 0 {
		t.Errorf("%v, and %d requests", got, len(script.Requests()))
	}
}

type vectors struct{ err error }

func (v vectors) Embed(_ context.Context, texts []string) ([][]float32, error) {
	return make([][]float32, len(texts)), v.err
}

// Embedding counts like any other request.
func TestEmbedderIsBooked(t *testing.T) {
	t.Parallel()
	book := Open(databasetest.Open(t, databasetest.InFile(t)), Options{Budget: Budget{Tokens: 4}})
	ctx := For(t.Context(), "ada")
	if _, err := book.Embedder(vectors{errors.New("away")}, models.Price{}, PayerOf).Embed(ctx, []string{"a note"}); err == nil {
		t.Error("it did not fail")
	}
	embedder := book.Embedder(vectors{}, models.Price{}, PayerOf)
	if _, err := embedder.Embed(ctx, []string{"one", "note"}); err != nil {
		t.Error(err)
	}
	if _, err := embedder.Embed(ctx, []string{"one more", "note"}); fault.CodeOf(err) != sdkapi.BudgetExceeded {
		t.Errorf("beyond the budget: %v", err)
	}
	if u, err := book.Usage(t.Context(), "ada"); err != nil || u.Requests != 1 || u.Input != 2 {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for micros, want := range map[int64]string{0: "0.00", 1: "0.000001", 12_500: "0.0125", 2_500_000: "2.50", 1_234_567_890: "1234.56789"} {
		t.Run(want, func(t *testing.T) {
			if got := Money(micros); got != want {
				t.Errorf("%d: %s", micros, got)
			}
		})
	}
}
