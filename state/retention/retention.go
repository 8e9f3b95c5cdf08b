// Package retention deletes stored data: old items, and everything of a user who is to be erased.
// It knows no store: each store is a Part.
//
//	parts := []retention.Part{{Name: "prompts", Erase: list.EraseUser, Prune: list.Prune, TTL: 90 * 24 * time.Hour}}
//	erasures := retention.Open(db, parts, retention.Options{})
//	removed, err := erasures.Erase(ctx, "ada") // everything of a user
//	go erasures.Run(ctx)                       // the janitor
//
// An *erasure* deletes everything of a user. It is a row of the database until it is finished, so
// that another gateway continues the erasure of a process that died. A *round* of the janitor
// deletes old items in small transactions. Several gateways may run at the same time: deleting an
// item twice does no harm.
package retention

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/state/database"
)

// Part is one kind of stored item, and the functions that delete and count these items. A function
// may be nil. The Store may call a function again after a failure. Several gateways may call it at
// the same time.
type Part struct {
	Name string // name for people and metrics, for example "artifacts"

	// Erase deletes all items of a user, and returns their number.
	Erase func(ctx context.Context, user string) (removed int64, err error)

	// Settles is true if gateways close the user's open work after Erase has deleted something. If
	// it has, the Store waits for Options.Settle before it erases the parts after this one. This
	// way, a client that follows a turn still gets the turn's end.
	Settles bool

	// Prune deletes the items that were last used, or stored if they are not used again, before
	// the parameter before, and returns their number. If dry is true, it deletes nothing and only counts these items.
	Prune func(ctx context.Context, before time.Time, dry bool) (removed int64, err error)

	// Usage returns the number and size of all items. It may read all of them.
	Usage func(ctx context.Context) (Usage, error)

	TTL time.Duration // age at which the janitor deletes an item; 0: the janitor deletes no items

	// UsageOf returns the number and size of a user's items. The field
	// Most has the limits of a user. A limit of 0 does not restrict the user.
	UsageOf func(ctx context.Context, user string) (Usage, error)
	Most    Usage

	// minimum age of the items that Prune deletes; Store.Prune uses this minimum instead of a lower
	// age
	Least time.Duration
}

// Usage is the number and the size of stored items of one kind.
type Usage struct {
	Items, Bytes int64     // number of items, and their approximate size in bytes
	Oldest       time.Time // time of the oldest item; zero if there are no items
	Largest      []OfUser  // users with the most bytes, the largest first; nil if the kind is not counted by user
}

// OfUser is the number and the size of one user's items.
type OfUser struct {
	User         string
	Items, Bytes int64
}

// Options configure a Store. The zero value is useful.
type Options struct {
	Every time.Duration // time between two rounds of the janitor; default 10 minutes
	// time for which an erasure waits, so that gateways can close the user's open work; default 3 s
	Settle time.Duration
	Now    func() time.Time // function that returns the time; default: the database's clock
	Log    *slog.Logger     // logger; nil discards the log lines

	// Erased is called when the erasure of a user is finished. removed has the number of deleted
	// items in each part, by the name of the part. Default: nothing is called.
	Erased func(ctx context.Context, removed map[string]int64) error
}

// Defaults of Options, and times of resuming erasures.
const (
	everyTime  = 10 * time.Minute
	settleTime = 3 * time.Second
	lookTime   = 10 * time.Second // time between two searches for abandoned erasures
	orphaned   = 30 * time.Second // time without progress after which an erasure counts as abandoned
)

// Store erases users and deletes old items. Make one with Open. Its methods are safe for concurrent
// use.
type Store struct {
	db    *database.DB
	parts []Part
	opts  Options

	unscrubbed atomic.Bool // whether the disk may still have deleted data

	mu      sync.Mutex
	removed map[string]Count // by name of the part
	usage   map[string]Usage // by name of the part, at the last Measure
}

// Kind describes one kind of stored item, for operators.
type Kind struct {
	Name     string
	TTL      time.Duration // age at which the janitor deletes an item; 0: the janitor deletes no items
	Prunable bool          // true if Prune can delete the items by age
}

// Kinds returns all kinds of stored items, in the order of the parts.
func (s *Store) Kinds() []Kind {
	list := make([]Kind, len(s.parts))
	for i, p := range s.parts {
		list[i] = Kind{p.Name, p.TTL, p.Prune != nil}
	}
	return list
}

// Held is a user's usage of one kind of stored item. Used is the number and size of the user's
// items, and Most is the user's limit.
type Held struct {
	Name       string
	Used, Most Usage
}

// UsageOf returns a user's usage and limit for each kind of item. It omits a kind if its part does
// not have the function UsageOf.
func (s *Store) UsageOf(ctx context.Context, user string) (list []Held, err error) {
	for _, p := range s.parts {
		if p.UsageOf == nil {
			continue
		}
		used, err := p.UsageOf(ctx, user)
		if err != nil {
			return nil, err
		}
		list = append(list, Held{p.Name, used, p.Most})
	}
	return list, nil
}

