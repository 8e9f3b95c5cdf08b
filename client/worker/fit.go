package worker

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/windieos/windie/sdkapi"
)

// Bounds of what steps answer, in bytes.
const (
	maxSteps  = sdkapi.MaxWSMessage - 1<<20 // of a request together, as JSON
	maxOutput = 64 << 10                    // of one, where all together are too large; the gateway keeps no more of it
	maxEscape = 6                           // bytes that JSON may need for one
)

// fit cuts the large answers of steps that are too large together for one message: the gateway would refuse it each time.
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
				continue // as when it is sent
			}
			text = string(raw)
		}
		if len(text) > most/2 {
			s.Output = cut(text, most/2)
		}
	}
}

// size returns how large steps are as JSON.
func size(steps []stepResult) (n int) {
	raw, err := json.Marshal(steps)
	if err != nil {
		return 0 // it is not sent either
	}
	return len(raw)
}

// cut returns the beginning of a text that has more than most bytes, and says so.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("\n[… %d bytes left out, as the answers of these calls were too large for one message; ask for fewer at once …]", len(text)-most)
}
