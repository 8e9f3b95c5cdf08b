package terminal

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/windieos/windie/sdkapi"
)

// Steps asks the user to allow single steps of a tool that runs on this machine, such as a command of
// a coding agent. The questions look and work like the gateway's questions about calls. Set
// Options.Steps to a *Steps and pass the options to Run. Its methods are safe for concurrent use.
type Steps struct {
	mu      sync.Mutex
	hear    func(sdkapi.AgentMessage) // of the running conversation; nil if there is none
	waiting map[string]chan bool      // by the ids of steps
	last    int
}

// Ask asks the user whether a tool may take a step, and returns the answer. The parameter tool is the
// name that rules use for the step. If no conversation is running, the answer is false. If ctx ends
// first, Ask returns the error of ctx.
func (s *Steps) Ask(ctx context.Context, tool string, arguments json.RawMessage, reason string) (bool, error) {
	answer := make(chan bool, 1)
	s.mu.Lock()
	hear := s.hear
	if hear == nil {
		s.mu.Unlock()
		return false, nil
	}
	s.last++
	id := fmt.Sprintf("step-%d", s.last)
	if s.waiting == nil {
		s.waiting = map[string]chan bool{}
	}
	s.waiting[id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waiting, id)
		s.mu.Unlock()
	}()
	hear(&sdkapi.AgentApprovalMessage{
		AgentHead: sdkapi.AgentHead{Type: sdkapi.AgentApproval}, ApprovalID: id, ToolCallID: id, Name: tool, Arguments: arguments, Reason: reason,
	})
	select {
	case yes := <-answer:
		return yes, nil
	case <-ctx.Done():
		hear(&sdkapi.AgentDecidedMessage{AgentHead: sdkapi.AgentHead{Type: sdkapi.AgentDecided}, ToolCallID: id, Reason: "the call has ended"})
		return false, ctx.Err()
	}
}

// join connects a conversation to the steps, until leave is called. A nil Steps has no steps.
func (s *Steps) join(hear func(sdkapi.AgentMessage)) (leave func()) {
	if s == nil {
		return func() {}
	}
	set := func(hear func(sdkapi.AgentMessage)) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.hear = hear
	}
	set(hear)
	return func() { set(nil) }
}

// answer answers the question about a step, and reports whether the id belongs to a step.
func (s *Steps) answer(id string, yes bool) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	waits, ok := s.waiting[id]
	if ok {
		waits <- yes
		delete(s.waiting, id)
	}
	return ok
}

// isStep reports whether a question is about a step. Such a question takes only yes or no.
func (s *Steps) isStep(id string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.waiting[id]
	return ok
}
