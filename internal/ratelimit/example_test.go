package ratelimit_test

import (
	"fmt"
	"time"

	"github.com/windieos/windie/internal/ratelimit"
)

func Example() {
	calls := ratelimit.New(2, time.Minute)
	for range 3 {
		got := calls.Take("ada", 1)
		fmt.Println(got.OK, got.Remaining, got.Retry.Round(time.Second))
	}
	// Output:
	// true 1 0s
	// true 0 0s
	// false 0 30s
}
