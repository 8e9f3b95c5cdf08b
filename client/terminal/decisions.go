package terminal

import (
	"bufio"
	"context"
	"encoding/json"

	"github.com/windieos/windie/sdk"
)

// decision answers the approval.request with the same toolCallId. It is one line of JSON.
type decision struct {
	ToolCallID string `json:"toolCallId"`
	Approved   bool   `json:"approved"`
	Reason     string `json:"reason,omitempty"` // why the user denied it
}

// readDecisions reads decisions until the input or ctx ends. It skips other lines.
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

// settle answers the request that a decision names. It skips one that is already answered.
func (l *lines) settle(d decision) {
	asked, ok := l.asked[d.ToolCallID]
	if !ok {
		return
	}
	delete(l.asked, d.ToolCallID)
	l.answer(asked, sdk.Decision{Approved: d.Approved, Reason: d.Reason})
}
