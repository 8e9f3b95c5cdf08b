package mcptools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Limits of calls and restarts of a server.
const (
	maxCalls   = 32               // concurrent calls of one server; others wait
	maxBackoff = time.Minute      // maximum pause before a failed server is started again
	steady     = 10 * time.Second // a server that ran for at least this time is restarted at once
	relist     = time.Second      // minimum time between two listings
)

// server is one server of the file.
type server struct {
	in    *Servers
	spec  Spec
	log   *slog.Logger
	kept  kept
	slots chan struct{} // its capacity is the number of concurrent calls
	clean *strings.Replacer
	seats seats // of users who have signed in

	mu       sync.Mutex
	now      *session  // nil if the server does not run
	trying   *attempt  // attempt to start the server; nil if there is none
	failures int       // consecutive failures
	next     time.Time // time before which the server is not started; zero if there is none
	problem  string    // last failure since the last start, without secrets
	unlisted bool      // the problem is from refuseAll: the next apply that succeeds solves it
	refused  bool      // its name is unusable; set only by recall
	listing  *listing  // nil until it is known
	print    string    // kept.print of the accepted tools when they were last read
	offered  *offer    // in the registry; nil if there is none
	perUser  bool      // users sign in to the server, and each has a session
}

// attempt is a start that several callers may wait for.
type attempt struct {
	done    chan struct{}
	session *session
	err     error
}

// newServer returns a server that is not started. Its call of recall must follow.
func newServer(in *Servers, spec Spec) *server {
	return &server{
		in: in, spec: spec, log: in.cfg.Log.With(slog.String("mcp_server", spec.Name)),
		kept: kept{in.cfg.Dir, spec.Name}, slots: make(chan struct{}, maxCalls), clean: spec.redactor(), perUser: spec.SignIn,
	}
}

// origin returns the owner of the server's tools in the registry.
func (s *server) origin() agent.Origin { return agent.Origin{Kind: agent.MCP, Owner: s.spec.Name} }

// recall registers the tools in the server's stored list, if the spec has not changed. If taken is set,
// built-in tools use the server's name, and recall refuses the server. New calls recall once.
func (s *server) recall(taken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.spec.Disabled:
		return
	case taken:
		s.refused = true
		s.fail(fmt.Errorf("the gateway's own tools are named %s.*; choose another name for the server in the file", s.spec.Name))
		return
	}
	if l := s.keptListing(); l != nil {
		s.apply(l)
		return
	}
	s.in.registry.Expect(s.origin(), s.spec.Name)
}

// keptListing returns the list on disk. It returns nil if there is none, or if the spec has changed since.
func (s *server) keptListing() *listing {
	if l := s.kept.listing(); l != nil && l.Spec == s.spec.print {
		return l
	}
	return nil
}

// asked reports whether the gateway uses the server: it is enabled, and its name is usable.
func (s *server) asked() bool { return !s.spec.Disabled && !s.refused }

// look starts a server with unknown tools once its pause is over, and applies newly accepted tools.
func (s *server) look() {
	if !s.asked() {
		return
	}
	s.sweep()
	s.mu.Lock()
	defer s.mu.Unlock()
	due := !time.Now().Before(s.next)
	switch {
	case s.listing != nil && (s.print != s.kept.print() || s.offered == nil && due):
		s.apply(cmp.Or(s.keptListing(), s.listing)) // the operator saw the stored list, which may be newer
	case s.listing == nil && s.trying == nil && due && !s.perUser:
		s.try()
	}
}

// session returns the running session, or starts the server and waits for it. After a failure, session fails
// with TOOL_ERROR until the pause is over.
func (s *server) session(ctx context.Context) (*session, error) {
	s.mu.Lock()
	if now := s.now; now != nil && !now.over() {
		s.mu.Unlock()
		return now, nil
	}
	s.now = nil
	if wait := time.Until(s.next); s.trying == nil && wait > 0 {
		problem := s.problem
		s.mu.Unlock()
		return nil, s.unusable(errors.New(problem), wait)
	}
	if s.trying == nil {
		s.try()
	}
	a := s.trying
	s.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-a.done:
	}
	if a.err != nil {
		return nil, s.unusable(a.err, 0)
	}
	return a.session, nil
}

