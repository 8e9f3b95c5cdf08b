//go:build race

package sqljournal_test

// With the race detector all is slower.
const (
	replays = 1000
	races   = 100
)
