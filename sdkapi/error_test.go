package sdkapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/windieos/windie/sdkapi"
)

func TestErrorsMatchByCode(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("asking: %w", &sdkapi.Error{Code: sdkapi.TextNotFound, Message: "no row matches"})
	if !errors.Is(err, &sdkapi.Error{Code: sdkapi.TextNotFound}) || errors.Is(err, &sdkapi.Error{Code: sdkapi.NotFound}) {
		t.Error("it matches by something else")
	}
}

// The envelope always has all three of its fields, so that clients need not
// look for them.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(sdkapi.ErrorResponse{Error: sdkapi.Error{Code: sdkapi.NotFound, Message: "m", Status: 404}})
	if want := `{"error":{"code":"NOT_FOUND","message":"m","details":{}}}`; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}
