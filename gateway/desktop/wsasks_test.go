package desktop_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
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
			cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), commander.Model{}, journaltest.NewMemory())
			doorstest.WithRisks(t, cfg.Tools) // a tool of the gateway's own, about which no client asks by itself
			p := doorstest.Dial(t, gatewaytest.Start(t, cfg), handshakeOf(definition))
			before := time.Now()
			p.Send(sdkapi.WSQuery, `{"text":"run shell_exec {}","conversation_ref":"c1"}`)
			list := p.Until(sdkapi.WSApprovalRequest)
			var asked sdkapi.WSApprovalRequestPayload
			if err := json.Unmarshal(list[len(list)-1].Payload, &asked); err != nil {
				t.Fatal(err)
			}
			if got := asked.ExpiresAt.Sub(before); got < wait-time.Second || got > wait+doorstest.Patience {
				t.Errorf("%s: it may be answered for %v, want %v", definition, got, wait)
			}
		})
	}
}

// An operator may say that clients which say nothing ask their users by themselves. That is so for
// tools of theirs alone, and not for a client that says how it asks.
func TestWSClientsAsk(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ask              bool
		handshake, query string
		want             string
	}{
		"by default":              {false, `{"type":"handshake","user_id":"ada"}`, "run command `ls`", sdkapi.WSApprovalRequest},
		"nothing is said":         {true, `{"type":"handshake","user_id":"ada"}`, "run command `ls`", sdkapi.WSToolCall},
		"nothing of approvals":    {true, handshakeOf(`"tools":{}`), "run command `ls`", sdkapi.WSToolCall},
		"the client waits":        {true, handshakeOf(`"approvals":"approval-request"`), "run command `ls`", sdkapi.WSApprovalRequest},
		"a tool of the gateway's": {true, `{"type":"handshake","user_id":"ada"}`, "run shell_exec {}", sdkapi.WSApprovalRequest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), commander.Model{}, journaltest.NewMemory())
			doorstest.WithRisks(t, cfg.Tools)
			cfg.ClientsAsk = tt.ask
			p := doorstest.Dial(t, gatewaytest.Start(t, cfg), tt.handshake)
			body, err := json.Marshal(map[string]string{"text": tt.query, "conversation_ref": "c1"})
			if err != nil {
				t.Fatal(err)
			}
			p.Send(sdkapi.WSQuery, string(body))
			for _, m := range p.Until(tt.want) {
				if m.Type != tt.want && (m.Type == sdkapi.WSApprovalRequest || m.Type == sdkapi.WSToolCall) {
					t.Errorf("%s came before %s", m.Type, tt.want)
				}
			}
		})
	}
}
