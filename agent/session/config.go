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

	// Model returns a session's model and a request. Only the fields Model, Reasoning and MaxTokens
	// of the request are used.
	Model func(ctx context.Context, user string, s Settings) (models.Model, models.Request, error)

	// Image returns a user's image by the id of its artifact. The default function always fails.
	Image func(ctx context.Context, user, id string) (models.Image, error)

	// Keep stores an image from a tool, and returns the id of its artifact. The default function
	// always fails.
	Keep func(ctx context.Context, user, mediaType string, data []byte) (id string, err error)

	// Prepare returns the arguments for a client's tool. If there is a problem, such as a target
	// that is not on the screen, it returns the problem instead. Then the call is not made, and the
	// model gets the problem. The default function does not change the arguments.
	Prepare func(ctx context.Context, s *State, c *Call) (arguments []byte, problem *Result, err error)

	// LeaseTTL is the time for which a gateway may be silent before other gateways take over its
	// turns; default 30 s. In this time, each turn writes to the journal three times. Hundreds of
	// turns can therefore delay other writers to the journal.
	LeaseTTL time.Duration

	// Look is the maximum pause between two searches for turns of gateways that are gone. If a
	// search finds journal.MaxAbandoned turns, the next pause is at most half of Look. The default
	// is 1 s.
	Look time.Duration

	// UserPolicy returns a user's rules. The gateway calls it for each answer of the model that has
	// tool calls. It also calls it before each call that has waited, so that a new rule applies at
	// once. Default: no rules.
	UserPolicy func(ctx context.Context, user string) (Policy, error)

	// Recall returns the part of the user's memory that every session gets. It is called at the
	// start of a turn. The text may be empty. Default: empty.
	Recall func(ctx context.Context, user string) (string, error)

	// Via returns the protocol of a session, for the registry's observers. id is the id of the
	// session. Default: empty.
	Via func(id string) string

	// Ended is called for each call whose end the registry's observers do not see. These are the calls of a client's
	// tool, the calls that ended before the tool ran, such as denied calls, and the calls of a gateway that is gone. If
	// the tool is in the registry, e has the registry's name for the tool. Ended must return quickly. It may be nil.
	Ended func(call agent.Call, client bool, e ToolEnded)

	// Revoked reports whether the user of a turn was deleted, or whether the install that began the turn was revoked.
	// The id of the install is empty if it is unknown. Revoked is called before each step of the turn. By default,
	// nothing is revoked.
	Revoked func(ctx context.Context, user, install string) (bool, error)

	// Turned is called for each turn as soon as the turn is open, before Start returns. It is
	// called again when the turn has ended, unless the gateway crashes. The turn waits until Turned
	// returns. Default: nil.
	Turned func(ctx context.Context, about Turned)

	// Budget returns an error if a user must not spend more on models at present. It is called
	// before a turn begins. Default: no budget.
	Budget func(ctx context.Context, user string) error

	UserTurns int // maximum number of turns that a user may begin per minute, over all protocols; default: no limit

	System  string   // instructions for models; the templates in Prompts can use them
	Prompts *Prompts // templates for the instructions; default BuiltinPrompts
	Policy  Policy   // rules of the deployment
	Limits  Limits
	Log     *slog.Logger // log for failures; by default, messages are discarded
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

// Turned describes an open or ended turn, for lists of turns. If another gateway takes over a turn, the turn is
// reported again.
type Turned struct {
	Session, User string
	Seq           int64     // number of the event that began the turn
	Began         time.Time // start of the turn; zero once the turn has ended
	Input         string    // the user's text; empty once the turn has ended
	Ended         time.Time // end of the turn; zero while the turn is open
	Reason        EndReason // reason for the end of the turn
}

// policy returns the rules of deployment, user and session together. Rules of users and sessions
// can allow risky tools without asking the user, but cannot relax a rule of the deployment. Only
// the deployment can allow them after untrusted text.
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

// Limits are the limits of a turn. If a field is zero, its default applies.
type Limits struct {
	Rounds      int           // maximum number of rounds (requests to the model); default 50
	Tokens      int           // maximum number of tokens in all rounds together; default 1,000,000
	WallTime    time.Duration // maximum time from the message to the end, including waits for people; default 1 h
	Repeated    int           // maximum number of identical calls; default 3
	ResultBytes int           // maximum size of the text of one result for the model; default 64 KiB
	Parallel    int           // maximum number of tools of one answer that run at the same time; default 8
	Answer      time.Duration // maximum wait for the client's result, or for the user's approval; default 10 min
	Unaware     time.Duration // maximum wait for an approval in sessions with Settings.Unaware; default 2 min
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