// unusable returns the fault of a call while the server is unavailable. Only the log shows the cause. wait is
// the time until the next start.
func (s *server) unusable(cause error, wait time.Duration) error {
	return fault.New("mcptools.session", sdkapi.ToolError, "the MCP server %q is unavailable; the gateway's log has the reason. Try again in %s",
		s.spec.Name, max(wait, time.Second).Round(time.Second)).Because(cause)
}

// try starts the server in the background. The caller holds mu.
func (s *server) try() {
	a := &attempt{done: make(chan struct{})}
	s.trying = a
	begun := s.in.begin(func() {
		ctx, cancel := context.WithTimeout(s.in.ctx, s.in.cfg.StartTimeout)
		defer cancel()
		session, l, err := s.start(ctx)
		s.mu.Lock()
		a.session, a.err = session, err
		s.trying = nil
		if errors.Is(err, errSignIn) {
			s.signIn()
		} else if err != nil {
			s.fail(err)
		} else {
			s.now, s.problem = session, ""
			s.apply(l)
			s.log.Info("MCP server ready", slog.Int("tools", len(l.Tools)))
		}
		s.mu.Unlock()
		close(a.done)
		if err == nil {
			s.follow(session)
		}
	})
	if !begun {
		a.err = context.Canceled
		s.trying = nil
		close(a.done)
	}
}

// start opens a session and requests the tools. If that fails, it ends the session.
func (s *server) start(ctx context.Context) (*session, *listing, error) {
	session, err := openSession(ctx, &s.spec, s.in.cfg.Version, s.printed, nil)
	if err != nil {
		return nil, nil, err
	}
	l, err := fetch(ctx, session.ClientSession)
	if err != nil {
		cause := session.link.cause()
		session.end()
		return nil, nil, errors.Join(cause, err)
	}
	return session, l, nil
}

// printed logs a line of the server's output, without secrets.
func (s *server) printed(line string) {
	s.log.Info("MCP server output", slog.String("line", printable(s.clean.Replace(line), maxLineBytes)))
}

// shown returns an error on one line without secrets.
func (s *server) shown(err error) string {
	return printable(s.clean.Replace(strings.ReplaceAll(err.Error(), "\n", "; ")), maxLineBytes)
}

// fail records a problem and the time of the next try. The caller holds mu.
func (s *server) fail(err error) {
	if s.in.ctx.Err() != nil {
		return // Close ended the server
	}
	s.problem, s.unlisted = s.shown(err), false
	wait := min(s.in.cfg.Backoff<<min(s.failures, 20), maxBackoff)
	s.failures++
	s.next = time.Now().Add(wait)
	if s.offered == nil {
		// The registry no longer expects its tools. Removing does not fail.
		_ = s.in.registry.Update(s.origin(), nil)
	}
	s.log.Error("MCP server unavailable", slog.String("problem", s.problem), slog.Duration("again_in", wait))
}

// follow updates the registered tools when the server's list changes, until the session or the gateway ends. It
// then ends the session.
func (s *server) follow(session *session) {
	defer session.end()
	held := time.After(steady)
	for {
		select {
		case <-held:
			s.mu.Lock()
			s.failures = 0
			s.mu.Unlock()
		case <-s.in.ctx.Done():
			return
		case <-session.ended:
			s.lost(session)
			return
		case <-session.changed:
			s.again(session)
		}
	}
}

// again requests the list of a server that announced a change. It then waits for relist, so that a server cannot make
// the gateway request its list without pause.
func (s *server) again(session *session) {
	ctx, cancel := context.WithTimeout(s.in.ctx, s.in.cfg.StartTimeout)
	defer cancel()
	l, err := fetch(ctx, session.ClientSession)
	if err != nil {
		s.log.Warn("the MCP server failed to list its changed tools", slog.String("problem", s.shown(err)))
	} else {
		s.mu.Lock()
		s.apply(l)
		s.mu.Unlock()
	}
	select {
	case <-s.in.ctx.Done():
	case <-session.ended:
	case <-time.After(relist):
	}
}

// lost records the end of a session. If a program ended sooner than steady, lost counts a failure, and the next
// call has to wait.
func (s *server) lost(session *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trying != nil || s.now != nil && s.now != session {
		return // a call has noticed the end before
	}
	s.now = nil
	cause := errors.Join(session.link.cause(), session.why)
	if cause == nil {
		cause = errors.New("the gateway ended the connection: the server violated the protocol")
	}
	if errors.Is(cause, errSignIn) {
		s.signIn()
		return
	}
	if s.spec.URL == "" && time.Since(session.begun) < steady {
		s.fail(cause)
		return
	}
	s.log.Warn("the MCP server ended its session; the next call starts another", slog.String("problem", s.shown(cause)))
}

