package sdkapi_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/windieos/windie/sdkapi"
)

// What AppendJSON writes is what encoding/json would.
func TestToolUsageAppendJSON(t *testing.T) {
	t.Parallel()
	for _, usage := range []sdkapi.ToolUsage{
		{},
		{Fuel: 1, PeakMemoryBytes: 2, WallMS: 3, HostCalls: 4, EgressBytes: 5},
		{Fuel: math.MaxUint64, PeakMemoryBytes: math.MaxInt64, WallMS: math.MinInt64, HostCalls: -1, EgressBytes: 10},
	} {
		t.Run(fmt.Sprint("fuel ", usage.Fuel), func(t *testing.T) {
			want, err := json.Marshal(usage)
			if err != nil {
				t.Fatal(err)
			}
			if got := usage.AppendJSON([]byte("x")); string(got) != "x"+string(want) {
				t.Errorf("got %s, want x%s", got, want)
			}
		})
	}
}
