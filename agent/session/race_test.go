//go:build race

package session_test

// raced tells that the race detector is on, which makes all take longer.
const raced = true
