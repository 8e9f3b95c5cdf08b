package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// tool is a server's tool in the registry.
type tool struct {
	descriptor agent.Descriptor
	own        string          // the server's name of the tool
	input      json.RawMessage // the server's schema of the arguments
	server     *server
}

var _ agent.Tool = (*tool)(nil)

func (t *tool) Descriptor() agent.Descriptor { return t.descriptor }

// Call calls the tool within the operator's time limit, which includes the start of the tool's
// server. If the server may have run the call, Call does not repeat it.
func (t *tool) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	s := t.server
	within, cancel := context.WithTimeout(ctx, s.spec.Timeout)
	defer cancel()
	defer context.AfterFunc(s.in.ctx, cancel)()
	res, err := t.call(within, call)
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil:
		return agent.Result{}, ctx.Err()
	case errors.Is(within.Err(), context.DeadlineExceeded):
		return agent.Result{}, fault.New("mcptools.Call", sdkapi.Timeout, "the MCP server %q did not answer within %s", s.spec.Name, s.spec.Timeout).Because(err)
	}
	return agent.Result{}, err
}

// call waits for one of the server's slots and calls the tool. If the server refused the call because it does not know
// the session, call repeats it once in a new session.
func (t *tool) call(ctx context.Context, call agent.Call) (agent.Result, error) {
	select {
	case t.server.slots <- struct{}{}:
		defer func() { <-t.server.slots }()
	case <-ctx.Done():
		return agent.Result{}, ctx.Err()
	}
	for first := true; ; first = false {
		session, leave, err := t.server.sessionFor(ctx, call.User)
		if err != nil {
			return agent.Result{}, err
		}
		// This call may have started the server, whose tools may have changed.
		if err := t.server.vouch(t); err != nil {
			leave()
			return agent.Result{}, err
		}
		params := &mcp.CallToolParams{Name: t.own, Arguments: withDefaults(t.input, call.Arguments)}
		unwatch := session.watch(ctx, params)
		var refused atomic.Bool
		answer, err := session.call(context.WithValue(ctx, refusedKey{}, &refused), params)
		unwatch()
		leave()
		if err == nil {
			answer, err = session.wallet.clean(answer)
		}
		reported, ok := errors.AsType[*jsonrpc.Error](err)
		switch {
		case err == nil:
			return resultOf(answer), nil
		case session.wallet.refusal() != nil:
			return agent.Result{}, session.wallet.refusal()
		case session.wallet == nil && first && t.server.challenged(session.link):
			continue // the server refused the call without a user
		case refused.Load() && first && session.gone(ctx):
			continue // the server no longer knows the session, so it did not run the call
		case ok && reported.Code == codeUnsent:
			return agent.Result{}, t.server.unusable(errors.New(session.wallet.hide(t.server.shown(err))), 0)
		case ok:
			return agent.Failf("%s", session.wallet.hide(printable(reported.Message, maxLineBytes))).Result(), nil
		}
		return agent.Result{}, t.server.failed(ctx, session, err)
	}
}

// codeUnsent is the SDK's own code for a message that did not reach the server.
const codeUnsent = -32005

// vouch returns TOOL_FORBIDDEN if, in the listing of the running server, the tool differs from its accepted
// form, or if the server's tools are all refused.
func (s *server) vouch(t *tool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offered == nil || slices.ContainsFunc(s.offered.status, func(one ToolStatus) bool { return one.Tool == t.own && one.Changed }) {
		return fault.New("mcptools.Call", sdkapi.ToolForbidden, "the tool %q was not called: the server changed it, and the gateway's operator has not accepted the change", t.descriptor.Name)
	}
	return nil
}

// failed returns the fault of a call without a valid answer. If ctx has ended, it returns ctx's error.
func (s *server) failed(ctx context.Context, session *session, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err = errors.Join(session.link.cause(), err)
	return fault.New("mcptools.Call", sdkapi.ToolError, "the MCP server %q sent an invalid answer; the gateway's log has the reason", s.spec.Name).
		Because(errors.New(session.wallet.hide(s.shown(err))))
}

// call calls a tool. It returns when ctx ends, even if the server does not read its input.
func (s *session) call(ctx context.Context, params *mcp.CallToolParams) (*mcp.CallToolResult, error) {
	type answer struct {
		result *mcp.CallToolResult
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		var a answer
		defer func() { answered <- a }()
		defer recoverTo(&a.err)
		a.result, a.err = s.CallTool(ctx, params)
	}()
	select {
	case a := <-answered:
		return a.result, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// gone reports whether the session has ended. It waits at most one second, because the error of a call may
// arrive before the session ends.
func (s *session) gone(ctx context.Context) bool {
	select {
	case <-s.ended:
		return true
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
	return false
}
