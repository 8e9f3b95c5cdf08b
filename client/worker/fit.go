package worker

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/windieos/windie/sdkapi"
)

// Limits of the steps' results, in bytes.
const (
	maxSteps = sdkapi.MaxWSMessage - 1<<20 // all results of a request together, as JSON
	// one result, if all together are too large; the gateway stores no more of it
	maxOutput = 64 << 10
	maxEscape = 6 // bytes that JSON may need for one byte
)

// fit cuts large results if all together exceed one message: the gateway would refuse it every
// time.
func fit(steps []stepResult) {
	if size(steps) <= maxSteps {
		return
	}
	most := min(maxOutput, maxSteps/maxEscape/len(steps))
	for i := range steps {
		s := &steps[i]
		s.Error = cut(s.Error, most/2)
		text, ok := s.Output.(string)
		if !ok && s.Output != nil {
			raw, err := json.Marshal(s.Output)
			if err != nil {
				continue // sending it reports the error
			}
			text = string(raw)
		}
		if len(text) > most/2 {
			s.Output = cut(text, most/2)
		}
	}
}

// size returns the size of steps as JSON, in bytes.
func size(steps []stepResult) (n int) {
	raw, err := json.Marshal(steps)
	if err != nil {
		return 0 // it cannot be sent either
	}
	return len(raw)
}

// cut returns the first limit bytes of a longer text, with a note that it was cut.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + fmt.Sprintf("\n[… %d bytes left out: the answers of these calls are too large for one message; make fewer calls at once …]", len(text)-limit)
}
