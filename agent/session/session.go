// Package session runs conversations of users with models: messages, calls of
// tools, and the decisions of users and clients about them.
//
//	sessions := session.New(session.Config{Journal: log, Tools: registry, Model: catalogue.Model})
//	turn, err := sessions.Start(ctx, "s1", "ada", []session.Part{{Text: "Click on Send"}}, session.Reject)
//	for event, err := range sessions.Follow(ctx, "s1", 0) { ... }
//
// A session is a stream of the journal. Its State follows from its events; a
// snapshot now and then makes long conversations fast to read. A turn is a user's
// message and all that follows until the answer, also when the client's connection
// ends. The gateway with the turn's lease works on it; if that gateway dies, another
// continues. Protocols are views of the events, and answer the journal's decisions.
package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/ratelimit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Config configures sessions. Journal, Tools and Model are required.
type Config struct {
	Journal journal.Journal
	Tools   *agent.Registry

	// Model returns a session's model. Of the request, Model, Reasoning and MaxTokens are used.
	Model func(ctx context.Context, user string, s Settings) (models.Model, models.Request, error)

	// Image returns a user's image by its artifact's id. Default: it fails.
	Image func(ctx context.Context, user, id string) (models.Image, error)

	// Keep stores an image that a tool returned, and returns its artifact's id.
	// Default: it fails.
	Keep func(ctx context.Context, user, mediaType string, data []byte) (id string, err error)

	// Prepare returns the arguments for a client's tool, or a problem for the model in place of
	// the call, such as a target that is not on the screen. Default: the arguments as they are.
	Prepare func(ctx context.Context, s *State, c *Call) (arguments []byte, problem *Result, err error)

	// LeaseTTL is how long a gateway may be silent before others take its turns; default 30 s.
	// In it each turn writes to the journal three times: hundreds of turns make other writers wait.
	LeaseTTL time.Duration

	// Look is the longest pause between two looks for turns of gateways that are gone, and twice
	// the longest one after a look that found journal.MaxAbandoned; default 1 s.
	Look time.Duration

	// UserPolicy returns a user's rules. It is called for each answer with calls, and
	// before calls that waited, so that a new rule holds at once. Default: no rules.
	UserPolicy func(ctx context.Context, user string) (Policy, error)

	// Recall returns the text of the user's memory for all sessions, at the
	// beginning of a turn; it may be empty. Default: empty.
	Recall func(ctx context.Context, user string) (string, error)

	// Via returns the protocol of the session with that id, for the registry's
	// observers. Default: empty.
	Via func(id string) string

	// Ended is called for each call whose end the registry's observers miss: of a client's
	// tool, of a call that was not made, or was made by a gateway that is gone. e has the
	// registry's name of the tool if there is one. Ended must be quick. Default: nil.
	Ended func(call agent.Call, client bool, e ToolEnded)

	// Revoked reports whether a user was deleted, or the install that began a turn (empty
	// if unknown) revoked. It is called before each step of a turn. Default: never.
	Revoked func(ctx context.Context, user, install string) (bool, error)

	// Turned is called for each turn when it is open, before Start returns, and when
	// it has ended; a crash may come between. The turn waits for it. Default: nil.
	Turned func(ctx context.Context, about Turned)

	// Budget reports, by its error, that a user can spend nothing more on models for now.
	// It is called before a turn begins. Default: there is no budget.
	Budget func(ctx context.Context, user string) error

	UserTurns int // that a user may begin in a minute, by whichever protocol; default: any number

	System  string   // instructions for models, a variable of Prompts
	Prompts *Prompts // default: BuiltinPrompts
	Policy  Policy   // of the deployment
	Limits  Limits
	Log     *slog.Logger // default: discard
}

