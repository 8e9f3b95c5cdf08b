package delegate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"
)

// client is this end of the connection to a program that speaks ACP.
type client struct {
	work *work
	conn *acp.ClientSideConnection
	run  *running

	mu      sync.Mutex
	session acp.SessionId
	turn    *turn           // the turn that incoming messages belong to; nil between turns
	old     map[string]bool // ids of messages of earlier turns, whose late pieces are dropped
	fresh   map[string]bool // ids of messages of this turn
}

// openACP starts the program of an agent, and sends the initialize request.
func openACP(ctx context.Context, w *work) (program, error) {
	run, err := startProgram(w)
	if err != nil {
		return nil, err
	}
	c := &client{work: w, run: run, old: map[string]bool{}}
	out := &held{from: run.out, ready: make(chan struct{})}
	c.conn = acp.NewClientSideConnection(c, run.in, out)
	c.conn.SetLogger(slog.New(slog.DiscardHandler))
	close(out.ready)
	_, err = c.conn.Initialize(ctx, acp.InitializeRequest{
		ProtocolVersion: acp.ProtocolVersionNumber, ClientInfo: &acp.Implementation{Name: "windie", Version: "1"},
	})
	if err != nil {
		c.stop()
		return nil, run.explain(fmt.Errorf("the agent failed to start the Agent Client Protocol: %w", err))
	}
	return c, nil
}

// held delays the agent's output until the connection has its logger. The connection starts to read
// before it can be given one.
type held struct {
	from  io.Reader
	ready chan struct{}
}

// Read waits until the channel ready is closed, and then reads the agent's output.
func (h *held) Read(p []byte) (int, error) {
	<-h.ready
	return h.from.Read(p)
}

// begin implements program.
func (c *client) begin(ctx context.Context) error {
	got, err := c.conn.NewSession(ctx, acp.NewSessionRequest{Cwd: c.work.opts.Dir, McpServers: []acp.McpServer{}})
	if err != nil {
		return c.run.explain(fmt.Errorf("the agent failed to start a session: %w", err))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = got.SessionId
	return nil
}

// say implements program.
func (c *client) say(ctx context.Context, t *turn, text string) (how string, err error) {
	c.mu.Lock()
	c.turn, c.fresh = t, map[string]bool{}
	session := c.session
	c.mu.Unlock()
	type end struct {
		got acp.PromptResponse
		err error
	}
	answered := make(chan end, 1)
	// when ctx ends, the agent itself ends the turn
	lasting, give := context.WithCancel(context.WithoutCancel(ctx))
	defer give()
	go func() {
		got, err := c.conn.Prompt(lasting, acp.PromptRequest{SessionId: session, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
		answered <- end{got, err}
	}()
	select {
	case e := <-answered:
		if e.err != nil {
			return "", c.run.explain(e.err)
		}
		return endOf(e.got.StopReason), nil
	case <-ctx.Done():
	}
	go func() { // the agent may no longer read, neither the task nor the cancel
		// if the program is gone, the prompt call reports it
		_ = c.conn.Cancel(lasting, acp.CancelNotification{SessionId: session})
	}()
	select {
	case <-answered:
		return cancelled, ctx.Err()
	case <-time.After(c.work.opts.Times.Cancel):
		give()
		c.run.end() // makes pending writes fail
		<-answered
		return "", errors.Join(ctx.Err(), errDeaf)
	}
}

// endOf returns how a turn ended.
func endOf(reason acp.StopReason) string {
	switch reason {
	case acp.StopReasonMaxTokens, acp.StopReasonMaxTurnRequests:
		return cutShort
	case acp.StopReasonRefusal:
		return refused
	case acp.StopReasonCancelled:
		return cancelled
	}
	return ended
}

// stop implements program.
func (c *client) stop() { c.run.end() }

// current returns the turn of a message in a session, or nil if there is none.
func (c *client) current(session acp.SessionId, message *string) *turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case session != c.session || c.turn == nil:
		return nil
	case message == nil:
		return c.turn
	case c.old[*message] && !c.fresh[*message]:
		return nil
	}
	c.old[*message], c.fresh[*message] = true, true
	return c.turn
}

// SessionUpdate implements acp.Client. It records the events of a turn.
func (c *client) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	u := n.Update
	var message *string
	if u.AgentMessageChunk != nil {
		message = u.AgentMessageChunk.MessageId
	}
	t := c.current(n.SessionId, message)
	if t == nil {
		return nil
	}
	switch {
	case u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Text != nil:
		id := ""
		if message != nil {
			id = *message
		}
		t.said(id, u.AgentMessageChunk.Content.Text.Text)
	case u.ToolCall != nil:
		t.used(string(u.ToolCall.ToolCallId), u.ToolCall.Title, runs(u.ToolCall.Status), u.ToolCall.Status == acp.ToolCallStatusFailed)
	case u.ToolCallUpdate != nil:
		var title string
		if u.ToolCallUpdate.Title != nil {
			title = *u.ToolCallUpdate.Title
		}
		status := acp.ToolCallStatusInProgress
		if u.ToolCallUpdate.Status != nil {
			status = *u.ToolCallUpdate.Status
		}
		t.used(string(u.ToolCallUpdate.ToolCallId), title, runs(status), status == acp.ToolCallStatusFailed)
	case u.AgentThoughtChunk != nil, u.Plan != nil:
		t.sign()
	}
	return nil
}

