//go:build system

package deploy_test

import (
	"testing"

	"github.com/windieos/windie/internal/test/system/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
