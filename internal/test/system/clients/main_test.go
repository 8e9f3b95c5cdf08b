//go:build system

package clients_test

import (
	"os"
	"testing"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

func TestMain(m *testing.M) {
	doorstest.Main(m, func() {
		if dir, err := builtOnce(); err == nil {
			_ = os.RemoveAll(dir)
		}
	})
}
