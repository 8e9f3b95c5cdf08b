//go:build system

// The clients of MCP that people use, with a gateway as people run it.
package agents_test

import (
	"testing"

	"github.com/windieos/windie/internal/test/system/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
