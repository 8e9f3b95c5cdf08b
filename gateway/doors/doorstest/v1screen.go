package doorstest

import (
	"encoding/json"

	"github.com/windieos/windie/sdkapi"
)

// Request posts a body to /v1/chat. The response must have the status 409 and contain the tool call for which the
// agent waits. Request returns this tool call.
func (d *DeskClient) Request(message string) sdkapi.V1ToolCall {
	d.T.Helper()
	status, body := d.Ask("POST", "/v1/chat", message)
	var pending sdkapi.ErrorResponse
	if err := json.Unmarshal([]byte(body), &pending); err != nil || status != 409 || pending.Error.Details.ToolRequest == nil {
		d.T.Fatalf("%d %.500s", status, body)
	}
	return *pending.Error.Details.ToolRequest
}
