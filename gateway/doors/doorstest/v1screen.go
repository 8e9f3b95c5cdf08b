package doorstest

import (
	"encoding/json"

	"github.com/windieos/windie/sdkapi"
)

// Request says something, or goes on with it, and returns the tool that the
// agent waits for.
func (d *DeskClient) Request(message string) sdkapi.V1ToolCall {
	d.T.Helper()
	status, body := d.Ask("POST", "/v1/chat", message)
	var pending sdkapi.ErrorResponse
	if err := json.Unmarshal([]byte(body), &pending); err != nil || status != 409 || pending.Error.Details.ToolRequest == nil {
		d.T.Fatalf("%d %.500s", status, body)
	}
	return *pending.Error.Details.ToolRequest
}
