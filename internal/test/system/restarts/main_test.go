//go:build system

package restarts_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// This test program is also the gateway that the tests kill.
func TestMain(m *testing.M) {
	if dir := os.Getenv(serving); dir != "" {
		fmt.Fprintln(os.Stderr, beGateway(dir))
		os.Exit(1)
	}
	doorstest.Main(m)
}
