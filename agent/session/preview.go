package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Draft is a message that has not been sent.
type Draft struct {
	Session  string // id of the session; an empty or unknown id means a new session
	User     string
	Settings Settings  // settings of the session
	History  []Message // messages that replace the session's history; if empty, the history stays
	Parts    []Part    // parts of the message
}

// Preview is the request for a Draft.
type Preview struct {
	Request models.Request
	Tokens  PromptTokens
	Shown   []Event // events for people who watch the session
}

// PromptTokens are the estimated tokens of each part of a prompt, from models.Estimate. Their sum
// is the estimate for the whole prompt.
type PromptTokens struct {
	System, Tools int
	Repository    int // tokens of the repository's instructions
	History       int // tokens of the messages before the last one
	Memory        int // tokens of the user's memory, and of untrusted text in the last message
	Query         int // tokens of the rest of the last message, with images
}

// Total returns the tokens of the whole prompt.
func (t PromptTokens) Total() int {
	return t.System + t.Tools + t.Repository + t.History + t.Memory + t.Query
}

// previewFence replaces a random fence in a preview. It has the same length, and the average number
// of digits.
var previewFence = strings.Repeat("mark2", 6)[:26]

// Preview returns the first request that the model would get if the draft was sent now. Only the
// fences of the new message differ from the real request. Preview stores nothing and sends no
// request.
func (s *Sessions) Preview(ctx context.Context, d Draft) (*Preview, error) {
	state, err := s.drafted(ctx, d)
	if err != nil {
		return nil, err
	}
	_, chosen, err := s.cfg.Model(ctx, d.User, d.Settings)
	if err != nil && fault.CodeOf(err) != sdkapi.ModelUnavailable { // a preview needs no key
		return nil, err
	}
	req, err := prompt{&s.cfg, state, s.cfg.Log}.request(ctx, Offered(s.cfg.Tools.View(), state.Settings))
	if err != nil {
		return nil, err
	}
	req.Model, req.Reasoning, req.MaxTokens = chosen.Model, chosen.Reasoning, chosen.MaxTokens
	system, user, tools := shown(state.Turn.ID, req)
	return &Preview{Request: req, Tokens: countTokens(state, req), Shown: []Event{system, user, tools}}, nil
}

// drafted returns the state after sending a draft.
func (s *Sessions) drafted(ctx context.Context, d Draft) (*State, error) {
	state := &State{}
	if d.Session != "" {
		found, err := s.State(ctx, d.Session, d.User)
		switch {
		case err == nil && found.Turn != nil:
			return nil, running()
		case err == nil:
			state = found
		case fault.CodeOf(err) != sdkapi.SessionNotFound:
			return nil, err
		}
	}
	state.User = d.User
	happened := []Event{Configured{d.Settings}}
	if len(d.History) > 0 {
		history := slices.Clone(d.History)
		for i := range history {
			history[i].Fence = previewFence
		}
		happened = append(happened, Replaced{history})
	}
	happened = append(happened, s.recall(ctx, state, previewFence)...)
	happened = append(happened, TurnStarted{Started: time.Now().UTC(), Fence: previewFence, Parts: d.Parts})
	events, err := encode(happened) // as in a turn: decoded JSON may differ
	for i := 0; i < len(events) && err == nil; i++ {
		err = state.Apply(events[i])
	}
	return state, err
}

// countTokens estimates the tokens of each part of a request. It relies on the order of the
// messages in prompt.request. Untrusted parts of the query count as memory.
func countTokens(state *State, req models.Request) PromptTokens {
	t := PromptTokens{System: models.Estimate(models.Request{System: req.System}), Tools: models.Estimate(models.Request{Tools: req.Tools})}
	messages := req.Messages
	take := func(n int) int { // counts the next n messages
		next := messages[:n]
		messages = messages[n:]
		return models.Estimate(models.Request{Messages: next})
	}
	if len(state.Settings.Repository) > 0 {
		t.Repository = take(1)
	}
	if state.Memory.Text != "" {
		t.Memory = take(1)
	}
	t.History = take(len(messages) - 1)
	added := 0
	said := state.Messages[len(state.Messages)-1]
	for _, p := range said.Parts {
		if p.Untrusted {
			added += models.EstimateText(fenced(p.Text, said.Fence))
		}
	}
	t.Query = take(1) - added
	t.Memory += added
	return t
}
