package gateway_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No goroutine outlives the tests, save two of fasthttp's: one that keeps the
// time for as long as the process lives, and those that look for idle workers,
// which sleep for ten seconds at a time and end behind that.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"))
}