func (c Config) withDefaults() Config {
	if c.Image == nil {
		c.Image = func(context.Context, string, string) (models.Image, error) {
			return models.Image{}, fault.New("session.image", sdkapi.ArtifactNotFound, "there are no images here")
		}
	}
	if c.Keep == nil {
		c.Keep = func(context.Context, string, string, []byte) (string, error) {
			return "", fault.New("session.keep", sdkapi.StorageUnavailable, "images cannot be kept here")
		}
	}
	if c.Prepare == nil {
		c.Prepare = func(_ context.Context, _ *State, call *Call) ([]byte, *Result, error) {
			return call.Arguments, nil, nil
		}
	}
	if c.UserPolicy == nil {
		c.UserPolicy = func(context.Context, string) (Policy, error) { return nil, nil }
	}
	if c.Recall == nil {
		c.Recall = func(context.Context, string) (string, error) { return "", nil }
	}
	if c.Budget == nil {
		c.Budget = func(context.Context, string) error { return nil }
	}
	if c.Via == nil {
		c.Via = func(string) string { return "" }
	}
	if c.Prompts == nil {
		c.Prompts = BuiltinPrompts()
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.LeaseTTL = cmp.Or(c.LeaseTTL, 30*time.Second)
	c.Look = cmp.Or(c.Look, time.Second)
	c.Limits = c.Limits.withDefaults()
	return c
}

// Sessions are all sessions of a deployment, as one gateway sees them. Its
// methods may be called from several goroutines at once.
type Sessions struct {
	cfg  Config
	ctx  context.Context // of the turns that run here
	stop context.CancelCauseFunc
	all  sync.WaitGroup

	texts    *texts
	held     held // turns that run here
	figures  figures
	turns    *ratelimit.Limiter
	workers  *workers
	draining context.Context // ends when no more turns begin here
	drain    context.CancelCauseFunc
}

// New returns the sessions in the journal. The caller closes them.
func New(cfg Config) *Sessions {
	s := &Sessions{cfg: cfg.withDefaults(), workers: newWorkers(), texts: newTexts(cfg.Journal), turns: ratelimit.New(cfg.UserTurns, turnsPer)}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	s.draining, s.drain = context.WithCancelCause(s.ctx)
	return s
}

// closeTime bounds how long Close waits for models and tools that do not stop.
const closeTime = 10 * time.Second

// Close stops turns, which another gateway takes up, or this one when it starts
// again. Drain lets them end first. Close may be called twice.
func (s *Sessions) Close() {
	s.workers.shut()
	s.stop(errStopping)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.all.Wait()
	}()
	wait := time.NewTimer(closeTime)
	defer wait.Stop()
	select {
	case <-ended:
	case <-wait.C:
		s.cfg.Log.Warn("a model or a tool does not stop, and is left behind")
	}
}

// The streams of a session, and the lease that the worker of its turn holds.
func streamOf(id string) string  { return "session/" + id }
func controlOf(id string) string { return "control/" + id } // messages to the worker
func stateOf(id string) string   { return "state/" + id }   // see snapshot.go
func markOf(id string) string    { return "mark/" + id }    // likewise
func leaseOf(id string) string   { return "turn/" + id }

// HostLease is the key of the lease by which one of several clients of a session runs its tools.
func HostLease(id string) string { return "toolhost/" + id }

// Of returns the id of the session that a decision is about.
func Of(d journal.Decision) (id string, known bool) {
	return strings.CutPrefix(d.Stream, streamOf(""))
}

// Create makes a session for a user, unless it exists.
func (s *Sessions) Create(ctx context.Context, id, user string, settings Settings) error {
	return s.exclusively(ctx, id, func(w *worker) error {
		if w.state.Seq > 0 {
			return s.owns(w.state, user)
		}
		return w.append(ctx, Created{user}, Configured{settings})
	})
}

// Configure replaces a session's settings.
func (s *Sessions) Configure(ctx context.Context, id, user string, settings Settings) error {
	return s.exclusively(ctx, id, func(w *worker) error {
		if err := s.owns(w.state, user); err != nil {
			return err
		}
		return w.append(ctx, Configured{settings})
	})
}

// Replace replaces a session's history.
func (s *Sessions) Replace(ctx context.Context, id, user string, messages []Message) error {
	return s.exclusively(ctx, id, func(w *worker) error {
		if err := s.owns(w.state, user); err != nil {
			return err
		}
		for i := range messages {
			messages[i].Fence = newFence()
		}
		return w.append(ctx, Replaced{messages})
	})
}

// owns returns SESSION_NOT_FOUND for a session that does not exist or belongs to another user.
func (s *Sessions) owns(state *State, user string) error {
	if state.Seq == 0 || state.User != user {
		return fault.New("session", sdkapi.SessionNotFound, "there is no such session")
	}
	return nil
}

// exclusively changes a session that has no open turn.
func (s *Sessions) exclusively(ctx context.Context, id string, do func(*worker) error) error {
	w, err := s.take(ctx, id)
	if err != nil {
		return err
	}
	defer s.leave(ctx, id, w)
	if w.state.Turn != nil {
		return running()
	}
	err = do(w)
	s.tidy(ctx, id, w)
	return err
}

// leave gives back a lease that was taken beside a turn. If a gateway that is gone
// left work, it works on: without the lease nobody would find the work.
func (s *Sessions) leave(ctx context.Context, id string, w *worker) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), appendTime)
	defer cancel()
	if waiting, err := s.waiting(ctx, id, w.state); err != nil || len(waiting) > 0 || w.state.Turn != nil {
		s.work(id, w)
		return
	}
	_ = s.cfg.Journal.Release(ctx, w.lease)
}

