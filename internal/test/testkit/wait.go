package testkit

import (
	"testing"
	"time"
)

// The longest that Eventually waits, and the longest pause between two looks.
const (
	patience = time.Minute
	maxPause = 20 * time.Millisecond
)

// Eventually calls look until look reports done, and returns look's last state. The first call is
// at once, each later one at most 20 ms after the last. After a minute Eventually fails the test
// with what and the state. A look that blocks is not interrupted.
//
// Call it from the goroutine of the test. In a bubble of synctest the minute is the fake clock's.
//
//	n := testkit.Eventually(t, "two requests", func() (int, bool) { n := server.Requests(); return n, n >= 2 })
func Eventually[T any](t testing.TB, what string, look func() (state T, done bool)) T {
	t.Helper()
	return EventuallyWithin(t, patience, what, look)
}

// EventuallyWithin is Eventually with a limit of its own: a shorter one that the
// test asserts, or a longer one for what takes minutes on a busy machine.
func EventuallyWithin[T any](t testing.TB, limit time.Duration, what string, look func() (state T, done bool)) T {
	t.Helper()
	pause := time.Millisecond
	for began := time.Now(); ; pause = min(2*pause, maxPause) {
		state, done := look()
		if done {
			return state
		}
		if time.Since(began) > limit {
			t.Fatalf("after %v still not so: %s; the last state: %+v", limit, what, state)
		}
		time.Sleep(pause)
	}
}

// Throughout calls look every few milliseconds for d, and fails the test as soon as look reports
// that something no longer holds, with what should have held and the state. d is how long wrong
// code would take to show: where the code is right, a slow machine never makes it fail.
//
// Call it from the goroutine of the test.
func Throughout[T any](t testing.TB, d time.Duration, what string, look func() (state T, holds bool)) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(min(d/10, maxPause)) {
		if state, holds := look(); !holds {
			t.Fatalf("after %v no longer so: %s; the state: %+v", time.Since(began), what, state)
		}
		if time.Since(began) > d {
			return
		}
	}
}
