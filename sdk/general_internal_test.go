package sdk

import (
	"testing"

	"github.com/windieos/windie/sdkapi"
)

// TestGeneralEventKinds checks that each kind of event has a field of its own.
func TestGeneralEventKinds(t *testing.T) {
	t.Parallel()
	var e GeneralEvent
	fields := map[any]string{}
	for _, kind := range []string{
		sdkapi.EventAssistantDelta, sdkapi.EventToolRequest, sdkapi.EventToolResultAck, sdkapi.EventToolResult,
		sdkapi.EventWarning, sdkapi.EventAssistantFinal, sdkapi.EventError,
	} {
		field := e.into(kind)
		if field == nil || fields[field] != "" {
			t.Errorf("%s has no field of its own: %T, %s", kind, field, fields[field])
		}
		fields[field] = kind
	}
	if e.Delta == nil || e.Request == nil || e.Ack == nil || e.Result == nil || e.Warning == nil || e.Final == nil || e.Failed == nil {
		t.Errorf("fields are empty: %+v", e)
	}
	if e.into("unheard of") != nil {
		t.Error("a kind of a newer gateway has a field")
	}
}
