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

// Draft is a message that nobody has sent.
type Draft struct {
	Session  string // to whom; empty, or one that is not there: a new one
	User     string
	Settings Settings  // that the session would have
	History  []Message // in place of the session's, unless it is empty
	Parts    []Part    // of the message
}

// Preview is what a model would be asked.
type Preview struct {
	Request models.Request
	Tokens  PromptTokens
	Shown   []Event // what those who watch would be shown of it
}

// PromptTokens says how many tokens the parts of a prompt have, as
// models.Estimate counts. Their sum is its count of the whole.
type PromptTokens struct {
	System, Tools int
	Repository    int // the instructions of the repository
	History       int // the messages before the last
	Memory        int // what is remembered, and what neither the user nor the gateway wrote of the last message
	Query         int // the rest of the last message, images included
}

// Total returns the tokens of the whole prompt.
func (t PromptTokens) Total() int {
	return t.System + t.Tools + t.Repository + t.History + t.Memory + t.Query
}

// previewFence stands in a preview for the mark of a fence, which is drawn when
// a turn begins. It is as long, and has as many digits as others have on the average.
var previewFence = strings.Repeat("mark2", 6)[:26]

// Preview returns what the model would be asked first if the message of a draft
// was sent now: byte for byte, save for the marks of the new message's fences,
// in whose place is always the same one. Nothing is kept, and nobody is asked.
func (s *Sessions) Preview(ctx context.Context, d Draft) (*Preview, error) {
	state, err := s.drafted(ctx, d)
	if err != nil {
		return nil, err
	}
	_, chosen, err := s.cfg.Model(ctx, d.User, d.Settings)
	if err != nil && fault.CodeOf(err) != sdkapi.ModelUnavailable { // for want of a key, which what is asked does not need
		return nil, err
	}
	req, err := prompt{&s.cfg, state, s.cfg.Log}.request(ctx, Offered(s.cfg.Tools.View(), state.Settings))
	if err != nil {
		return nil, err
	}
	req.Model, req.Reasoning, req.MaxTokens = chosen.Model, chosen.Reasoning, chosen.MaxTokens
	return &Preview{Request: req, Tokens: countTokens(state, req), Shown: shown(state.Turn.ID, req)}, nil
}

// drafted returns the state that a draft would bring about.
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
	events, err := encode(happened) // as a turn reads them: JSON is not always what it was
	for i := 0; i < len(events) && err == nil; i++ {
		err = state.Apply(events[i])
	}
	return state, err
}

// countTokens counts the parts of a prompt.
func countTokens(state *State, req models.Request) PromptTokens {
	t := PromptTokens{System: models.Estimate(models.Request{System: req.System}), Tools: models.Estimate(models.Request{Tools: req.Tools})}
	messages := req.Messages
	if len(state.Settings.Repository) > 0 {
		t.Repository = models.Estimate(models.Request{Messages: messages[:1]})
		messages = messages[1:]
	}
	if state.Memory.Text != "" {
		t.Memory = models.Estimate(models.Request{Messages: messages[:1]})
		messages = messages[1:]
	}
	last, added := len(messages)-1, 0
	t.History = models.Estimate(models.Request{Messages: messages[:last]})
	said := state.Messages[len(state.Messages)-1]
	for _, p := range said.Parts {
		if p.Untrusted {
			added += models.EstimateText(fenced(p.Text, said.Fence))
		}
	}
	t.Query = models.Estimate(models.Request{Messages: messages[last:]}) - added
	t.Memory += added
	return t
}
