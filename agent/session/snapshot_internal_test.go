package session

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/state/journal"
)

// Whatever its messages are like, a state is in its pieces as it was, and each
// of them fits into an event.
func TestPieces(t *testing.T) {
	t.Parallel()
	part := func(kilobytes int) Part { return Part{Text: strings.Repeat("1234567 ", kilobytes<<10/8)} }
	var many []Part
	for range 10 {
		many = append(many, part(80))
	}
	for name, tt := range map[string]struct {
		messages []Message
		memory   string
		pieces   int
	}{
		"none":                    {nil, "", 1},
		"no parts":                {[]Message{{Role: models.User}}, "", 1},
		"a few":                   {[]Message{Text(models.User, "a"), Text(models.Assistant, "b")}, "", 1},
		"a few and a memory":      {[]Message{Text(models.User, "a"), Text(models.Assistant, "b")}, strings.Repeat("<", 160<<10), 3},
		"a memory alone":          {nil, "tea", 2},
		"many parts":              {[]Message{Text(models.User, "a"), {Role: models.ToolRole, Fence: "f", Parts: many}, Text(models.User, "b")}, "", 4},
		"one that fills an event": {[]Message{{Role: models.User, Parts: []Part{part(500)}}, Text(models.User, "b")}, "", 3},
	} {
		t.Run(name, func(t *testing.T) {
			state := &State{User: "ada", Messages: tt.messages, Seq: 7}
			if tt.memory != "" {
				state.Memory = Recalled{Text: tt.memory, Fence: "f"}
			}
			pieces, err := split(state)
			if err != nil {
				t.Fatal(err)
			}
			if len(pieces) != tt.pieces {
				t.Errorf("%s: %d pieces", name, len(pieces))
			}
			read := make([]piece, len(pieces))
			for i, p := range pieces {
				text, err := json.Marshal(p)
				if err != nil || len(text) > journal.MaxData {
					t.Errorf("%s: a piece of %d bytes, %v", name, len(text), err)
				}
				if err := json.Unmarshal(text, &read[i]); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := joined(read); err != nil || !reflect.DeepEqual(got, state) {
				t.Errorf("%s: the state is another one, %v", name, err)
			}
		})
	}
	if _, err := joined([]piece{{Of: 1}}); err == nil {
		t.Error("a piece without the beginning is a state")
	}
}
