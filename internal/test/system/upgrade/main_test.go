//go:build system

package upgrade_test

import (
	"testing"

	"github.com/windieos/windie/internal/test/system/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
