//go:build system && !linux

package wasmtools_test

import "time"

var started = time.Now()

// ownTime is the time on the wall where the system does not say what a process computed.
func ownTime() time.Duration { return time.Since(started) }
