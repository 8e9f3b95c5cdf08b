package session

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Config configures Sessions. Journal, Tools and Model are required.
type Config struct {
	Journal journal.Journal
	Tools   *agent.Registry

	// Model returns a session's model, and a request of which Model, Reasoning and MaxTokens are
	// used.
	Model func(ctx context.Context, user string, s Settings) (models.Model, models.Request, error)

	// Image returns a user's image by the id of its artifact. Default: it fails.
	Image func(ctx context.Context, user, id string) (models.Image, error)

	// Keep stores an image from a tool, and returns the id of its artifact. Default: it fails.
	Keep func(ctx context.Context, user, mediaType string, data []byte) (id string, err error)

	// Prepare returns the arguments for a client's tool. It may instead return a problem, such as a
	// target that is not on the screen; then the model gets the problem, and the call is not made.
	// Default: the arguments are unchanged.
	Prepare func(ctx context.Context, s *State, c *Call) (arguments []byte, problem *Result, err error)

	// LeaseTTL is how long a gateway may be silent before others take over its turns; default 30 s.
	// In this time each turn writes to the journal three times, so with hundreds of turns other
	// writers wait.
	LeaseTTL time.Duration

	// Look is the maximum pause between two searches for turns of gateways that are gone. It is
	// halved after a search that found journal.MaxAbandoned; default 1 s.
	Look time.Duration

	// UserPolicy returns a user's rules. It is called for each answer with calls, and before calls
	// that have waited, so that a new rule applies at once. Default: no rules.
	UserPolicy func(ctx context.Context, user string) (Policy, error)

	// Recall returns the text of the user's memory for all sessions, at the start of a turn; it may
	// be empty. Default: empty.
	Recall func(ctx context.Context, user string) (string, error)

	// Via returns the protocol of the session with an id, for the registry's observers. Default:
	// empty.
	Via func(id string) string

	// Ended is called for each call whose end the registry's observers miss: a call of a client's
	// tool, a call that was not made, or one of a gateway that is gone. e has the registry's name
	// of the tool if there is one. Ended must return quickly. Default: nil.
	Ended func(call agent.Call, client bool, e ToolEnded)

	// Revoked reports whether a user was deleted, or whether the install that began a turn was
	// revoked; install is empty if unknown. It is called before each step of a turn. Default:
	// never.
	Revoked func(ctx context.Context, user, install string) (bool, error)

	// Turned is called for each turn when it is open, before Start returns, and again when it has
	// ended. A crash may prevent the second call. The turn waits for Turned. Default: nil.
	Turned func(ctx context.Context, about Turned)

	// Budget returns an error if a user may spend nothing more on models for now. It is called
	// before a turn begins. Default: no budget.
	Budget func(ctx context.Context, user string) error

	UserTurns int // turns that a user may begin in a minute, over all protocols; default: no limit

	System  string   // instructions for models, a variable of Prompts
	Prompts *Prompts // default: BuiltinPrompts
	Policy  Policy   // of the deployment
	Limits  Limits
	Log     *slog.Logger // default: discard
}

// withDefaults returns c with the default of each optional field that is zero. Ended, Revoked and Turned may stay nil.
func (c Config) withDefaults() Config {
	if c.Image == nil {
		c.Image = func(context.Context, string, string) (models.Image, error) {
			return models.Image{}, fault.New("session.image", sdkapi.ArtifactNotFound, "this gateway stores no images")
		}
	}
	if c.Keep == nil {
		c.Keep = func(context.Context, string, string, []byte) (string, error) {
			return "", fault.New("session.keep", sdkapi.StorageUnavailable, "this gateway cannot store images")
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

// Turned describes a turn that is open or has ended, for lists of turns. If another gateway takes
// over a turn, the turn is reported again.
type Turned struct {
	Session, User string
	Seq           int64     // number of the event that began the turn
	Began         time.Time // zero once the turn has ended
	Input         string    // the user's text; empty once the turn has ended
	Ended         time.Time // zero while the turn is open
	Reason        EndReason // reason for the end
}

// policy returns the rules of deployment, user and session together. Rules of users and sessions
// can allow risky tools without a question, but cannot relax a rule of the deployment. Only the
// deployment can allow them after untrusted text.
func (c Config) policy(ctx context.Context, user string, s Settings) (Policy, error) {
	own, err := c.UserPolicy(ctx, user)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(c.Policy)
	for _, r := range slices.Concat(own, s.Policy) {
		r.Untrusted = false
		all = append(all, r)
	}
	return all, nil
}

// Limits are the limits of a turn. A zero field means its default.
type Limits struct {
	Rounds      int           // requests to the model; default 50
	Tokens      int           // of all rounds together; default 1,000,000
	WallTime    time.Duration // from the message to the end, waits for people included; default 1 h
	Repeated    int           // equal calls; default 3
	ResultBytes int           // of the text of one result for the model; default 64 KiB
	Parallel    int           // tools of one answer that run at the same time; default 8
	Answer      time.Duration // wait for the client's result, or for the user's approval; default 10 min
	Unaware     time.Duration // wait for an approval in sessions with Settings.Unaware; default 2 min
}

// DefaultLimits returns the default of each limit.
func DefaultLimits() Limits {
	return Limits{Rounds: 50, Tokens: 1_000_000, WallTime: time.Hour, Repeated: 3, ResultBytes: 64 << 10, Parallel: 8, Answer: journal.DefaultExpiry, Unaware: 2 * time.Minute}
}

// withDefaults returns l with the default of each limit that is zero.
func (l Limits) withDefaults() Limits {
	preset := DefaultLimits()
	return Limits{
		Rounds: cmp.Or(l.Rounds, preset.Rounds), Tokens: cmp.Or(l.Tokens, preset.Tokens), WallTime: cmp.Or(l.WallTime, preset.WallTime),
		Repeated: cmp.Or(l.Repeated, preset.Repeated), ResultBytes: cmp.Or(l.ResultBytes, preset.ResultBytes), Parallel: cmp.Or(l.Parallel, preset.Parallel),
		Answer: cmp.Or(l.Answer, preset.Answer), Unaware: cmp.Or(l.Unaware, preset.Unaware),
	}
}
