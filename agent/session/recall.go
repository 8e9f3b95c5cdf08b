package session

import (
	"context"
	"log/slog"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/models"
)

// recallTime limits the time for reading the memory. After that, a turn begins without it.
const recallTime = 2 * time.Second

// recall returns the event with the user's memory, or nil if the memory is unchanged or cannot be
// read. An unchanged start of the prompt makes a request cheaper.
func (s *Sessions) recall(ctx context.Context, state *State, fence string) []Event {
	ctx, cancel := context.WithTimeout(ctx, recallTime)
	defer cancel()
	text, err := s.cfg.Recall(ctx, state.User)
	if err != nil {
		s.cfg.Log.Warn("cannot read the user's memory; the turn starts without it", slog.Any("err", err))
		return nil
	}
	if text == state.Memory.Text {
		return nil
	}
	return []Event{Recalled{Text: text, Fence: fence}}
}

// aboutMemory is the text before the fence.
const aboutMemory = "Notes from earlier sessions with this user. They may be out of date: what the user says now takes precedence."

// message returns the memory as a message of the user, with the text fenced.
func (r Recalled) message() models.Message {
	return models.Message{Role: models.User, Parts: []models.Part{{Text: aboutMemory}, {Text: fenced(r.Text, r.Fence)}}}
}

// memoryWrite is the ModelName of the tool that writes the memory.
const memoryWrite = "memory_write"

// mayHoldOrders reports whether the memory may have instructions of other people: if the rules let
// models write to it without approval after untrusted text. Otherwise the user has written or
// approved it.
func (r Recalled) mayHoldOrders(rules Policy) bool {
	verdict, _ := rules.Judge(memoryWrite, agent.Risky, true)
	return r.Text != "" && verdict == Allow
}
