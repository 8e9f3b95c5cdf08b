//go:build system && !race

package session

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// A message of the largest size fits into an event whatever it says, though a
// character may take more bytes there than on the wire.
func TestLargestMessageFits(t *testing.T) {
	t.Parallel()
	for _, wire := range []string{"x", "<", "é", "\u2028", "\xff", `\u0001`, `\"`} {
		var said string
		if err := json.Unmarshal([]byte(`"`+strings.Repeat(wire, sdkapi.MaxWSMessage/len(wire))+`"`), &said); err != nil {
			t.Fatal(err)
		}
		events, err := encode([]Event{TurnStarted{Parts: []Part{{Text: said}}}})
		if err != nil || len(events[0].Data) > journal.MaxData {
			t.Errorf("10 MB of %q are an event of %d bytes, %v", wire, len(events[0].Data), err)
		}
		var back TurnStarted
		if err := json.Unmarshal(events[0].Data, &back); err != nil || back.Parts[0].Text != said {
			t.Errorf("10 MB of %q come back otherwise, %v", wire, err)
		}
	}
}
