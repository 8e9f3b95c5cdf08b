//go:build !system || race

package sqljournal_test

// With the race detector all is slower, and the usual tests have little time.
const (
	replays = 1000
	races   = 100
)
