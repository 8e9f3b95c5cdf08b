//go:build system

package deploy_test

import (
	"testing"

	"github.com/windieos/windie/test/system/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
