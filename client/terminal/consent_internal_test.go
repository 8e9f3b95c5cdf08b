package terminal

import (
	"encoding/json"
	"testing"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// A consent is to one call, with the arguments that the user saw or gave.
func TestConsents(t *testing.T) {
	t.Parallel()
	asked := &sdkapi.AgentApprovalMessage{ToolCallID: "c1", Name: "file_write", Arguments: json.RawMessage(`{"path":"a","n":1.0}`)}
	call := func(id, name, arguments string) sdk.HostCall {
		return sdk.HostCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
	}
	for name, tt := range map[string]struct {
		decided sdk.Decision
		call    sdk.HostCall
		want    bool
	}{
		"the same call":     {sdk.Decision{Approved: true}, call("c1", "file_write", `{"n":1.0, "path":"a"}`), true},
		"denied":            {sdk.Decision{}, call("c1", "file_write", `{"path":"a","n":1.0}`), false},
		"another file":      {sdk.Decision{Approved: true}, call("c1", "file_write", `{"path":"b","n":1.0}`), false},
		"one more argument": {sdk.Decision{Approved: true}, call("c1", "file_write", `{"path":"a","n":1.0,"mode":7}`), false},
		"another tool":      {sdk.Decision{Approved: true}, call("c1", "process_run", `{"path":"a","n":1.0}`), false},
		"another id":        {sdk.Decision{Approved: true}, call("c2", "file_write", `{"path":"a","n":1.0}`), false},
		"as it was changed": {sdk.Decision{Approved: true, Arguments: json.RawMessage(`{"path":"b"}`)}, call("c1", "file_write", `{"path":"b"}`), true},
		"before the change": {sdk.Decision{Approved: true, Arguments: json.RawMessage(`{"path":"b"}`)}, call("c1", "file_write", `{"path":"a","n":1.0}`), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c consents
			c.give(asked, tt.decided)
			if got := c.take(tt.call); got != tt.want {
				t.Errorf("got %v", got)
			}
			if c.take(tt.call) {
				t.Error("a consent was used twice")
			}
		})
	}
}