// apply replaces the registered tools with those of a listing. The caller holds mu.
func (s *server) apply(l *listing) {
	l.Spec = s.spec.print
	last, before := s.listing, s.offered
	s.listing = l
	known, err := s.kept.pins()
	if err != nil {
		s.refuseAll(err)
		return
	}
	was, err := s.kept.keepWas(l.Tools, known)
	s.keep(err)
	o := newOffer(s, l, known, was)
	if err := s.in.registry.Update(s.origin(), o.tools); err != nil {
		s.refuseAll(err)
		return
	}
	s.offered = o
	if s.unlisted {
		s.problem, s.failures, s.next, s.unlisted = "", 0, time.Time{}, false
	}
	if last == nil || !slices.EqualFunc(last.Tools, l.Tools, func(a, b listed) bool { return a.hash() == b.hash() }) {
		s.keep(s.kept.putListing(l))
	}
	if len(o.fresh) > 0 {
		maps.Copy(known, o.fresh)
		s.keep(s.kept.putPins(known))
	}
	s.print = s.kept.print()
	s.warn(o, before)
}

// accept accepts the changed tools if changes is their hash, and registers them. It returns the server's names
// of the tools.
func (s *server) accept(changes string) ([]string, error) {
	const op = "mcptools.Accept"
	s.mu.Lock()
	defer s.mu.Unlock()
	switch now := s.offered.changes(); {
	case s.offered == nil:
		return nil, fault.New(op, sdkapi.ToolError, "the tools of the MCP server %q are not known yet; run windie mcp servers", s.spec.Name)
	case now == "":
		return nil, nil
	case now != changes:
		return nil, fault.New(op, sdkapi.DecisionConflict, "the tools of the MCP server %q have changed again; review the new changes, then accept them", s.spec.Name)
	}
	known, err := s.kept.pins()
	if err == nil {
		maps.Copy(known, s.offered.others)
		err = s.kept.putPins(known)
	}
	if err != nil {
		return nil, fault.New(op, sdkapi.ToolError, "%s", s.shown(err)).Because(err)
	}
	accepted := slices.Sorted(maps.Keys(s.offered.others))
	s.apply(s.listing)
	return accepted, nil
}

// refuseAll removes all tools of the server from the registry because of err. look tries again later. The
// caller holds mu.
func (s *server) refuseAll(err error) {
	s.print = s.kept.print() // until it changes
	s.offered = nil
	s.fail(err)
	s.unlisted = true
}

// keep logs err if a list or accepted tools could not be stored. The gateway works without the stored files.
func (s *server) keep(err error) {
	if err != nil {
		s.log.Error("cannot store the tool list of an MCP server", slog.Any("err", err))
	}
}

// warn logs the notes and the changed tools of o that the earlier offer does not have. before may be nil.
func (s *server) warn(o, before *offer) {
	before = cmp.Or(before, &offer{})
	for _, n := range o.notes {
		if !slices.Contains(before.notes, n) {
			s.log.Warn("problem with the tools of an MCP server", slog.String("note", s.clean.Replace(n)))
		}
	}
	for _, t := range o.status {
		if t.Changed && !slices.ContainsFunc(before.status, func(b ToolStatus) bool { return reflect.DeepEqual(b, t) }) {
			s.log.Warn("a tool of an MCP server has changed; calls are refused until the operator accepts it",
				slog.String("tool", t.Name), slog.String("accept", "windie mcp accept "+s.spec.Name))
		}
	}
}

// told returns the server's status.
func (s *server) told() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{Name: s.spec.Name, Where: s.spec.Where(), Problem: s.problem, Tools: []ToolStatus{}}
	if s.offered != nil {
		st.Tools, st.Notes = append(st.Tools, s.offered.status...), slices.Clone(s.offered.notes)
		st.Changes = s.offered.changes()
	}
	switch {
	case s.spec.Disabled:
		st.State = Disabled
	case s.now != nil && s.offered != nil:
		st.State = Ready
	case s.problem != "" && s.trying == nil:
		st.State = Broken
	case s.listing != nil && s.trying == nil:
		st.State = Known
	case s.perUser:
		st.State = SignIn
	default:
		st.State = Starting
	}
	return st
}
