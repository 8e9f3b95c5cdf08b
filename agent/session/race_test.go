//go:build !system || race

package session_test

// brief says that long tests have fewer rounds: the race detector makes all take longer, and make test has little time.
const brief = true
