package prompts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// TestCutTextIsMarked checks that only a text that the end of a prompt interrupted is marked as
// cut.
func TestCutTextIsMarked(t *testing.T) {
	t.Parallel()
	for end, cut := range map[models.EndReason]bool{"": true, models.Stop: false, models.Length: false, models.ToolCalls: false} {
		t.Run(fmt.Sprint(end), func(t *testing.T) {
			answer := session.ModelAnswered{Message: session.Text(models.Assistant, "Half an ans"), End: end}
			prompt := new(view).answered(answer, time.Now())
			if len(prompt) != 1 || prompt[0].Data.(sdkapi.PromptOutput).Cut != cut {
				t.Errorf("an answer that ended with %q is shown as %+v", end, prompt)
			}
		})
	}
}

// TestPromptHasTheTextSoFar reads a prompt while the model writes. The text so far must be one
// output, which grows until the answer is complete.
func TestPromptHasTheTextSoFar(t *testing.T) {
	t.Parallel()
	v := new(view)
	p := newPrompt(v)
	at := time.Unix(1_700_000_000, 0).UTC()
	text := func(content string, cut bool, second int) sdkapi.PromptOutput {
		return sdkapi.PromptOutput{Type: sdkapi.PromptText, Content: content, Cut: cut, Start: at.Add(time.Second), End: at.Add(time.Duration(second) * time.Second)}
	}
	for i, step := range []struct {
		kind string
		data session.Event
		want []sdkapi.PromptOutput
	}{
		{kind: session.KindTurnStarted, data: session.TurnStarted{Turn: "1"}},
		{kind: session.KindModelAsked, data: session.ModelAsked{Round: 1}},
		{kind: session.KindModelText, data: session.ModelText{Text: "Half "}, want: []sdkapi.PromptOutput{text("Half ", true, 2)}},
		{kind: session.KindModelText, data: session.ModelText{Text: "an "}, want: []sdkapi.PromptOutput{text("Half an ", true, 3)}},
		{kind: session.KindModelThought, data: session.ModelThought{Text: "Hm."}, want: []sdkapi.PromptOutput{text("Half an ", true, 3)}},
		{kind: session.KindModelAnswered, data: session.ModelAnswered{Message: session.Text(models.Assistant, "Half an answer."), End: models.Stop}, want: []sdkapi.PromptOutput{text("Half an answer.", false, 5)}},
		{kind: session.KindModelText, data: session.ModelText{Text: "lost"}, want: []sdkapi.PromptOutput{text("Half an answer.", false, 5), text("lost", true, 6)}},
		{kind: session.KindTurnEnded, data: session.TurnEnded{Reason: session.EndCanceled}, want: []sdkapi.PromptOutput{text("Half an answer.", false, 5)}},
	} {
		data, err := json.Marshal(step.data)
		if err != nil {
			t.Fatal(err)
		}
		if err := addToPrompt(p, v, journal.Event{Seq: int64(i + 1), Kind: step.kind, Data: data, Time: at.Add(time.Duration(i) * time.Second)}); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(p.Output, step.want, func(a, b sdkapi.PromptOutput) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("after event %d, %s, it has %+v; want %+v", i+1, step.kind, p.Output, step.want)
		}
	}
}
