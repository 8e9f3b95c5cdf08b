package desktop

import (
	"fmt"
	"testing"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Text that the end of a prompt cut off is marked as such, and no other is.
func TestCutTextIsMarkedOnSockets(t *testing.T) {
	t.Parallel()
	for end, cut := range map[models.EndReason]bool{"": true, models.Stop: false, models.Length: false, models.ToolCalls: false} {
		t.Run(fmt.Sprint(end), func(t *testing.T) {
			answer := session.ModelAnswered{Message: session.Text(models.Assistant, "Half an ans"), End: end}
			socket := new(view).answered(answer)
			if told, ok := socket[0].payload.(sdkapi.WSAssistantMessage); !ok || told.Cut != cut {
				t.Errorf("an answer that ended with %q is shown as %+v", end, socket)
			}
		})
	}
}
