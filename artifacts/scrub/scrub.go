// Package scrub looks through all artifacts for damage that nobody has met yet.
//
//	s := scrub.Open(store, db, scrub.Options{Rate: scrub.DefaultRate})
//	go s.Run(ctx)                       // slowly, once a week
//	report, err := s.Round(ctx, report)   // now
//
// A round reads each artifact that the store lists and compares it with its SHA-256, makes sums of
// pieces where there are none, and then looks for the bytes of each row of the table of artifacts. One
// that cannot be read, though the store can be used, counts as damaged.
// What it found, and where it is, are in the database: it goes on where another gateway, or an
// earlier life, has stopped, and one gateway at a time does the work.
package scrub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/time/rate"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/trouble"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// DefaultRate is how many bytes a round reads in a second, where nobody waits for it.
const DefaultRate = 8 << 20

// Bounds of the work.
const (
	roundEvery = 7 * 24 * time.Hour // from one round's beginning to the next one's
	lookEvery  = time.Minute        // between two looks whether a round is due
	holdTime   = 2 * time.Minute    // until a gateway that says nothing counts as gone
	saveEvery  = 20 * time.Second   // between two notes of where a round is
	page       = 200                // ids at once
	idCost     = 4 << 10            // bytes that an artifact counts besides its own: there may be many small ones
	tidyTime   = 10 * time.Second   // of a note that is made though the work is to stop
)

// Options of a Scrubber.
type Options struct {
	Rate int64        // bytes in a second; 0: as many as there are, and Run does nothing
	Log  *slog.Logger // default: discard
}

// Scrubber looks through the artifacts of a store. Its methods are safe for concurrent use.
type Scrubber struct {
	store artifacts.Store // of bytes, as they are for everybody
	db    *database.DB
	opts  Options
	owner string // random

	checked, bytes atomic.Int64
	found          atomic.Pointer[Found]
}

// Open returns a scrubber. It closes neither the store nor db, which must both outlive it.
func Open(store artifacts.Store, db *database.DB, opts Options) *Scrubber {
	opts.Log = cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	return &Scrubber{store: store, db: db, opts: opts, owner: uuid.NewString()}
}

// Stats are what this process has looked at since Open, and what is known to be damaged.
type Stats struct {
	Checked, Bytes int64
	Found          Found
}

// Stats returns figures. Those of damage are at most a minute old while Run runs.
func (s *Scrubber) Stats() Stats {
	stats := Stats{Checked: s.checked.Load(), Bytes: s.bytes.Load()}
	if found := s.found.Load(); found != nil {
		stats.Found = *found
	}
	return stats
}

// Run makes a round each week, until ctx ends.
func (s *Scrubber) Run(ctx context.Context) {
	if s.opts.Rate == 0 {
		return
	}
	background.About(ctx, lookEvery, func(ctx context.Context) {
		if found, err := Look(ctx, s.db); err == nil {
			s.found.Store(&found)
		}
		at, ours, err := s.take(ctx, false)
		if err == nil && ours {
			err = s.round(ctx, at, func(Progress) {})
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, errTaken) {
			s.opts.Log.Warn("artifacts could not be scrubbed; it goes on in a minute", slog.Any("err", err))
		}
	})
}

// Progress says how far a round is.
type Progress struct{ Checked, Bytes int64 }

// Round makes a whole round now. One that another gateway is at ends.
func (s *Scrubber) Round(ctx context.Context, report func(Progress)) (Found, error) {
	at, _, err := s.take(ctx, true)
	if err == nil {
		err = s.round(ctx, at, report)
	}
	if err != nil {
		return Found{}, err
	}
	return Look(ctx, s.db)
}

// The two parts of a round, as a cursor begins.
const (
	listPart = "list/" // what the store lists
	rowsPart = "rows/" // what the database lists
)

// round goes on with a round to its end.
func (s *Scrubber) round(ctx context.Context, at place, report func(Progress)) error {
	r := &round{Scrubber: s, place: at, report: report, saved: time.Now(), limit: rate.NewLimiter(rate.Inf, artifacts.PieceSize)}
	if s.opts.Rate > 0 {
		r.limit = rate.NewLimiter(rate.Limit(s.opts.Rate), artifacts.PieceSize)
	}
	err := r.run(ctx)
	if err == nil {
		return s.end(ctx, r.place)
	}
	tidy, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	if errors.Is(err, errTaken) {
		return err
	}
	return errors.Join(err, s.save(tidy, r.place, true)) // another may go on at once
}

// round is a round under way.
type round struct {
	*Scrubber
	place
	report func(Progress)
	limit  *rate.Limiter
	saved  time.Time

	failures trouble.Count // of artifacts that cannot be read
}

func (r *round) run(ctx context.Context) error {
	if id, ok := strings.CutPrefix(r.after, listPart); ok {
		if walker, ok := r.store.(artifacts.Walker); ok {
			err := r.each(ctx, listPart, id, r.checkBytes, func(ctx context.Context, after string) ([]string, error) { return walker.Walk(ctx, after, page) })
			if err != nil {
				return err
			}
		}
		r.after = rowsPart
	}
	return r.each(ctx, rowsPart, strings.TrimPrefix(r.after, rowsPart), r.checkRow, r.rows)
}

