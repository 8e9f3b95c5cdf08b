package sdk

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// WithKey proves to a local gateway that the program acts for a person. key is the content of the
// file approval.key in the gateway's data folder. The methods that return lists and the methods of
// Decisions require this key. In hosted mode WithToken is enough.
func WithKey(key string) Option { return WithHeader(sdkapi.KeyHeader, key) }

// PromptQuery filters prompts. Its zero value selects the newest prompts.
type PromptQuery struct {
	Status       string    // status of the prompts, for example sdkapi.PromptWaiting; empty means any status
	Conversation string    // id of a conversation; empty means any conversation
	Since        time.Time // only prompts that began at or after this time; zero means no limit
	Until        time.Time // only prompts that began before this time; zero means no limit
	After        string    // the Next of the previous page; empty means the first page
	Limit        int       // maximum number of prompts, at most sdkapi.MaxPage; 0 means 20
}

// List returns one page of a user's prompts, newest first. It needs WithKey on a local gateway.
func (p *Prompts) List(ctx context.Context, q PromptQuery) (*sdkapi.PromptList, error) {
	return get[sdkapi.PromptList](ctx, p.client, withQuery(sdkapi.PromptsPath, map[string]string{
		"status": q.Status, "conversationId": q.Conversation, "since": timeOf(q.Since), "until": timeOf(q.Until), "after": q.After, "limit": limitOf(q.Limit),
	}))
}

// Conversations returns one page of a user's conversations, most recently updated first, with at
// most limit conversations. The parameter after is the Next of the previous page. It is empty for
// the first page. Conversations needs WithKey on a local gateway.
func (p *Prompts) Conversations(ctx context.Context, after string, limit int) (*sdkapi.ConversationPages, error) {
	return get[sdkapi.ConversationPages](ctx, p.client, withQuery(sdkapi.ConversationsPath, map[string]string{"after": after, "limit": limitOf(limit)}))
}

// Usage returns the user's spending on models today, and the budgets.
func (c *Client) Usage(ctx context.Context) (*sdkapi.Usage, error) {
	return get[sdkapi.Usage](ctx, c, sdkapi.UsagePath)
}

// Decisions holds the routes that list the tool calls waiting for approval, and approve or deny
// them. They need WithKey on a local gateway. Its methods are safe for concurrent use.
type Decisions struct{ client *Client }

// DecisionQuery filters decisions. Its zero value selects the pending decisions, oldest first.
type DecisionQuery struct {
	// State is the state of the decisions, for example sdkapi.DecisionDenied. "any" selects all
	// decisions, newest first. Empty selects the pending decisions.
	State string
	Via   string // source of the call: mcp, prompt, ws or general; empty means any source
	After string // the Next of the previous page; empty means the first page
	Limit int    // maximum number of decisions, at most sdkapi.MaxPage; 0 means 20
}

// List returns one page of the tool calls that need a person's approval.
func (d *Decisions) List(ctx context.Context, q DecisionQuery) (*sdkapi.DecisionList, error) {
	return get[sdkapi.DecisionList](ctx, d.client, withQuery(sdkapi.DecisionsPath, map[string]string{
		"state": q.State, "via": q.Via, "after": q.After, "limit": limitOf(q.Limit),
	}))
}

// Get returns one decision. An unknown id fails with DecisionNotFound.
func (d *Decisions) Get(ctx context.Context, id string) (*sdkapi.Decision, error) {
	return get[sdkapi.Decision](ctx, d.client, decisionPath(id))
}

// Answer approves or denies a call. It fails with DecisionConflict if the call was already decided
// differently, and with DecisionExpired if the decision has expired.
func (d *Decisions) Answer(ctx context.Context, id string, answer sdkapi.DecisionAnswer) (*sdkapi.Decision, error) {
	return post[sdkapi.Decision](safe(ctx), d.client, decisionPath(id), answer)
}

// Rules returns the user's standing rules about tool calls.
func (d *Decisions) Rules(ctx context.Context) ([]sdkapi.WSPolicyRule, error) {
	out, err := get[sdkapi.Rules](ctx, d.client, sdkapi.RulesPath)
	if err != nil {
		return nil, err
	}
	return out.Rules, nil
}

// SetRules replaces the user's rules. The new rules apply from the agent's next response.
func (d *Decisions) SetRules(ctx context.Context, rules []sdkapi.WSPolicyRule) error {
	_, err := put[sdkapi.Rules](safe(ctx), d.client, sdkapi.RulesPath, sdkapi.Rules{Rules: rules})
	return err
}

// decisionPath returns the path of a decision, with the id escaped.
func decisionPath(id string) string { return sdkapi.DecisionsPath + "/" + url.PathEscape(id) }

// withQuery adds the non-empty parameters to path.
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

// limitOf returns n for a query string, or "" for 0, so that withQuery omits the parameter.
func limitOf(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// timeOf returns a time in UTC for a query string, or "" for the zero time, so that withQuery omits
// the parameter.
func timeOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
