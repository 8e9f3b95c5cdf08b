package desktop_test

import (
	"strings"
	"testing"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A message that says something twice, or in another case than its fields have,
// says nothing: a person reads it otherwise than the gateway would.
func TestWSKeysOnce(t *testing.T) {
	t.Parallel()
	p := doorstest.Dial(t, talking(t), handshakeOf(`"approvals":"approval-request"`))
	p.Send(sdkapi.WSQuery, `{"text":"run run_shell_command {\"command\":\"ls\"}","conversation_ref":"c1"}`)
	list := p.Until(sdkapi.WSApprovalRequest)
	id := strings.SplitN(strings.SplitN(string(list[len(list)-1].Payload), `"request_id":"`, 2)[1], `"`, 2)[0]
	for _, said := range []string{`"approved":false,"APPROVED":true`, `"APPROVED":true`, `"approved":false,"approved":true`} {
		p.Send(sdkapi.WSApprovalDecision, `{"request_id":"`+id+`",`+said+`}`)
		if m := p.Next(); m.Type != sdkapi.WSError || !strings.Contains(strings.ToLower(string(m.Payload)), "payload.approved") {
			t.Fatalf("%s: %s %s", said, m.Type, m.Payload)
		}
	}
	p.Send(sdkapi.WSUpdateSettings, `{"policy":[],"Policy":[{"tool":"*","verdict":"allow"}]}`)
	if m := p.Next(); m.Type != sdkapi.WSError || !strings.Contains(string(m.Payload), "payload.Policy") {
		t.Errorf("rules: %s %s", m.Type, m.Payload)
	}
	p.Raw(`{"id":"123e4567-e89b-12d3-a456-426614174000","type":"list-models","TYPE":"cancel"}`)
	if m := p.Next(); m.Type != sdkapi.WSError || !strings.Contains(string(m.Payload), "message.TYPE") {
		t.Errorf("an envelope: %s %s", m.Type, m.Payload)
	}
	p.Send(sdkapi.WSApprovalDecision, `{"request_id":"`+id+`","approved":false}`)
	p.Until(sdkapi.WSStreamingComplete)

	p = doorstest.Dial(t, talking(t), `{"type":"handshake","user_id":"ada","User_Id":"eve"}`)
	if got := p.Closed(); got.Code != websocket.ClosePolicyViolation || !strings.Contains(got.Text, "User_Id") {
		t.Errorf("a handshake: %v", got)
	}
}
