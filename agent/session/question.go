package session

import (
	"bytes"
	"encoding/json"

	"github.com/windieos/windie/journal"
)

// Question is what a decision about an approval keeps of the call: what a list of
// decisions tells of it, also when its turn is over. Arguments are left out where
// they are too long.
type Question struct {
	Tool      string          `json:"tool"` // as models know it
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Call      string          `json:"call"`
	Began     int64           `json:"began"` // the event that began the turn
}

// requestOf returns what a decision about a call keeps of it: that of a client's
// tool the arguments alone, which a worker that takes over goes by.
func (w *worker) requestOf(c *Call, kind string) json.RawMessage {
	if kind != Approval {
		return c.Arguments
	}
	q := Question{Tool: c.Name, Arguments: c.Arguments, Call: c.ID, Began: w.state.Began}
	request, err := q.encode()
	if err != nil || len(request) > journal.MaxData {
		q.Arguments = nil
		request, _ = q.encode() // names and a number are JSON
	}
	return request
}

func (q Question) encode() (json.RawMessage, error) {
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false) // which takes six bytes for one
	err := to.Encode(q)
	return bytes.TrimSpace(out.Bytes()), err
}