// runs reports whether a tool call with this status has not ended.
func runs(status acp.ToolCallStatus) bool {
	return status != acp.ToolCallStatusCompleted && status != acp.ToolCallStatusFailed
}

// RequestPermission implements acp.Client. It asks whether the agent may take a step. If the turn
// is over, it cancels the request.
func (c *client) RequestPermission(ctx context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	none := chosen(nil)
	t := c.current(r.SessionId, nil)
	if t == nil {
		return none, nil
	}
	once := choice(r.Options, acp.PermissionOptionKindAllowOnce)
	no := choice(r.Options, acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways)
	if once == nil { // the agent offers only standing permissions, about which nobody is asked
		c.work.decline(stepOf(r.ToolCall), "because the agent offers only a permanent approval")
		return chosen(no), nil
	}
	within, stop := t.while(ctx)
	defer stop()
	ok, err := c.work.allow(within, t, stepOf(r.ToolCall))
	switch {
	case err != nil || within.Err() != nil:
		return none, nil // nobody has decided: the agent treats a cancel as a denial
	case ok:
		return chosen(once), nil
	}
	return chosen(no), nil
}

// choice returns the first option of the first kind that is offered, or nil.
func choice(options []acp.PermissionOption, kinds ...acp.PermissionOptionKind) *acp.PermissionOption {
	for _, kind := range kinds {
		if at := slices.IndexFunc(options, func(o acp.PermissionOption) bool { return o.Kind == kind }); at >= 0 {
			return &options[at]
		}
	}
	return nil
}

// chosen returns the answer that selects an option. nil cancels the request, which the agent treats
// as a denial.
func chosen(o *acp.PermissionOption) (r acp.RequestPermissionResponse) {
	if r.Outcome = acp.NewRequestPermissionOutcomeCancelled(); o != nil {
		r.Outcome = acp.NewRequestPermissionOutcomeSelected(o.OptionId)
	}
	return r
}

// stepOf returns the step for which an agent asks permission.
func stepOf(call acp.ToolCallUpdate) (s Step) {
	if call.Title != nil {
		s.Title = *call.Title
	}
	if call.Kind != nil {
		s.Kind = string(*call.Kind)
	}
	for _, at := range call.Locations {
		s.Paths = append(s.Paths, at.Path)
	}
	if raw, err := json.Marshal(call.RawInput); err == nil && call.RawInput != nil {
		s.Input = raw
	}
	return s
}

// errNot is the error of an unsupported method: agents use files and programs themselves.
func errNot(method string) error { return acp.NewMethodNotFound(method) }

// ReadTextFile implements acp.Client.
func (*client) ReadTextFile(context.Context, acp.ReadTextFileRequest) (r acp.ReadTextFileResponse, err error) {
	return r, errNot(acp.ClientMethodFsReadTextFile)
}

// WriteTextFile implements acp.Client.
func (*client) WriteTextFile(context.Context, acp.WriteTextFileRequest) (r acp.WriteTextFileResponse, err error) {
	return r, errNot(acp.ClientMethodFsWriteTextFile)
}

// CreateTerminal implements acp.Client.
func (*client) CreateTerminal(context.Context, acp.CreateTerminalRequest) (r acp.CreateTerminalResponse, err error) {
	return r, errNot(acp.ClientMethodTerminalCreate)
}

// KillTerminal implements acp.Client.
func (*client) KillTerminal(context.Context, acp.KillTerminalRequest) (r acp.KillTerminalResponse, err error) {
	return r, errNot(acp.ClientMethodTerminalKill)
}

// ReleaseTerminal implements acp.Client.
func (*client) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (r acp.ReleaseTerminalResponse, err error) {
	return r, errNot(acp.ClientMethodTerminalRelease)
}

// TerminalOutput implements acp.Client.
func (*client) TerminalOutput(context.Context, acp.TerminalOutputRequest) (r acp.TerminalOutputResponse, err error) {
	return r, errNot(acp.ClientMethodTerminalOutput)
}

// WaitForTerminalExit implements acp.Client.
func (*client) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (r acp.WaitForTerminalExitResponse, err error) {
	return r, errNot(acp.ClientMethodTerminalWaitForExit)
}

var _ acp.Client = (*client)(nil)