// each calls check for all ids of a part after one.
func (r *round) each(ctx context.Context, part, after string, check func(ctx context.Context, id string) error, list func(ctx context.Context, after string) ([]string, error)) error {
	for {
		ids, err := list(ctx, after)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := r.wait(ctx, idCost); err != nil {
				return err
			}
			if err := check(ctx, id); err != nil {
				return err
			}
			after, r.after = id, part+id
			if err := r.pulse(ctx); err != nil {
				return err
			}
		}
		r.report(Progress{r.place.checked, r.place.bytes})
		if len(ids) < page {
			return nil
		}
	}
}

// wait waits until n more bytes may be read.
func (r *round) wait(ctx context.Context, n int) error {
	err := r.limit.WaitN(ctx, n)
	if err != nil && ctx.Err() != nil {
		return fault.From(fmt.Errorf("scrub: %w", ctx.Err()))
	}
	return err
}

// pulse notes now and then where the round is.
func (r *round) pulse(ctx context.Context) error {
	if time.Since(r.saved) < saveEvery {
		return nil
	}
	r.saved = time.Now()
	return r.save(ctx, r.place, false)
}

// checkBytes compares an artifact with its SHA-256, and makes sums of its pieces if there are none.
func (r *round) checkBytes(ctx context.Context, id string) error {
	info, err := r.compare(ctx, id)
	if err != nil && r.unreadable(ctx, err) {
		info, err = r.compare(ctx, id) // it may have been for a moment
	}
	r.place.checked++
	r.place.bytes += info.Size
	r.Scrubber.checked.Add(1)
	r.Scrubber.bytes.Add(info.Size)
	if summer, ok := r.store.(artifacts.Summer); ok && err == nil {
		if _, err = summer.AddPieces(ctx, id); fault.CodeOf(err) == sdkapi.StorageUnavailable {
			return err // it was read just now: the store takes no sums
		}
	}
	return r.judge(ctx, id, err)
}

// compare reads an artifact, and compares it with its SHA-256.
func (r *round) compare(ctx context.Context, id string) (artifacts.Info, error) {
	body, info, err := r.store.Get(ctx, id, 0, -1)
	if err == nil {
		err = artifacts.CheckWhole("scrub", &slow{ctx, r, body}, info)
		_ = body.Close() // it was only read
	}
	return info, err
}

// unreadable reports whether a failure is one artifact's, and not one of the whole store.
func (r *round) unreadable(ctx context.Context, err error) bool {
	return fault.CodeOf(err) == sdkapi.StorageUnavailable && r.store.Ready(ctx) == nil
}

// judge notes what is wrong with an artifact, which ends no round, unless the store seems to be away.
func (r *round) judge(ctx context.Context, id string, err error) error {
	if err == nil {
		r.failures.Note(nil)
		return nil
	}
	switch {
	case fault.CodeOf(err) == sdkapi.ArtifactNotFound: // deleted meanwhile, or half of one
		return nil
	case fault.CodeOf(err) == sdkapi.ArtifactDamaged:
		r.opts.Log.Error("an artifact is damaged; restore it from a backup", slog.String("artifact", id), slog.Any("err", err))
		return r.note(ctx, id, damaged)
	case !r.unreadable(ctx, err):
		return err
	}
	if r.failures.Note(err); r.failures.Enough() {
		return err
	}
	r.opts.Log.Error("an artifact cannot be read, and counts as damaged; see its disk, and restore it from a backup", slog.String("artifact", id), slog.Any("err", err))
	return r.note(ctx, id, damaged)
}

// checkRow looks for the bytes of a row.
func (r *round) checkRow(ctx context.Context, id string) error {
	_, err := r.store.Stat(ctx, id)
	if fault.CodeOf(err) == sdkapi.ArtifactDamaged {
		return nil // the first part has found it
	}
	if fault.CodeOf(err) != sdkapi.ArtifactNotFound {
		return r.judge(ctx, id, err)
	}
	if still, err := r.isKept(ctx, id); err != nil || !still {
		return err // it was deleted meanwhile
	}
	r.opts.Log.Error("the bytes of an artifact are missing; restore them from a backup", slog.String("artifact", id))
	return r.note(ctx, id, missing)
}

// slow reads a body as fast as the rate allows.
type slow struct {
	ctx   context.Context
	round *round
	body  io.Reader
}

// Read implements io.Reader.
func (s *slow) Read(p []byte) (int, error) {
	p = p[:min(len(p), artifacts.PieceSize)]
	if err := s.round.wait(s.ctx, len(p)); err != nil {
		return 0, err
	}
	n, err := s.body.Read(p)
	if err == nil {
		err = s.round.pulse(s.ctx)
	}
	return n, err
}
