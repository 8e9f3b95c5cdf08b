package semantic

import (
	"context"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// The error for another user's id gives advice that works: the field is required.
func TestAnotherUsersID(t *testing.T) {
	t.Parallel()
	ctx := context.WithValue(t.Context(), gateway.RequestKey{}, &gateway.Request{Owner: "ada"})
	_, _, _, err := new(door).within(ctx, "bob")
	if f := fault.From(err); f == nil || f.Code != sdkapi.PermissionDenied || !strings.Contains(f.Message, "send the token's own user_id") || strings.Contains(f.Message, "leave") {
		t.Errorf("%v", err)
	}
}
