package terminal

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/windieos/windie/sdkapi"
)

// Steps asks whoever holds the conversation about steps that a tool of this machine takes while it runs, as the gateway asks
// about calls: in the same place, with the same keys, and by the same rules. Its zero value asks nobody, until Run has it
// as Options.Steps. Its methods are safe for concurrent use.
type Steps struct {
	mu      sync.Mutex
	hear    func(sdkapi.AgentMessage) // of the conversation that runs; nil if there is none
	waiting map[string]chan bool      // by the ids of steps
	last    int
}

// Ask asks about a step, under the name of the tool that rules may name, and returns when somebody has decided, or with the
// error of ctx. Without a conversation the answer is no.
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

// join has a conversation hear of steps, until leave is called. A nil Steps has no steps.
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

// answer answers the question about a step, and reports whether the id is that of a step.
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

// isStep reports whether a question is about a step: such ones are answered with yes or no alone.
func (s *Steps) isStep(id string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.waiting[id]
	return ok
}
