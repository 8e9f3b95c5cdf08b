//go:build !linux

package doorstest

import "time"

// ownTime is 0: only Linux has an implementation.
func ownTime() time.Duration { return 0 }
