package doorstest

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/windieos/windie/sdkapi"
)

// Asks sends a query in the conversation c1, and returns the query's id. The parameter more is added to the JSON of
// the payload.
func (p *Peer) Asks(text, more string) (id string) {
	p.T.Helper()
	id = uuid.NewString()
	p.Raw(fmt.Sprintf(`{"id":%q,"type":"query","payload":{"text":%q,"conversation_ref":"c1"%s}}`, id, text, more))
	return id
}

// ToEnds reads messages until n turns have ended. It returns the id of the query of each turn, and the id of the last
// turn.
func (p *Peer) ToEnds(n int) (ids []string, turn string) {
	p.T.Helper()
	of := map[string]string{} // by the turn's id
	for len(ids) < n {
		m := p.Next()
		if m.TurnRef == "" {
			continue
		}
		if before, known := of[m.TurnRef]; m.QueryRef == "" || known && before != m.QueryRef {
			p.T.Errorf("%s of turn %s names the query %q, and one before %q", m.Type, m.TurnRef, m.QueryRef, before)
		}
		of[m.TurnRef] = m.QueryRef
		if m.Type == sdkapi.WSStreamingComplete {
			ids, turn = append(ids, m.QueryRef), m.TurnRef
		}
	}
	return ids, turn
}

// Settled returns when the gateway has handled all messages that the client has sent so far.
func (p *Peer) Settled() {
	p.T.Helper()
	p.Send(sdkapi.WSLoadSettings, `{}`)
	p.Until(sdkapi.WSSettingsLoaded)
}
