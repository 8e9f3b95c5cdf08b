package doorstest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// Seq returns the number of the last event of a conversation. To get this number, it tries to resume after a
// number that is too large. The gateway's error then names the last number.
func (p *Peer) Seq(ref string) int64 {
	p.T.Helper()
	p.Send(sdkapi.WSResume, fmt.Sprintf(`{"conversation_ref":%q,"seq":1000000}`, ref))
	deadline := time.Now().Add(Patience)
	for time.Now().Before(deadline) {
		m := p.Next()
		var refused struct {
			Details sdkapi.ErrorDetails `json:"details"`
		}
		var last int64
		if m.Type == sdkapi.WSError && json.Unmarshal(m.Payload, &refused) == nil && len(refused.Details.Fields) == 1 {
			if _, err := fmt.Sscanf(refused.Details.Fields[0].Message, "expected 0 to %d", &last); err == nil {
				return last
			}
		}
	}
	p.T.Fatal("nobody says how many events there are")
	return 0
}
