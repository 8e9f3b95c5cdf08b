package gateway_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// No goroutine outlives the tests, save two of fasthttp's: one that keeps the
// time for as long as the process lives, and those that look for idle workers,
// which sleep for ten seconds at a time and end behind that.
func TestMain(m *testing.M) {
	if dir := os.Getenv(serving); dir != "" {
		fmt.Fprintln(os.Stderr, beGateway(dir))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"))
}
