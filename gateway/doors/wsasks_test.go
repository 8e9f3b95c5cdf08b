package doors_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/journal/journaltest"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/sdkapi"
)

// A client that says that it knows of approvals has ten minutes for one, and one
// that says nothing has two.
func TestWSApprovalWaits(t *testing.T) {
	t.Parallel()
	for definition, wait := range map[string]time.Duration{
		`"approvals":"approval-request"`: 10 * time.Minute,
		`"approvals":"client"`:           10 * time.Minute,
		`"tools":{}`:                     2 * time.Minute,
	} {
		t.Run(definition, func(t *testing.T) {
			cfg := conversing(t, gatewaytest.Store(t, false), commander.Model{}, journaltest.NewMemory())
			withRisks(t, cfg.Tools) // a tool of the gateway's own, about which no client asks by itself
			p := dial(t, gatewaytest.Start(t, cfg), handshakeOf(definition))
			before := time.Now()
			p.send(sdkapi.WSQuery, `{"text":"run shell_exec {}","conversation_ref":"c1"}`)
			list := p.until(sdkapi.WSApprovalRequest)
			var asked sdkapi.WSApprovalRequestPayload
			if err := json.Unmarshal(list[len(list)-1].Payload, &asked); err != nil {
				t.Fatal(err)
			}
			if got := asked.ExpiresAt.Sub(before); got < wait-time.Second || got > wait+patience {
				t.Errorf("%s: it may be answered for %v, want %v", definition, got, wait)
			}
		})
	}
}
