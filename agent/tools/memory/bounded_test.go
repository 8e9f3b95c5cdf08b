//go:build system

package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/tools/memory"
)

// The oldest changes are forgotten: those of more than MaxChanges, and of more than MaxChangeBytes.
func TestChangesAreBounded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text              string
		made, least, most int
	}{
		"many":  {"", memory.MaxChanges + 1, memory.MaxChanges, memory.MaxChanges},
		"large": {strings.Repeat("a", memory.MaxPassage-10), memory.MaxChangeBytes/(2*memory.MaxPassage) + 3, 30, memory.MaxChangeBytes / (2 * (memory.MaxPassage - 10))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := remember(t, sqlite(t), memory.Options{})
			n.put("ada/memory/a.md", "0"+tt.text)
			for i := range tt.made {
				if _, err := n.Change(t.Context(), "ada", "memory/a.md", memory.Edit{LineStart: 1, Was: fmt.Sprint(i) + tt.text, Text: fmt.Sprint(i+1) + tt.text}); err != nil {
					t.Fatal(err)
				}
			}
			list, err := n.Changes(t.Context(), "ada", "memory/a.md", memory.MaxChanges+1)
			if err != nil || len(list) < tt.least || len(list) > tt.most || list[0].Text != fmt.Sprint(tt.made)+tt.text {
				t.Errorf("%d changes, %v; expected %d to %d, the newest first", len(list), err, tt.least, tt.most)
			}
		})
	}
}
