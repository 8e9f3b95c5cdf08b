// Package session runs conversations of users with models: what was said, what
// tools were called, and what of it a human or a client has to decide.
//
//	sessions := session.New(session.Config{Journal: log, Tools: registry, Model: catalogue.Model})
//	turn, err := sessions.Start(ctx, "s1", "ada", []session.Part{{Text: "Click on Send"}}, session.Reject)
//	for event, err := range sessions.Follow(ctx, "s1", 0) { ... }
//
// A session is a stream of the journal: its State follows from its events, and
// is kept beside them now and then, so that a long conversation is read as fast
// as a short one. A turn is a user's message and all that comes of it until
// the answer. It outlives the connection that it came by. Whichever gateway
// has the turn's lease works on it; when that gateway dies, another takes the
// turn up where the events end. Protocols are views of the events, and answer
// what waits through the journal's decisions.
package session

import (
	"context"
	"crypto/rand"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Config says what sessions are made of. Journal, Tools and Model are required.
type Config struct {
	Journal journal.Journal
	Tools   *agent.Registry

	// Model returns whom to ask for a session, and with what: the request's
	// Model, Reasoning and MaxTokens are taken.
	Model func(ctx context.Context, user string, s Settings) (models.Model, models.Request, error)

	// Image returns an artifact of a user's that is an image. Default: none is
	// there.
	Image func(ctx context.Context, user, id string) (models.Image, error)

	// Keep stores an image that a tool gave, and returns its artifact's id.
	// Default: it fails.
	Keep func(ctx context.Context, user, mediaType string, data []byte) (id string, err error)

	// Prepare returns the arguments that a client's tool is called with, or
	// what the model is told in place of a call: a target that is not on the
	// screen, say. Default: the arguments as they are.
	Prepare func(ctx context.Context, s *State, c *Call) (arguments []byte, problem *Result, err error)

	// LeaseTTL is how long a gateway may be silent before another takes its
	// turns; default 30 s. Each turn writes to the journal three times in it,
	// which with hundreds of turns is what others wait for.
	LeaseTTL time.Duration

	// UserPolicy returns the rules that a user made. It is asked about each
	// answer with calls, so that a new rule holds at once. Default: there are
	// none.
	UserPolicy func(ctx context.Context, user string) (Policy, error)

	// Recall returns what the user's memory says to all sessions, which turns
	// begin with; empty for nothing. Default: nothing.
	Recall func(ctx context.Context, user string) (string, error)

	// Via returns the protocol that a session of that id is spoken to by, which
	// its calls tell the registry's observers. Default: none.
	Via func(id string) string

	// Ended is told of the end of each call that the registry's observers do
	// not hear of: of a tool of the client's, and of one that was not made, or
	// by a gateway that is gone. The name of a tool is the registry's, where it
	// is there. Ended must be quick. Default: nobody is told.
	Ended func(call agent.Call, client bool, e ToolEnded)

	// Revoked reports whether a user is deleted, or the install of theirs that
	// began a turn revoked; install is empty where nobody knows it. It is asked
	// before each step of a turn. Default: nobody ever is.
	Revoked func(ctx context.Context, user, install string) (bool, error)

	// Turned is told of each turn when it is open, before who began it is, and
	// when it has ended; a crash may come between. It is waited for. Default:
	// nobody is told.
	Turned func(ctx context.Context, about Turned)

	System  string   // what models are told first, by Prompts
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
	if c.Via == nil {
		c.Via = func(string) string { return "" }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.LeaseTTL == 0 {
		c.LeaseTTL = 30 * time.Second
	}
	if c.Prompts == nil {
		c.Prompts = BuiltinPrompts()
	}
	c.Limits = c.Limits.withDefaults()
	return c
}

// Sessions are all sessions of a deployment, as one gateway sees them. Its
// methods may be called from several goroutines at once.
type Sessions struct {
	cfg  Config
	ctx  context.Context // of the turns that are worked on here
	stop context.CancelCauseFunc
	all  sync.WaitGroup

	held held // turns that are worked on here

	workers  *workers
	draining context.Context // ends when no more turns begin here
	drain    context.CancelCauseFunc
}

// New returns the sessions that are in the journal. The caller closes them.
func New(cfg Config) *Sessions {
	s := &Sessions{cfg: cfg.withDefaults(), workers: newWorkers()}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	s.draining, s.drain = context.WithCancelCause(s.ctx)
	return s
}

// closeTime bounds how long Close waits for models and tools that do not stop.
const closeTime = 10 * time.Second

// Close stops working on turns, which another gateway takes up, or this one
// when it starts again. Who wants them to end drains first. It may be called
// twice.
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

// streamOf is where a session's events are.
func streamOf(id string) string { return streams + id }

const streams = "session/"

// Of returns the id of the session that a decision is about.
func Of(d journal.Decision) (id string, known bool) { return strings.CutPrefix(d.Stream, streams) }

// controlOf is where those who watch tell those who work what to do.
func controlOf(id string) string { return "control/" + id }

// stateOf is where a session's state is kept, and markOf an older one, see
// snapshot.go.
func stateOf(id string) string { return "state/" + id }
func markOf(id string) string  { return "mark/" + id }

// leaseOf is what the worker of a session's turn holds.
func leaseOf(id string) string { return "turn/" + id }

// Create makes a session for a user, if it is not there.
func (s *Sessions) Create(ctx context.Context, id, user string, settings Settings) error {
	return s.exclusively(ctx, id, func(w *worker) error {
		if w.state.Seq > 0 {
			return s.owns(w.state, user)
		}
		return w.append(ctx, Created{user}, Configured{settings})
	})
}

// Configure puts other settings in place of a session's.
func (s *Sessions) Configure(ctx context.Context, id, user string, settings Settings) error {
	return s.exclusively(ctx, id, func(w *worker) error {
		if err := s.owns(w.state, user); err != nil {
			return err
		}
		return w.append(ctx, Configured{settings})
	})
}

// Replace puts another history in place of a session's.
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

// owns returns SESSION_NOT_FOUND for a session of somebody else's, as for one
// that does not exist.
func (s *Sessions) owns(state *State, user string) error {
	if state.Seq == 0 || state.User != user {
		return fault.New("session", sdkapi.SessionNotFound, "there is no such session")
	}
	return nil
}

// exclusively does something to a session on which nobody works.
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

// leave ends what was done to a session beside a turn. The lease may be one that
// a gateway left which is gone: then there is work to take up, and giving it
// back would hide that from everybody.
func (s *Sessions) leave(ctx context.Context, id string, w *worker) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), appendTime)
	defer cancel()
	if waiting, err := s.waiting(ctx, id, w.state); err != nil || len(waiting) > 0 || w.state.Turn != nil {
		s.work(id, w)
		return
	}
	_ = s.cfg.Journal.Release(ctx, w.lease)
}

