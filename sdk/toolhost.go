package sdk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/windieos/windie/sdkapi"
)

// ToolHosts are sessions with an agent whose tools this program runs, for the user named by WithUser.
type ToolHosts struct{ client *Client }

// HostTool is a tool that the program runs.
type HostTool struct {
	Name        string          `json:"name"` // letters, digits, "_" and "-"
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`     // JSON schema of the arguments
	Risk        string          `json:"risk,omitempty"` // "safe", "risky" or "forbidden"; empty for risky
}

// HostCall is a call of a tool.
type HostCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage
	Reason    string // why to ask the user first, if Asks is not set; empty if there is no need

	// Again says that the call may have been made: another program of the session had it before this one.
	Again bool
}

// HostResult is what came of a call.
type HostResult struct {
	Output  any // text, or what becomes JSON
	IsError bool
	Images  []sdkapi.ImageSource
}

// HostOptions describe a program to an agent. Run is required with Tools.
type HostOptions struct {
	Session string // to go on with; empty for a new one
	History bool   // hear what was said in it before

	Name         string // of the program, the same when it is started again; empty for one of its own
	Version      string
	Root         string // folder that the tools work in
	OS           string
	Tools        []HostTool
	GatewayTools []string // names of the gateway's own tools that the agent may call too, or patterns

	// Gateway returns the gateway to connect to, before each connection: another one may have taken the place of one
	// that is gone. Its error is as one of connecting. Default: always the same.
	Gateway func(ctx context.Context) (*Client, error)

	// Asks says that Heard knows approval.request, which Decide answers. Without it, nobody is asked.
	Asks bool

	// Run runs a tool. Its context ends when nobody waits for the result any longer. Calls come one at a time.
	Run func(ctx context.Context, call HostCall) HostResult

	// Heard gets each message of the session once, in order, but tool.call and heartbeat. It must be quick.
	Heard func(m sdkapi.AgentMessage)

	// Connected is called when the stream is open, with nil, and when it broke, with the reason. It must be quick.
	Connected func(err error)
}

// Host is a program's side of a session.
type Host struct {
	client *Client
	opts   HostOptions
	id     string
	known  int64 // the last event of the session before this program came

	mu      sync.Mutex
	cursor  int64  // the last message that was heard
	turn    string // that the agent works on; empty for none
	unnamed bool   // the gateway names no turns
	stream  *hostStream
	unheard []*said // in order
	calls   map[string]context.CancelFunc
	seen    map[string]bool // calls of this program, by id
	running sync.WaitGroup
}

// said is a message that the gateway may not have yet.
type said struct {
	key string // what it is about: a second one of the same key is not sent
	sdkapi.AgentClientMessage
}

// Sessions lists the user's sessions, in no order: the page behind after, of at most limit.
func (h *ToolHosts) Sessions(ctx context.Context, after string, limit int) (*sdkapi.AgentSessionList, error) {
	return get[sdkapi.AgentSessionList](ctx, h.client, withQuery(sdkapi.AgentSessionsPath, map[string]string{"after": after, "limit": limitOf(limit)}))
}

// Session describes a session.
func (h *ToolHosts) Session(ctx context.Context, id string) (*sdkapi.AgentSessionInfo, error) {
	return get[sdkapi.AgentSessionInfo](ctx, h.client, agentPath(sdkapi.AgentSessionPath, id))
}

// Delete removes a session.
func (h *ToolHosts) Delete(ctx context.Context, id string) error {
	_, err := remove(ctx, h.client, agentPath(sdkapi.AgentSessionPath, id))
	return err
}

func agentPath(path, id string) string {
	return strings.ReplaceAll(path, "{id}", url.PathEscape(id))
}

// Open returns the program's side of a session, which it makes unless opts name one. Nothing is heard until Serve.
func (h *ToolHosts) Open(ctx context.Context, opts HostOptions) (*Host, error) {
	host := &Host{client: h.client, opts: opts, id: opts.Session, calls: map[string]context.CancelFunc{}, seen: map[string]bool{}}
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

// ID returns the session's id.
func (h *Host) ID() string { return h.id }

// Known returns the seq of the last message that was there before the program came: what has no higher one is history.
func (h *Host) Known() int64 { return h.known }

// Say gives the agent what the user says, and returns a name for it. If it is refused, Heard gets an error message with
// that name; one that a broken connection may have lost is sent again, and counts once.
func (h *Host) Say(text string, images ...sdkapi.ImageSource) (name string) {
	name = rand.Text()
	h.tell(&said{"say " + name, sdkapi.AgentClientMessage{Type: sdkapi.AgentUserMessage, MessageID: name, Content: text, Images: images}})
	return name
}

// Cancel ends what the agent works on, if anything: the turn that was heard of, or else the one that what was said begins, and no
// later one. The message of its end says so.
func (h *Host) Cancel() {
	h.mu.Lock()
	turn, waits := h.turn, h.waits()
	h.mu.Unlock()
	if turn != "" || waits {
		h.tell(&said{"cancel", sdkapi.AgentClientMessage{Type: sdkapi.AgentCancel, TurnID: turn}})
	}
}

// waits reports whether the gateway may not have something that the user said. The caller holds mu.
func (h *Host) waits() bool {
	return slices.ContainsFunc(h.unheard, func(m *said) bool { return m.Type == sdkapi.AgentUserMessage })
}

// Decision is the user's answer to an approval.request.
type Decision struct {
	Approved  bool
	Reason    string          // why not
	Arguments json.RawMessage // in place of the agent's; nil for those
}

// Decide answers an approval.request.
func (h *Host) Decide(asked *sdkapi.AgentApprovalMessage, d Decision) {
	h.tell(&said{"decide " + asked.ToolCallID, sdkapi.AgentClientMessage{
		Type: sdkapi.AgentDecision, ApprovalID: asked.ApprovalID, Approved: &d.Approved, Reason: d.Reason, Arguments: d.Arguments,
	}})
}

// tell sends a message, now or when there is a connection, until heard shows that it arrived.
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

// send sends a message if there is a connection. A connection that fails says so to its reader. A cancel waits until its turn is known,
// unless the gateway names no turns.
func (h *Host) send(m *said) {
	if h.stream != nil && (m.Type != sdkapi.AgentCancel || m.TurnID != "" || h.unnamed) {
		h.stream.send(m.AgentClientMessage)
	}
}

// arrived forgets the messages whose keys are given: the gateway has them.
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
	if !h.waits() { // so a cancel that waited for its turn waits for nothing
		h.unheard = slices.DeleteFunc(h.unheard, func(m *said) bool { return m.Type == sdkapi.AgentCancel && m.TurnID == "" })
	}
}
