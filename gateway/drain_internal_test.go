package gateway

import (
	"fmt"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/journal/journaltest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Who watches a session is told all that has happened there by the time that
// the server has it end, and not only as much as was told by then.
func TestWatcherIsToldTheRest(t *testing.T) {
	t.Parallel()
	log := journaltest.NewMemory()
	defer log.Close()
	all := session.New(session.Config{Journal: log, Tools: agent.NewRegistry()})
	defer all.Close()
	if err := all.Create(t.Context(), "s1", "ada", session.Settings{}); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := all.Warn(t.Context(), "s1", "ada", "mind"); err != nil {
			t.Fatal(err)
		}
	}
	s := New(Config{Store: new(storetest.Memory), Sessions: all})
	var seen []int64
	err := s.followSession(t.Context(), "s1", 0, func(e journal.Event) (bool, error) {
		seen = append(seen, e.Seq)
		if n := s.watchers.end(all.Working); n != 1 {
			t.Errorf("there are %d streams", n)
		}
		return false, nil
	})
	if err != nil || len(seen) != 7 || seen[6] != 7 {
		t.Errorf("told %v, %v", seen, err)
	}
	if n := s.watchers.end(all.Working); n != 0 {
		t.Errorf("%d streams are left", n)
	}
}

// Text that the end of a prompt cut off is marked as such, and no other is.
func TestCutTextIsMarked(t *testing.T) {
	t.Parallel()
	for end, cut := range map[models.EndReason]bool{"": true, models.Stop: false, models.Length: false, models.ToolCalls: false} {
		t.Run(fmt.Sprint(end), func(t *testing.T) {
			answer := session.ModelAnswered{Message: session.Text(models.Assistant, "Half an ans"), End: end}
			prompt := new(promptView).answered(answer, time.Now())
			if len(prompt) != 1 || prompt[0].data.(sdkapi.PromptOutput).Cut != cut {
				t.Errorf("an answer that ended with %q is, to who watches a prompt, %+v", end, prompt)
			}
			socket := new(wsView).answered(answer)
			if told, ok := socket[0].payload.(sdkapi.WSAssistantMessage); !ok || told.Cut != cut {
				t.Errorf("an answer that ended with %q is, on a socket, %+v", end, socket)
			}
		})
	}
}
