//go:build system

package desktop_test

import (
	"testing"

	"github.com/windieos/windie/test/system/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
