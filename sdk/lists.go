package sdk

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// WithKey shows a local gateway that the program acts for a person: key is what
// the file approval.key of the gateway's data folder holds. The lists, and
// Decisions, ask for it; in hosted mode WithToken is enough.
func WithKey(key string) Option { return WithHeader(sdkapi.KeyHeader, key) }

// PromptQuery says which prompts are asked for. Its zero value asks for the newest ones.
type PromptQuery struct {
	Status       string    // as sdkapi.PromptWaiting; empty: any
	Conversation string    // empty: any
	Since        time.Time // those begun then or later; zero: from the first on
	Until        time.Time // those begun before; zero: up to now
	After        string    // the Next of the page before; empty: from the newest on
	Limit        int       // at most sdkapi.MaxPage; 0: 20
}

// List lists a user's prompts, the newest first. It needs WithKey locally.
func (p *Prompts) List(ctx context.Context, q PromptQuery) (*sdkapi.PromptList, error) {
	return get[sdkapi.PromptList](ctx, p.client, withQuery(sdkapi.PromptsPath, map[string]string{
		"status": q.Status, "conversationId": q.Conversation, "since": timeOf(q.Since), "until": timeOf(q.Until), "after": q.After, "limit": limitOf(q.Limit),
	}))
}

// Conversations lists a user's conversations, the most recently updated first: the page behind
// after, which is the Next of the page before, of at most limit. It needs WithKey locally.
func (p *Prompts) Conversations(ctx context.Context, after string, limit int) (*sdkapi.ConversationPages, error) {
	return get[sdkapi.ConversationPages](ctx, p.client, withQuery(sdkapi.ConversationsPath, map[string]string{"after": after, "limit": limitOf(limit)}))
}

// Usage returns what the user has spent on models today, and the budgets.
func (c *Client) Usage(ctx context.Context) (*sdkapi.Usage, error) {
	return get[sdkapi.Usage](ctx, c, sdkapi.UsagePath)
}

// Decisions holds the routes that list what waits for a yes or a no, and take the answer.
// They need WithKey locally. Its methods may be called from several goroutines at once.
type Decisions struct{ client *Client }

// DecisionQuery says which decisions are asked for. Its zero value asks for those
// that wait, the oldest first.
type DecisionQuery struct {
	State string // as sdkapi.DecisionDenied, or "any", which come newest first; empty: those that wait
	Via   string // the protocol that the call came by: mcp, prompt, ws or general; empty: any
	After string // the Next of the page before; empty: the first one
	Limit int    // at most sdkapi.MaxPage; 0: 20
}

// List lists the calls of tools that ask a person first.
func (d *Decisions) List(ctx context.Context, q DecisionQuery) (*sdkapi.DecisionList, error) {
	return get[sdkapi.DecisionList](ctx, d.client, withQuery(sdkapi.DecisionsPath, map[string]string{
		"state": q.State, "via": q.Via, "after": q.After, "limit": limitOf(q.Limit),
	}))
}

// Get returns one decision.
func (d *Decisions) Get(ctx context.Context, id string) (*sdkapi.Decision, error) {
	return get[sdkapi.Decision](ctx, d.client, decisionPath(id))
}

// Answer says yes or no. It fails with DecisionConflict where it was decided
// otherwise, and DecisionExpired where it is too late.
func (d *Decisions) Answer(ctx context.Context, id string, answer sdkapi.DecisionAnswer) (*sdkapi.Decision, error) {
	return post[sdkapi.Decision](safe(ctx), d.client, decisionPath(id), answer)
}

// Rules returns what the user said about calls once and for all.
func (d *Decisions) Rules(ctx context.Context) ([]sdkapi.WSPolicyRule, error) {
	out, err := get[sdkapi.Rules](ctx, d.client, sdkapi.RulesPath)
	if err != nil {
		return nil, err
	}
	return out.Rules, nil
}

// SetRules puts rules in place of those before. They hold from the next answer of a model.
func (d *Decisions) SetRules(ctx context.Context, rules []sdkapi.WSPolicyRule) error {
	_, err := put[sdkapi.Rules](safe(ctx), d.client, sdkapi.RulesPath, sdkapi.Rules{Rules: rules})
	return err
}

func decisionPath(id string) string { return sdkapi.DecisionsPath + "/" + url.PathEscape(id) }

// withQuery returns a path with the parameters that are not empty.
func withQuery(path string, parameters map[string]string) string {
	q := url.Values{}
	for name, value := range parameters {
		if value != "" {
			q.Set(name, value)
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

func limitOf(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func timeOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
