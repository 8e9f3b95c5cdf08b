package sdk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/windieos/windie/sdkapi"
)

// ToolHosts holds sessions in which an agent calls tools of this program. The sessions belong to
// the user that WithUser names.
type ToolHosts struct{ client *Client }

// HostTool is a tool that the program runs.
type HostTool struct {
	Name        string          `json:"name"` // letters, digits, "_" and "-" only
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`     // JSON Schema of the arguments
	Risk        string          `json:"risk,omitempty"` // "safe", "risky" or "forbidden"; empty means "risky"
}

// HostCall is a call of a tool.
type HostCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage
	// Reason says why the program should ask its user before it runs the tool. It matters only if
	// HostOptions.Asks is false. Empty means that the program need not ask.
	Reason string

	// Again is true if the gateway sent the call before this program connected. Such a call may
	// already have run.
	Again bool
}

// HostResult is the outcome of a call.
type HostResult struct {
	Output  any // the tool's output: text, or a value that encodes as JSON
	IsError bool
	Images  []sdkapi.ImageSource
}

// HostOptions describe a program to an agent. If Tools is set, Run must be set too.
type HostOptions struct {
	Session string // id of the session to resume; empty creates one
	History bool   // whether Heard also gets the session's earlier messages

	// Name is a stable id of the program, which stays the same after a restart. Empty means a
	// random id.
	Name         string
	Version      string
	Root         string // the folder in which the tools work
	OS           string
	Tools        []HostTool
	GatewayTools []string // names or patterns of the gateway's own tools that the agent may call too

	// Gateway, if not nil, is called before each connection. It returns the client to connect with,
	// so the program can change to a second gateway if it loses the first one. An error counts as a
	// failed connection. If Gateway is nil, the host uses the client that opened it.
	Gateway func(ctx context.Context) (*Client, error)

	// Asks means that the program handles approval.request in Heard and answers with Decide. If it
	// is false, the user is not asked.
	Asks bool

	// Run runs a tool. Its context ends when the result is no longer wanted. Calls come one at a
	// time.
	Run func(ctx context.Context, call HostCall) HostResult

	// Heard gets each message of the session once, in order, except tool.call and heartbeat. It
	// must return quickly.
	Heard func(m sdkapi.AgentMessage)

	// Connected is called with nil when the stream opens. It is called with the reason when the
	// stream breaks. It must return quickly.
	Connected func(err error)
}

// Host is a program's side of a session. Its methods are safe for concurrent use.
type Host struct {
	client *Client
	opts   HostOptions
	id     string
	// opts.Tools for the hello; empty for none
	manifest json.RawMessage
	known    int64 // seq of the session's last message before this program connected

	mu      sync.Mutex
	cursor  int64  // seq of the last message received
	turn    string // the agent's open turn; empty for none
	unnamed bool   // the gateway does not name turns
	stream  *hostStream
	unheard []*said // messages that the gateway may not have, in order
	calls   map[string]context.CancelFunc
	seen    map[string]bool // turns and ids of the calls that this program has run or runs
	running sync.WaitGroup
}

// said is a message that the gateway may not have yet.
type said struct {
	key string // subject of the message: a newer one with the same key replaces it
	sdkapi.AgentClientMessage
}

// Sessions returns one page of the user's sessions, in no particular order, with at most limit
// sessions. The parameter after is the Next of the previous page. It is empty for the first page.
func (h *ToolHosts) Sessions(ctx context.Context, after string, limit int) (*sdkapi.AgentSessionList, error) {
	return get[sdkapi.AgentSessionList](ctx, h.client, withQuery(sdkapi.AgentSessionsPath, map[string]string{"after": after, "limit": limitOf(limit)}))
}

// Session returns the description of a session. An unknown id fails with SessionNotFound.
func (h *ToolHosts) Session(ctx context.Context, id string) (*sdkapi.AgentSessionInfo, error) {
	return get[sdkapi.AgentSessionInfo](ctx, h.client, agentPath(sdkapi.AgentSessionPath, id))
}

// Delete deletes a session. An unknown id fails with SessionNotFound.
func (h *ToolHosts) Delete(ctx context.Context, id string) error {
	_, err := remove(ctx, h.client, agentPath(sdkapi.AgentSessionPath, id))
	return err
}

// agentPath replaces {id} in path with the escaped id of a session.
func agentPath(path, id string) string {
	return strings.ReplaceAll(path, "{id}", url.PathEscape(id))
}

// Open returns the program's side of a session. It creates the session unless opts name one. No
// message arrives before Serve is called. Open fails, without a request, if a tool cannot be encoded
// as JSON.
func (h *ToolHosts) Open(ctx context.Context, opts HostOptions) (*Host, error) {
	host := &Host{client: h.client, opts: opts, id: opts.Session, calls: map[string]context.CancelFunc{}, seen: map[string]bool{}}
	if opts.Tools != nil {
		var err error
		if host.manifest, err = manifestOf(opts.Tools); err != nil {
			return nil, err
		}
	}
	if host.opts.Name == "" {
		host.opts.Name = rand.Text()
	}
	if host.opts.Heard == nil {
		host.opts.Heard = func(sdkapi.AgentMessage) {}
	}
	if host.opts.Connected == nil {
		host.opts.Connected = func(error) {}
	}
	if host.id != "" {
		info, err := h.Session(ctx, host.id)
		if err != nil {
			return nil, err
		}
		if host.known = info.Seq; !opts.History {
			host.cursor = info.Seq
		}
		return host, nil
	}
	made, err := read[sdkapi.AgentSession](h.client.call(ctx, http.MethodPost, sdkapi.AgentSessionsPath, nil, nil)) //nolint:bodyclose // read closes it
	if err != nil {
		return nil, err
	}
	host.id = made.SessionID
	return host, nil
}

// manifestOf returns tools as a manifest. It fails if a tool cannot be encoded, for example because its Parameters are not
// JSON.
func manifestOf(tools []HostTool) (json.RawMessage, error) {
	for _, t := range tools {
		if _, err := json.Marshal(t); err != nil {
			return nil, fmt.Errorf("sdk: invalid tool %q: %w", t.Name, err)
		}
	}
	return json.Marshal(map[string]any{"tools": tools})
}

// ID returns the session's id.
func (h *Host) ID() string { return h.id }

// Known returns the seq of the session's last message before the program connected. A message with
// a seq up to Known is history.
func (h *Host) Known() int64 { return h.known }

// Say sends a message of the user to the agent and returns the message's name. If the gateway
// refuses the message, Heard gets an error message with that name. If a broken connection may have
// lost the message, the Host sends the message again, and the gateway counts it once.
func (h *Host) Say(text string, images ...sdkapi.ImageSource) (name string) {
	name = rand.Text()
	h.tell(&said{"say " + name, sdkapi.AgentClientMessage{Type: sdkapi.AgentUserMessage, MessageID: name, Content: text, Images: images}})
	return name
}

// Cancel ends the agent's open turn. If no turn is open, but a message of the user is still unsent,
// it ends the turn that this message starts. Otherwise, it does nothing. It never affects a later
// turn. Heard gets the message that reports the end of the turn.
func (h *Host) Cancel() {
	h.mu.Lock()
	turn, waits := h.turn, h.waits()
	h.mu.Unlock()
	if turn != "" || waits {
		h.tell(&said{"cancel", sdkapi.AgentClientMessage{Type: sdkapi.AgentCancel, TurnID: turn}})
	}
}

// waits reports whether the gateway may not have a message of the user yet. The caller holds mu.
func (h *Host) waits() bool {
	return slices.ContainsFunc(h.unheard, func(m *said) bool { return m.Type == sdkapi.AgentUserMessage })
}

// Decision is the user's answer to an approval.request.
type Decision struct {
	Approved  bool
	Reason    string          // why the user denied the call
	Arguments json.RawMessage // arguments that replace the agent's arguments; nil keeps the agent's arguments
}

// Decide answers an approval.request.
func (h *Host) Decide(asked *sdkapi.AgentApprovalMessage, d Decision) {
	h.tell(&said{"decide " + asked.ToolCallID, sdkapi.AgentClientMessage{
		Type: sdkapi.AgentDecision, ApprovalID: asked.ApprovalID, Approved: &d.Approved, Reason: d.Reason, Arguments: d.Arguments,
	}})
}

// tell sends a message when there is a connection, and again on each new one, until the gateway
// confirms it.
func (h *Host) tell(m *said) {
	m.SessionID = h.id
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, other := range h.unheard {
		if other.key == m.key {
			h.unheard[i] = m
			h.send(m)
			return
		}
	}
	h.unheard = append(h.unheard, m)
	h.send(m)
}

// send sends a message if there is a connection. If the connection fails, its reader notices. A
// cancel without a turn waits until the turn is known, unless the gateway does not name turns.
func (h *Host) send(m *said) {
	if h.stream != nil && (m.Type != sdkapi.AgentCancel || m.TurnID != "" || h.unnamed) {
		h.stream.send(m.AgentClientMessage)
	}
}

// arrived forgets the messages with these keys: the gateway has them.
func (h *Host) arrived(keys ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := h.unheard[:0]
	for _, m := range h.unheard {
		if !slices.Contains(keys, m.key) {
			kept = append(kept, m)
		}
	}
	h.unheard = kept
	if !h.waits() { // a cancel that waited for its turn has no turn any more
		h.unheard = slices.DeleteFunc(h.unheard, func(m *said) bool { return m.Type == sdkapi.AgentCancel && m.TurnID == "" })
	}
}