// abandon lets a lease run out soon, so that others see that there may be work.
func (s *Sessions) abandon(ctx context.Context, lease journal.Lease) {
	_, _ = s.cfg.Journal.Lease(context.WithoutCancel(ctx), lease.Key, lease.Owner, journal.MinTTL)
}

func running() error {
	return fault.New("session", sdkapi.TurnRunning, "the session's last message is still being worked on; wait for its end, or cancel it")
}

// handover is how long the worker of a turn that has ended may take to give the
// lease back. Whoever reads of the end goes on at once, and should not be told
// that the turn still runs.
const handover = 2 * time.Second

// take gets the lease of a session and reads its state.
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
		cfg: s.cfg, stream: streamOf(id), lease: lease, state: state, kept: kept, all: &s.all, draining: s.draining, log: s.cfg.Log.With(slog.String("session", id)),
	}, nil
}

// lease gets the lease of a session. It waits for a worker that is about to
// give it back, and not for one with a turn.
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
		select {
		case <-ctx.Done():
			return journal.Lease{}, ctx.Err()
		case <-time.After(handover / 200):
		}
	}
}

// State returns what a user's session is now.
func (s *Sessions) State(ctx context.Context, id, user string) (*State, error) {
	state, _, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	return state, s.owns(state, user)
}

// Follow yields a session's events after a cursor and then new ones, as
// journal.Log.Follow does. Whose it is, State tells.
func (s *Sessions) Follow(ctx context.Context, id string, after int64) iter.Seq2[journal.Event, error] {
	return s.cfg.Journal.Follow(ctx, streamOf(id), after)
}

// Read returns a session's events after a cursor, as journal.Log.Read does.
// Whose it is, State tells.
func (s *Sessions) Read(ctx context.Context, id string, after int64) ([]journal.Event, error) {
	return s.cfg.Journal.Read(ctx, streamOf(id), after, journal.MaxEvents)
}

// Warn tells who watches a user's session something that came up beside its
// turns. It waits for nobody who works on one: a warning changes no state, so
// that it may stand between any two of the worker's events.
func (s *Sessions) Warn(ctx context.Context, id, user, message string) error {
	if _, err := s.State(ctx, id, user); err != nil {
		return err
	}
	events, err := encode([]Event{Warned{Message: shorten(message, maxWarning)}})
	if err != nil {
		return err
	}
	_, err = s.cfg.Journal.Append(ctx, streamOf(id), events...)
	return err
}

// Bundle returns the steps of a bundle, in order, by the decision about the
// first of them, and an event before which none of them was. Its turn may have
// ended since. A request that is alone is a bundle of none.
func (s *Sessions) Bundle(ctx context.Context, first journal.Decision, after int64) ([]ToolRequested, error) {
	var steps []ToolRequested
	for {
		events, err := s.cfg.Journal.Read(ctx, first.Stream, after, journal.MaxEvents)
		if err != nil || len(events) == 0 {
			return steps, err
		}
		for _, e := range events {
			after = e.Seq
			requested, is, err := As[ToolRequested](e)
			if err != nil {
				return nil, err
			}
			if is && requested.Bundle == first.ID {
				steps = append(steps, requested)
			}
		}
	}
}
