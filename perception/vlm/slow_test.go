//go:build system

package vlm_test

import (
	"testing"

	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

// Servers that say nothing, or fail again and again, are given up.
func TestServersThatAreWaitedFor(t *testing.T) {
	t.Parallel()
	testFailures(t, []failure{
		{"500 always", []modelstest.Reply{fails(modelstest.Broken)}, sdkapi.ModelUnavailable, 3},
		{"silence", []modelstest.Reply{fails(modelstest.Silence)}, sdkapi.Timeout, 1},
		{"a stalled answer", []modelstest.Reply{fails(modelstest.SlowBytes)}, sdkapi.Timeout, 1},
	})
}
