package general

import (
	"testing"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/sdkapi"
)

// To a request without a stream, the code says whether asking the model again
// would help.
func TestCodeOfEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason session.EndReason
		code   sdkapi.Code
		want   sdkapi.Code
	}{
		{session.EndCanceled, "", sdkapi.Canceled},
		{session.EndRevoked, "", sdkapi.Canceled},
		{session.EndTime, "", sdkapi.Timeout},
		{session.EndRounds, "", sdkapi.ModelError},
		{session.EndFailed, sdkapi.ModelRateLimited, sdkapi.ModelRateLimited},
		{session.EndFailed, "", sdkapi.ModelError},
	} {
		t.Run(string(tt.reason)+" "+string(tt.code), func(t *testing.T) {
			t.Parallel()
			if got := codeOfEnd(sdkapi.V1Error{Code: tt.code, Reason: string(tt.reason)}); got != tt.want {
				t.Errorf("its code is %s, want %s", got, tt.want)
			}
		})
	}
}
