package storetest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) artifacts.Store { return new(storetest.Memory) })
}

func BenchmarkMemory(b *testing.B) {
	storetest.Benchmark(b, func(*testing.B) artifacts.Store { return new(storetest.Memory) })
}
