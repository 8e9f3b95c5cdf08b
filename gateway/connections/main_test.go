package connections_test

import (
	"testing"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

func TestMain(m *testing.M) { doorstest.Main(m) }
