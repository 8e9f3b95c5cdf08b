package session

import (
	"context"
	"log/slog"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/models"
)

// KindRecalled is the kind of the event of what is remembered, where that is
// another than at the turn before. It stands before TurnStarted.
const KindRecalled = "memory.recalled"

// Recalled is what the user's memory says to all sessions. The model is told it
// before the history, in a fence: people wrote it, models, and what they read.
type Recalled struct {
	Text  string `json:"text,omitempty"` // empty for nothing
	Fence string `json:"fence,omitempty"`
}

func (Recalled) kind() string { return KindRecalled }

// recallTime bounds reading the memory: a turn begins without rather than late.
const recallTime = 2 * time.Second

// recall returns the event of what is remembered now, none where the state has
// it already: the prompt then begins with the same bytes, which costs less.
func (s *Sessions) recall(ctx context.Context, state *State, fence string) []Event {
	ctx, cancel := context.WithTimeout(ctx, recallTime)
	defer cancel()
	text, err := s.cfg.Recall(ctx, state.User)
	if err != nil {
		s.cfg.Log.Warn("a turn begins without what is remembered", slog.Any("err", err))
		return nil
	}
	if text == state.Memory.Text {
		return nil
	}
	return []Event{Recalled{Text: text, Fence: fence}}
}

// aboutMemory tells the model what the fence behind it holds.
const aboutMemory = "What was kept from earlier sessions with this user, for you to know. It was true when it was written; what the user says now goes before it."

// message returns what the model is told.
func (r Recalled) message() models.Message {
	return models.Message{Role: models.User, Parts: []models.Part{{Text: aboutMemory}, {Text: fenced(r.Text, r.Fence)}}}
}

// memoryWrite is the tool that writes what is recalled, as models know it.
const memoryWrite = "memory_write"

// mayHoldOrders reports whether somebody else's orders may have got into the
// memory: where the rules let models write to it, unasked, behind text that may
// hold some. Else the user approved of what is written, or wrote it.
func (r Recalled) mayHoldOrders(rules Policy) bool {
	verdict, _ := rules.Judge(memoryWrite, agent.Risky, true)
	return r.Text != "" && verdict == Allow
}
