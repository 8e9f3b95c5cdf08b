//go:build system && !race

package sqljournal_test

// See journaltest.Backend, whose defaults these are.
const (
	replays = 10_000
	races   = 1000
)
