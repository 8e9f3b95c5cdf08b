// Package retention removes what is kept: what is too old, and all of a user whose data
// are to be erased. It knows no store: each is a Part.
//
//	parts := []retention.Part{{Name: "prompts", Erase: list.EraseUser, Prune: list.Prune, TTL: 90 * 24 * time.Hour}}
//	erasures := retention.Open(db, parts, retention.Options{})
//	removed, err := erasures.Erase(ctx, "ada") // all of a user
//	go erasures.Run(ctx)                       // the janitor
//
// An *erasure* removes all of a user. It is a row of the database until it is done, so that a
// gateway goes on with the erasure of a process that died. A *round* of the janitor removes what
// is too old, and what it removes goes in small transactions. Gateways may work side by side:
// whatever is removed twice is removed once.
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

// Part is a kind of thing that a store keeps. Its functions may be nil, and may be called again
// after they failed, and on several gateways at once.
type Part struct {
	Name string // for people and metrics, as "artifacts"

	// Erase removes all that a user has of it, and returns how many that were.
	Erase func(ctx context.Context, user string) (removed int64, err error)

	// Settles is set where gateways end what a user has open once Erase has removed something. The
	// parts behind it wait for that: whoever follows a turn gets its end.
	Settles bool

	// Prune removes what was last used before a time, and returns how many that were. If dry is
	// set, it removes nothing.
	Prune func(ctx context.Context, before time.Time, dry bool) (removed int64, err error)

	// Usage returns how much there is of it. It may read all of it.
	Usage func(ctx context.Context) (Usage, error)

	TTL time.Duration // after which the janitor removes it; 0: never

	// UsageOf returns how much a user has of it, and Most is how much a user may have; a zero of it is any number.
	UsageOf func(ctx context.Context, user string) (Usage, error)
	Most    Usage

	Least time.Duration // the least age at which Prune may remove it; Store.Prune raises ages to it
}

// Usage is how much there is of a kind.
type Usage struct {
	Items, Bytes int64     // bytes of content, about
	Oldest       time.Time // zero if there is none
}

// Options configure the janitor. The zero value is useful.
type Options struct {
	Every  time.Duration    // between two rounds; default 10 minutes
	Settle time.Duration    // that gateways take to end what a deleted user has open; default 3 s
	Now    func() time.Time // default: the database's clock
	Log    *slog.Logger     // default: discard

	// Erased is called with what an erasure has removed, by the names of the parts, when it is
	// done. Default: nil.
	Erased func(ctx context.Context, removed map[string]int64) error
}

// Defaults of Options, and bounds of taking up erasures.
const (
	everyTime  = 10 * time.Minute
	settleTime = 3 * time.Second
	lookTime   = 10 * time.Second // between two looks for erasures
	orphaned   = 30 * time.Second // after which an erasure is taken for that of a dead process
)

// Store removes things. Its methods may be called from several goroutines at once.
type Store struct {
	db    *database.DB
	parts []Part
	opts  Options

	unscrubbed atomic.Bool // set while the disk may have what was deleted

	mu      sync.Mutex
	removed map[string]Count // by name of the part
	usage   map[string]Usage // likewise, as the janitor saw it last
}

// Kind is a kind of thing in the lists of operators.
type Kind struct {
	Name     string
	TTL      time.Duration // after which the janitor removes it; 0: never
	Prunable bool          // whether Prune can remove it by age
}

// Kinds lists the kinds that there are, in the order of the parts.
func (s *Store) Kinds() []Kind {
	list := make([]Kind, len(s.parts))
	for i, p := range s.parts {
		list[i] = Kind{p.Name, p.TTL, p.Prune != nil}
	}
	return list
}

// Held is how much a user has of a kind, and may have.
type Held struct {
	Name       string
	Used, Most Usage
}

// UsageOf returns how much a user has of each kind of which that is known.
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

// Count is what a process has removed of a kind since Open.
type Count struct{ Aged, Erased, Failed int64 }

// Open returns a store of parts. The database stays the caller's.
func Open(db *database.DB, parts []Part, opts Options) *Store {
	opts.Every = cmp.Or(opts.Every, everyTime)
	opts.Settle = cmp.Or(opts.Settle, settleTime)
	opts.Log = cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	return &Store{db: db, parts: parts, opts: opts, removed: map[string]Count{}}
}

// Measure returns how much there is of each kind, by its name, as far as it can be measured.
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

// Usage returns what the last Measure did.
func (s *Store) Usage() map[string]Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.usage)
}

// Counts returns what was removed since Open, by the name of the kind.
func (s *Store) Counts() map[string]Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]Count{}
	for _, p := range s.parts {
		all[p.Name] = s.removed[p.Name]
	}
	return all
}

func (s *Store) count(name string, add Count) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.removed[name]
	s.removed[name] = Count{c.Aged + add.Aged, c.Erased + add.Erased, c.Failed + add.Failed}
}

func (s *Store) now(ctx context.Context) (time.Time, error) {
	if s.opts.Now != nil {
		return s.opts.Now(), nil
	}
	now, err := s.db.Now(ctx, s.db.Read())
	return database.Time(now), database.FaultIn(ctx, "retention.now", err)
}

// Run is the janitor: it removes what is too old, and goes on with erasures, until ctx ends.
func (s *Store) Run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() {
		background.About(ctx, s.opts.Every, func(ctx context.Context) {
			_, _ = s.Clean(ctx) // it logs its errors
			_, _ = s.Measure(ctx)
		})
	})
	both.Go(func() {
		background.About(ctx, lookTime, func(ctx context.Context) { _ = s.Resume(ctx) }) // likewise
	})
	both.Wait()
}

// Clean makes one round of the janitor. It returns how much it removed of each kind. A kind that
// fails does not keep it from the others; the error is the first one.
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
		s.opts.Log.Warn("some of what is too old cannot be removed now; the janitor tries again", slog.Any("err", err))
	}
	return removed, err
}

// scrub has the disk forget what was deleted. If it cannot now, the next round tries again.
func (s *Store) scrub(ctx context.Context) error {
	err := s.db.Scrub(ctx)
	s.unscrubbed.Store(err != nil)
	return err
}

// prune removes what a part has that is older than age.
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
		s.opts.Log.Info("what was too old is removed", slog.String("kind", p.Name), slog.Int64("removed", n), slog.Duration("older_than", age))
	}
	if !dry {
		s.count(p.Name, Count{Aged: n})
	}
	return n, err
}

// Prune removes what the part of a name has that is older than age, now, and returns how many
// that were; if dry is set, it only counts them. ok is not set without such a part.
func (s *Store) Prune(ctx context.Context, name string, age time.Duration, dry bool) (removed int64, ok bool, err error) {
	for _, p := range s.parts {
		if p.Name == name && p.Prune != nil {
			removed, err = s.prune(ctx, p, max(age, p.Least), dry)
			return removed, true, err
		}
	}
	return 0, false, nil
}
