package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// host is a tool host. Its tool calls and approval requests wait until the driver's input answers
// them.
type host struct {
	waiting
	of    *sdk.Host
	asked map[string]*sdkapi.AgentApprovalMessage // approval requests, by id
}

// host follows a session of the agent and writes each message until the call is aborted.
func (d *driver) host(ctx context.Context, c *sdk.Client, r *request) (err error) {
	h := &host{asked: map[string]*sdkapi.AgentApprovalMessage{}}
	var body struct{ Tools []string }
	if err := json.Unmarshal(r.Args.Body, &body); err != nil {
		return err
	}
	say := func(e event) { d.say(map[string]any{"id": r.ID, "event": e}) }
	opts := sdk.HostOptions{
		Session: r.Args.Path["id"], Asks: true,
		Heard: func(m sdkapi.AgentMessage) {
			if q, ok := m.(*sdkapi.AgentApprovalMessage); ok {
				h.mu.Lock()
				h.asked[q.ApprovalID] = q
				h.mu.Unlock()
			}
			say(event{Event: m.Head().Type, Data: m})
		},
		Connected: func(err error) {
			if err == nil {
				say(event{Event: "open"})
			}
		},
		Run: func(ctx context.Context, call sdk.HostCall) sdk.HostResult {
			say(event{Event: sdkapi.AgentToolCall, Data: map[string]any{"toolCallId": call.ID, "name": call.Name, "arguments": call.Arguments, "reason": orNull(call.Reason)}})
			var result sdkapi.AgentClientMessage
			if err := h.answered(ctx, call.ID, &result); err != nil {
				return sdk.HostResult{Output: err.Error(), IsError: true}
			}
			return sdk.HostResult{Output: result.Output, IsError: result.IsError, Images: result.Images}
		},
	}
	for _, name := range body.Tools {
		opts.Tools = append(opts.Tools, sdk.HostTool{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	if body.Tools != nil && opts.Tools == nil {
		opts.Tools = []sdk.HostTool{}
	}
	if h.of, err = c.ToolHosts.Open(ctx, opts); err != nil {
		return err
	}
	d.mu.Lock()
	d.hosts[r.ID] = h
	d.mu.Unlock()
	return h.of.Serve(ctx)
}

// orNull returns text, or nil if it is empty.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// onHost sends a message of a host, or answers a pending call or approval request.
func (d *driver) onHost(r *request) error {
	d.mu.Lock()
	h := d.hosts[r.Args.Call]
	d.mu.Unlock()
	if h == nil {
		return fmt.Errorf("no tool host session belongs to the call %d", r.Args.Call)
	}
	var m sdkapi.AgentClientMessage
	if err := json.Unmarshal(r.Args.Body, &m); err != nil {
		return err
	}
	switch r.Op {
	case "host.answer":
		h.waitFor(r.Args.Name) <- r.Args.Body
	case "host.say":
		h.of.Say(m.Content, m.Images...)
	case "host.cancel":
		h.of.Cancel()
	default:
		h.mu.Lock()
		question := h.asked[r.Args.Name]
		h.mu.Unlock()
		if question == nil || m.Approved == nil {
			return errors.New("no approval request waits for this decision")
		}
		h.of.Decide(question, sdk.Decision{Approved: *m.Approved, Reason: m.Reason, Arguments: m.Arguments})
	}
	return nil
}
