//go:build !race

package doorstest

import (
	"fmt"
	"strings"

	"github.com/windieos/windie/sdkapi"
)

// Replay returns what messages there are of a conversation after a seq, none
// where there is no such conversation.
func (p *Peer) Replay(ref string, seq int64) (messages string) {
	p.T.Helper()
	p.Send("resume", fmt.Sprintf(`{"conversation_ref":%q,"seq":%d}`, ref, seq))
	for {
		m := p.Next()
		switch {
		case m.Type == sdkapi.WSError && strings.Contains(string(m.Payload), string(sdkapi.SessionNotFound)):
			return "" // it came after the gateway had had enough
		case m.ConversationRef == ref:
			messages += fmt.Sprintln(m.Seq, m.Type)
		}
		if m.ConversationRef == ref && m.Type == sdkapi.WSStreamingComplete {
			return messages
		}
	}
}
