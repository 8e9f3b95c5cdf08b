//go:build !race

package doorstest

import (
	"fmt"
	"strings"

	"github.com/windieos/windie/sdkapi"
)

// Replay resumes the conversation ref after the event number seq. It returns the number and the type of each message
// that follows. The result is empty if the gateway does not know the conversation.
func (p *Peer) Replay(ref string, seq int64) (messages string) {
	p.T.Helper()
	p.Send("resume", fmt.Sprintf(`{"conversation_ref":%q,"seq":%d}`, ref, seq))
	for {
		m := p.Next()
		switch {
		case m.Type == sdkapi.WSError && strings.Contains(string(m.Payload), string(sdkapi.SessionNotFound)):
			return "" // the gateway refused the conversation, as it had too many
		case m.ConversationRef == ref:
			messages += fmt.Sprintln(m.Seq, m.Type)
		}
		if m.ConversationRef == ref && m.Type == sdkapi.WSStreamingComplete {
			return messages
		}
	}
}
