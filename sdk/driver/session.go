package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// session is an agent that is awake, whose tools and questions wait until they are answered.
type session struct {
	waiting
	agent *sdk.WokenAgent
}

// waiting are the requests that wait for an answer, and may be answered before they come.
type waiting struct {
	mu    sync.Mutex
	waits map[string]chan json.RawMessage // by the ids of requests
}

// waitFor is where the answer to a request comes.
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

// answered waits for the answer to a request, and reads it.
func (s *waiting) answered(ctx context.Context, id string, into any) error {
	select {
	case body := <-s.waitFor(id):
		return json.Unmarshal(body, into)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// session wakes an agent up, and says what it hears until the call is aborted.
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
			if q.ExpiresAt.IsZero() { // about a tool of the program's own, which runs once it is answered
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

// onSession sends a message of an agent's, or answers what waits.
func (d *driver) onSession(r *request) error {
	d.mu.Lock()
	s := d.awake[r.Args.Call]
	d.mu.Unlock()
	if s == nil {
		return fmt.Errorf("no agent is awake by the call %d", r.Args.Call)
	}
	if r.Op == "session.answer" {
		s.waitFor(r.Args.Name) <- r.Args.Body
		return nil
	}
	_, err := s.agent.Send(r.Args.Name, r.Args.Body)
	return err
}