// Count has the numbers of deleted items of one kind since Open. Aged is the number of items that
// were deleted because of their age. Erased is the number of items that were deleted together with
// their user. Failed is the number of failed deletions, for either reason.
type Count struct{ Aged, Erased, Failed int64 }

// Open returns a store of parts. The caller closes db.
func Open(db *database.DB, parts []Part, opts Options) *Store {
	opts.Every = cmp.Or(opts.Every, everyTime)
	opts.Settle = cmp.Or(opts.Settle, settleTime)
	opts.Log = cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	return &Store{db: db, parts: parts, opts: opts, removed: map[string]Count{}}
}

// Measure computes the number and size of all items. The result has one entry for each kind of
// item, by its name. Measure omits a kind if its part does not have the function Usage.
func (s *Store) Measure(ctx context.Context) (all map[string]Usage, err error) {
	all = map[string]Usage{}
	for _, p := range s.parts {
		if p.Usage == nil {
			continue
		}
		usage, failed := p.Usage(ctx)
		if failed != nil {
			err = cmp.Or(err, failed)
			continue
		}
		all[p.Name] = usage
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usage = all
	return maps.Clone(all), err
}

// Usage returns the result of the last Measure.
func (s *Store) Usage() map[string]Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.usage)
}

// Counts returns the Count of each kind of item, by its name. It includes only deletions by this
// process.
func (s *Store) Counts() map[string]Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]Count{}
	for _, p := range s.parts {
		all[p.Name] = s.removed[p.Name]
	}
	return all
}

// count adds numbers to the Count of a part.
func (s *Store) count(name string, add Count) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.removed[name]
	s.removed[name] = Count{c.Aged + add.Aged, c.Erased + add.Erased, c.Failed + add.Failed}
}

// now returns the current time of Options.Now, or of the database, whose clock all gateways share.
func (s *Store) now(ctx context.Context) (time.Time, error) {
	if s.opts.Now != nil {
		return s.opts.Now(), nil
	}
	now, err := s.db.Now(ctx, s.db.Read())
	return database.Time(now), database.FaultIn(ctx, "retention.now", err)
}

// Run is the janitor. Until ctx ends, it deletes old items and completes abandoned erasures.
func (s *Store) Run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() {
		background.About(ctx, s.opts.Every, func(ctx context.Context) {
			_, _ = s.Clean(ctx) // Clean logs its errors
			_, _ = s.Measure(ctx)
		})
	})
	both.Go(func() {
		// Resume logs its errors
		background.About(ctx, lookTime, func(ctx context.Context) { _ = s.Resume(ctx) })
	})
	both.Wait()
}

// Clean runs one round of the janitor. It returns the number of deleted items in each part, by the
// name of the part. If a part fails, Clean continues with the other parts, and err is the first
// failure.
func (s *Store) Clean(ctx context.Context) (removed map[string]int64, err error) {
	removed = map[string]int64{}
	total := int64(0)
	for _, p := range s.parts {
		if p.TTL <= 0 || p.Prune == nil {
			continue
		}
		n, failed := s.prune(ctx, p, p.TTL, false)
		removed[p.Name] = n
		total += n
		err = cmp.Or(err, failed)
	}
	if total > 0 || s.unscrubbed.Load() {
		err = cmp.Or(err, s.scrub(ctx))
	}
	if err != nil && ctx.Err() == nil {
		s.opts.Log.Warn("the janitor could not remove some old data; it retries in its next round", slog.Any("err", err))
	}
	return removed, err
}

// scrub removes deleted data from the disk. If it fails, the next round tries again.
func (s *Store) scrub(ctx context.Context) error {
	err := s.db.Scrub(ctx)
	s.unscrubbed.Store(err != nil)
	return err
}

// prune deletes the items of a part that are older than age.
func (s *Store) prune(ctx context.Context, p Part, age time.Duration, dry bool) (int64, error) {
	now, err := s.now(ctx)
	if err != nil {
		return 0, err
	}
	n, err := p.Prune(ctx, now.Add(-age), dry)
	switch {
	case err != nil:
		s.count(p.Name, Count{Failed: 1})
	case n > 0 && !dry:
		s.opts.Log.Info("the janitor removed old data", slog.String("kind", p.Name), slog.Int64("removed", n), slog.Duration("older_than", age))
	}
	if !dry {
		s.count(p.Name, Count{Aged: n})
	}
	return n, err
}

// Prune deletes the items of a part that are older than age, and returns their number. name is the
// name of the part. If dry is true, Prune only counts the items. ok is false if no part has this
// name, or if the items of the part cannot be deleted by age.
func (s *Store) Prune(ctx context.Context, name string, age time.Duration, dry bool) (removed int64, ok bool, err error) {
	for _, p := range s.parts {
		if p.Name == name && p.Prune != nil {
			removed, err = s.prune(ctx, p, max(age, p.Least), dry)
			return removed, true, err
		}
	}
	return 0, false, nil
}
