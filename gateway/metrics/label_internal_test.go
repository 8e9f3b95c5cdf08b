package metrics

import (
	"fmt"
	"testing"

	"github.com/windieos/windie/sdkapi"
)

// A label that comes from a failure is one of our codes, whatever made it.
func TestCodeLabel(t *testing.T) {
	t.Parallel()
	for code, want := range map[sdkapi.Code]string{"": CodeOK, sdkapi.ToolError: "TOOL_ERROR", "made up by a plugin": "INTERNAL"} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			if got := codeLabel(code); got != want {
				t.Errorf("%q is labelled %q, not %q", code, got, want)
			}
		})
	}
}
