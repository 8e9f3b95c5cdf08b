package doorstest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/windieos/windie/sdkapi"
)

// AnswerAsked approves the tool call for which the event e requests an approval.
func AnswerAsked(t *testing.T, url string, e Event) {
	t.Helper()
	var asked sdkapi.PromptApproval
	if err := json.Unmarshal([]byte(e.Data), &asked); err != nil {
		t.Error(err)
	}
	resp, err := Asks(context.WithoutCancel(t.Context()), http.MethodPost, url+sdkapi.PromptsPath+"/"+asked.PromptID+"/approve", fmt.Sprintf(`{"toolCallId":%q}`, asked.ToolCallID))
	if err == nil { // otherwise the gateway has died
		resp.Body.Close()
	}
}
