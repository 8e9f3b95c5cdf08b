package terminal

import (
	"bufio"
	"context"
	"encoding/json"

	"github.com/windieos/windie/sdk"
)

// decision answers the question of an approval.request with the same toolCallId: a line of JSON each.
type decision struct {
	ToolCallID string `json:"toolCallId"`
	Approved   bool   `json:"approved"`
	Reason     string `json:"reason,omitempty"` // why not
}

// readDecisions reads decisions until the input or ctx ends. Other lines are passed over.
func (l *lines) readDecisions(ctx context.Context) {
	in := bufio.NewScanner(l.opts.In)
	in.Buffer(nil, maxLine)
	for in.Scan() {
		var d decision
		if json.Unmarshal(in.Bytes(), &d) != nil || d.ToolCallID == "" {
			continue
		}
		select {
		case l.decided <- d:
		case <-ctx.Done():
			return
		}
	}
}

// settle answers the question that a decision is about. One that is answered already is passed over.
func (l *lines) settle(d decision) {
	asked, ok := l.asked[d.ToolCallID]
	if !ok {
		return
	}
	delete(l.asked, d.ToolCallID)
	l.answer(asked, sdk.Decision{Approved: d.Approved, Reason: d.Reason})
}
