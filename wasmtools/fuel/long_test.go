//go:build system

package fuel_test

import "testing"

// alterations of each module of the specification are tried.
const alterations = 10

// TestGoProgram runs the guest on both sides, which must agree.
func TestGoProgram(t *testing.T) {
	t.Parallel()
	p := newPair(t, guest(t))
	for _, program := range programs {
		if program.real {
			p.both(t, program.name, program.arg/10)
		}
	}
	if used := p.meter.Used(); used == 0 {
		t.Error("the guest took no fuel")
	}
}
