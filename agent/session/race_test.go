//go:build race

package session_test

// raced says that the race detector is on, which makes all take longer.
const raced = true
