// Package scrub checks all artifacts for damage, also artifacts that nobody reads.
//
//	s := scrub.Open(store, db, scrub.Options{Rate: scrub.DefaultRate})
//	go s.Run(ctx)                       // slowly, once a week
//	found, err := s.Round(ctx, report)  // now
//
// A round reads each artifact that the store lists and compares it with its SHA-256. It adds
// missing piece checksums. Then it checks that each row of the table of artifacts has content. If
// an artifact cannot be read although the store works, it counts as damaged.
//
// The results and the position of a round are in the database. A round continues where another
// gateway or an earlier process has stopped. Only one gateway works on a round at a time.
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

// DefaultRate is a recommended Options.Rate, in bytes per second.
const DefaultRate = 8 << 20

// Limits of the work.
const (
	roundEvery = 7 * 24 * time.Hour // time from the start of one round to the start of the next
	lookEvery  = time.Minute        // time between two checks whether a round is due
	holdTime   = 2 * time.Minute    // time without a saved position after which a gateway loses its round
	saveEvery  = 20 * time.Second   // time between two saves of the position
	page       = 200                // ids in one page
	// Bytes that an artifact costs in addition to its size, because there may be many small artifacts.
	idCost   = 4 << 10
	tidyTime = 10 * time.Second // time limit of the last save after ctx has ended
)

// Options configure a Scrubber.
type Options struct {
	// Rate is the reading speed in bytes per second. If it is 0, Round has no speed limit and Run
	// does nothing.
	Rate int64
	// Log gets the log messages. If it is nil, they are discarded.
	Log *slog.Logger
}

// Scrubber checks the artifacts of a store. Use Open to create a Scrubber. Its methods are safe for concurrent use.
type Scrubber struct {
	store artifacts.Store // the store of all users' artifacts
	db    *database.DB
	opts  Options
	owner string // random id of this scrubber in the database

	checked, bytes atomic.Int64
	found          atomic.Pointer[Found]
}

// Open returns a scrubber. It closes neither store nor db. Both must stay open while the scrubber
// is in use.
func Open(store artifacts.Store, db *database.DB, opts Options) *Scrubber {
	opts.Log = cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	return &Scrubber{store: store, db: db, opts: opts, owner: uuid.NewString()}
}

// Stats counts the artifacts and bytes that this process has checked since Open. The field Found is
// the known damage.
type Stats struct {
	Checked, Bytes int64
	Found          Found
}

// Stats returns the counts of this process. While Run is active, Stats.Found is at most a minute
// old.
func (s *Scrubber) Stats() Stats {
	stats := Stats{Checked: s.checked.Load(), Bytes: s.bytes.Load()}
	if found := s.found.Load(); found != nil {
		stats.Found = *found
	}
	return stats
}

// Run checks all artifacts once a week, until ctx ends. If Options.Rate is 0, it returns at once.
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
			s.opts.Log.Warn("scrubbing artifacts failed; the scrub continues in a minute", slog.Any("err", err))
		}
	})
}

// Progress counts the artifacts and bytes that a round has checked.
type Progress struct{ Checked, Bytes int64 }

// Round checks all artifacts now, from the first to the last, and returns all known damage. If
// another gateway is checking the artifacts, that gateway stops checking. Round calls the function
// report with its progress. The function must not be nil.
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

// The two parts of a round. A cursor begins with one of them.
const (
	listPart = "list/" // artifacts that the store lists
	rowsPart = "rows/" // artifacts that the database lists
)

// round continues a round until its end.
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
	return errors.Join(err, s.save(tidy, r.place, true)) // another process may continue at once
}

// round is a running round.
type round struct {
	*Scrubber
	place
	report func(Progress)
	limit  *rate.Limiter
	saved  time.Time

	failures trouble.Count // artifacts that cannot be read
}

// run checks the remaining artifacts of both parts, from the round's position on. If the store cannot list artifacts,
// it skips the first part.
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

// each calls check for all ids of a part that sort after the id after.
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

// wait waits until the rate allows n more bytes.
func (r *round) wait(ctx context.Context, n int) error {
	err := r.limit.WaitN(ctx, n)
	if err != nil && ctx.Err() != nil {
		return fault.From(fmt.Errorf("scrub: %w", ctx.Err()))
	}
	return err
}

// pulse saves the position of the round if saveEvery has passed.
func (r *round) pulse(ctx context.Context) error {
	if time.Since(r.saved) < saveEvery {
		return nil
	}
	r.saved = time.Now()
	return r.save(ctx, r.place, false)
}

// checkBytes compares an artifact with its SHA-256, and adds missing piece checksums.
func (r *round) checkBytes(ctx context.Context, id string) error {
	info, err := r.compare(ctx, id)
	if err != nil && r.unreadable(ctx, err) {
		info, err = r.compare(ctx, id) // the failure may have been temporary
	}
	r.place.checked++
	r.place.bytes += info.Size
	r.Scrubber.checked.Add(1)
	r.Scrubber.bytes.Add(info.Size)
	if summer, ok := r.store.(artifacts.Summer); ok && err == nil {
		if _, err = summer.AddPieces(ctx, id); fault.CodeOf(err) == sdkapi.StorageUnavailable {
			return err // it was readable just now, so the store cannot be written to
		}
	}
	return r.judge(ctx, id, err)
}

// compare reads an artifact and compares it with its SHA-256.
func (r *round) compare(ctx context.Context, id string) (artifacts.Info, error) {
	body, info, err := r.store.Get(ctx, id, 0, -1)
	if err == nil {
		err = artifacts.CheckWhole("scrub", &slow{ctx, r, body}, info)
		_ = body.Close() // it was only read
	}
	return info, err
}

// unreadable reports whether an error concerns one artifact, and not the whole store.
func (r *round) unreadable(ctx context.Context, err error) bool {
	return fault.CodeOf(err) == sdkapi.StorageUnavailable && r.store.Ready(ctx) == nil
}

// judge stores that an artifact is damaged because of err. It returns err, which ends the round, if the store
// seems to be unavailable.
func (r *round) judge(ctx context.Context, id string, err error) error {
	if err == nil {
		r.failures.Note(nil)
		return nil
	}
	switch {
	case fault.CodeOf(err) == sdkapi.ArtifactNotFound: // deleted meanwhile, or incomplete
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
	r.opts.Log.Error("the scrub cannot read an artifact and counts it as damaged; check its disk, and restore it from a backup", slog.String("artifact", id), slog.Any("err", err))
	return r.note(ctx, id, damaged)
}

// checkRow checks that a row's content exists.
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
	r.opts.Log.Error("the content of an artifact is missing; restore it from a backup", slog.String("artifact", id))
	return r.note(ctx, id, missing)
}

// slow reads a body at the rate of the round.
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