// abandon lets a lease expire soon, so that others look for work.
func (s *Sessions) abandon(ctx context.Context, lease journal.Lease) {
	_, _ = s.cfg.Journal.Lease(context.WithoutCancel(ctx), lease.Key, lease.Owner, journal.MinTTL)
}

func running() error {
	return fault.New("session", sdkapi.TurnRunning, "the session's last message is still being worked on; wait for its end, or cancel it")
}

// handover bounds the wait for the lease of a turn that has just ended: a client
// that reads of the end sends its next message at once.
const handover = 2 * time.Second

// take gets a session's lease and reads its state.
func (s *Sessions) take(ctx context.Context, id string) (*worker, error) {
	lease, err := s.lease(ctx, id)
	if err != nil {
		return nil, err
	}
	state, kept, err := s.load(ctx, id)
	if err != nil {
		s.abandon(ctx, lease)
		return nil, err
	}
	return &worker{
		cfg: s.cfg, stream: streamOf(id), lease: lease, state: state, texts: s.texts, figures: &s.figures, kept: kept, all: &s.all, draining: s.draining, log: s.cfg.Log.With(slog.String("session", id)),
	}, nil
}

// lease gets a session's lease. It waits for a worker whose turn has ended, and
// not for one with a turn.
func (s *Sessions) lease(ctx context.Context, id string) (journal.Lease, error) {
	owner, until := rand.Text(), time.Now().Add(handover)
	for {
		lease, err := s.cfg.Journal.Lease(ctx, leaseOf(id), owner, s.cfg.LeaseTTL)
		if fault.CodeOf(err) != sdkapi.LeaseHeld {
			return lease, err
		}
		state, _, err := s.load(ctx, id)
		switch {
		case err != nil:
			return journal.Lease{}, err
		case state.Turn != nil || time.Now().After(until):
			return journal.Lease{}, running()
		}
		if err := background.Sleep(ctx, handover/200); err != nil {
			return journal.Lease{}, err
		}
	}
}

// State returns a user's session as it is now.
func (s *Sessions) State(ctx context.Context, id, user string) (*State, error) {
	state, _, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	return state, s.owns(state, user)
}

// Follow yields a session's events after a cursor and then new ones, as
// journal.Log.Follow does. It does not check the user, as State does.
func (s *Sessions) Follow(ctx context.Context, id string, after int64) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for e, err := range s.cfg.Journal.Follow(ctx, streamOf(id), after) {
			if err == nil {
				e, err = s.texts.expand(ctx, id, e)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Read returns a session's events after a cursor, as journal.Log.Read does. It
// does not check the user, as State does.
func (s *Sessions) Read(ctx context.Context, id string, after int64) ([]journal.Event, error) {
	list, err := s.cfg.Journal.Read(ctx, streamOf(id), after, journal.MaxEvents)
	for i := range list {
		if err == nil {
			list[i], err = s.texts.expand(ctx, id, list[i])
		}
	}
	return list, err
}

// Warn shows a warning to people who watch a user's session. It does not wait for
// a turn: as a warning changes no state, it may stand between any two events.
func (s *Sessions) Warn(ctx context.Context, id, user, message string) error {
	if _, err := s.State(ctx, id, user); err != nil {
		return err
	}
	_, err := s.appendTo(ctx, streamOf(id), Warned{Message: shorten(message, maxWarning)})
	return err
}

// appendTo appends an event to a stream without a lease.
func (s *Sessions) appendTo(ctx context.Context, stream string, e Event) (seq int64, err error) {
	events, err := encode([]Event{e})
	if err != nil {
		return 0, err
	}
	return s.cfg.Journal.Append(ctx, stream, events...)
}

// Bundle returns the steps of a bundle, in order, given the decision about the first
// step and an event before it; nothing without a bundle. The turn may have ended since.
func (s *Sessions) Bundle(ctx context.Context, first journal.Decision, after int64) (steps []ToolRequested, err error) {
	for e, err := range s.events(ctx, first.Stream, after) {
		if err != nil {
			return nil, err
		}
		requested, is, err := As[ToolRequested](e)
		if err != nil {
			return nil, err
		}
		if is && requested.Bundle == first.ID {
			steps = append(steps, requested)
		}
	}
	return steps, nil
}

// events yields the events of a stream after a cursor up to the last. It ends at the first error.
func (s *Sessions) events(ctx context.Context, stream string, after int64) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for {
			list, err := s.cfg.Journal.Read(ctx, stream, after, journal.MaxEvents)
			if err != nil {
				yield(journal.Event{}, err)
			}
			if err != nil || len(list) == 0 {
				return
			}
			for _, e := range list {
				if after = e.Seq; !yield(e, nil) {
					return
				}
			}
		}
	}
}
