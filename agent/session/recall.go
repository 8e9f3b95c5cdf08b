package session

import (
	"context"
	"log/slog"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/models"
)

// recallTime bounds reading the memory. After it a turn begins without.
const recallTime = 2 * time.Second

// recall returns the event of the memory, nil if it is unchanged: a prompt that
// begins with the same bytes costs less.
func (s *Sessions) recall(ctx context.Context, state *State, fence string) []Event {
	ctx, cancel := context.WithTimeout(ctx, recallTime)
	defer cancel()
	text, err := s.cfg.Recall(ctx, state.User)
	if err != nil {
		s.cfg.Log.Warn("a turn begins without the user's memory", slog.Any("err", err))
		return nil
	}
	if text == state.Memory.Text {
		return nil
	}
	return []Event{Recalled{Text: text, Fence: fence}}
}

// aboutMemory stands before the fence.
const aboutMemory = "Notes from earlier sessions with this user. They may be out of date: what the user says now takes precedence."

func (r Recalled) message() models.Message {
	return models.Message{Role: models.User, Parts: []models.Part{{Text: aboutMemory}, {Text: fenced(r.Text, r.Fence)}}}
}

// memoryWrite is the ModelName of the tool that writes the memory.
const memoryWrite = "memory_write"

// mayHoldOrders reports whether the memory may hold orders of other people: if the rules let
// models write to it unasked behind untrusted text. Otherwise the user wrote or approved it.
func (r Recalled) mayHoldOrders(rules Policy) bool {
	verdict, _ := rules.Judge(memoryWrite, agent.Risky, true)
	return r.Text != "" && verdict == Allow
}
