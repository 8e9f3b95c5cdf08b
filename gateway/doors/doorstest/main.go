// Package doorstest has what the tests of the protocols share: gateways with models, tools and users of a test's own, and
// clients that speak a protocol by its document alone.
//
//	func TestMain(m *testing.M) { doorstest.Main(m) }
package doorstest

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package, and then the cleanups. It fails if a goroutine still runs after the tests. Some
// goroutines of fasthttp are exempt. The clock of fasthttp never ends. The cleaners of idle workers and connections
// sleep for seconds before they end.
func Main(m *testing.M, cleanups ...func()) {
	goleak.VerifyTestMain(m,
		goleak.Cleanup(func(code int) {
			for _, clean := range cleanups {
				clean()
			}
			os.Exit(code)
		}),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*Client).mCleaner"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*HostClient).connsCleaner"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*TCPDialer).tcpAddrsClean"))
}
