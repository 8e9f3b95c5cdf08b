package doors_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// No goroutine outlives the tests, save some of fasthttp's: one that keeps the
// time for as long as the process lives, and those that look for what is idle,
// workers and connections, which sleep for seconds at a time and end behind
// that.
func TestMain(m *testing.M) {
	if dir := os.Getenv(serving); dir != "" {
		fmt.Fprintln(os.Stderr, beGateway(dir))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m,
		goleak.Cleanup(func(code int) {
			if dir, err := builtOnce(); err == nil {
				_ = os.RemoveAll(dir)
			}
			os.Exit(code)
		}),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*Client).mCleaner"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*HostClient).connsCleaner"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*TCPDialer).tcpAddrsClean"))
}
