package doorstest

import (
	"encoding/json"

	"github.com/windieos/windie/sdkapi"
)

// Request posts a body to /v1/chat. The response must be a 409 with the tool call that the agent waits for; Request
// returns the call.
func (d *DeskClient) Request(message string) sdkapi.V1ToolCall {
	d.T.Helper()
	status, body := d.Ask("POST", "/v1/chat", message)
	var pending sdkapi.ErrorResponse
	if err := json.Unmarshal([]byte(body), &pending); err != nil || status != 409 || pending.Error.Details.ToolRequest == nil {
		d.T.Fatalf("%d %.500s", status, body)
	}
	return *pending.Error.Details.ToolRequest
}
