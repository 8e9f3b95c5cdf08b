package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// session is a woken agent. Its tool calls and approval requests wait until the driver's input
// answers them.
type session struct {
	waiting
	agent *sdk.WokenAgent
}

// waiting holds the requests that wait for an answer. An answer may arrive before its request.
type waiting struct {
	mu    sync.Mutex
	waits map[string]chan json.RawMessage // by request id
}

// waitFor returns the channel that receives the answer to a request.
func (s *waiting) waitFor(id string) chan json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waits == nil {
		s.waits = map[string]chan json.RawMessage{}
	}
	if s.waits[id] == nil {
		s.waits[id] = make(chan json.RawMessage, 1)
	}
	return s.waits[id]
}

// answered waits for the answer to a request and decodes it into into.
func (s *waiting) answered(ctx context.Context, id string, into any) error {
	select {
	case body := <-s.waitFor(id):
		return json.Unmarshal(body, into)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// session wakes an agent and writes each message until the call is aborted.
func (d *driver) session(ctx context.Context, c *sdk.Client, r *request) error {
	s := &session{}
	var body struct{ Tools []string }
	if err := json.Unmarshal(r.Args.Body, &body); err != nil {
		return err
	}
	say := func(e event) { d.say(map[string]any{"id": r.ID, "event": e}) }
	opts := sdk.WakeOptions{
		Heard: func(m sdkapi.WSMessage) { say(event{Event: m.Type, Data: m}) },
		Approve: func(ctx context.Context, q sdkapi.WSApprovalRequestPayload) (bool, string) {
			if q.ExpiresAt.IsZero() { // it asks about a tool of this program, which runs after the answer
				return true, ""
			}
			var answer struct {
				Approved bool
				Reason   string
			}
			err := s.answered(ctx, q.RequestID, &answer)
			return err == nil && answer.Approved, answer.Reason
		},
	}
	for _, name := range body.Tools {
		opts.Tools = append(opts.Tools, sdk.WakeTool{Name: name, Schema: json.RawMessage(`{"type":"object"}`), Run: func(ctx context.Context, call sdk.WakeCall) sdk.WakeResult {
			var result struct{ Output any }
			if err := s.answered(ctx, call.ID, &result); err != nil {
				return sdk.WakeResult{Error: err.Error()}
			}
			return sdk.WakeResult{Output: result.Output}
		}})
	}
	agent, err := c.WakeUp(ctx, opts)
	if err != nil {
		return err
	}
	defer agent.Close()
	s.agent = agent
	d.mu.Lock()
	d.awake[r.ID] = s
	d.mu.Unlock()
	say(event{Event: "open"})
	<-ctx.Done()
	return nil
}

// onSession sends a message of an agent, or answers a pending call or approval request.
func (d *driver) onSession(r *request) error {
	d.mu.Lock()
	s := d.awake[r.Args.Call]
	d.mu.Unlock()
	if s == nil {
		return fmt.Errorf("no open agent belongs to the call %d", r.Args.Call)
	}
	if r.Op == "session.answer" {
		s.waitFor(r.Args.Name) <- r.Args.Body
		return nil
	}
	_, err := s.agent.Send(r.Args.Name, r.Args.Body)
	return err
}
