package fuel_test

import (
	"slices"
	"testing"

	"github.com/windieos/windie/wasmtools/fuel"
)

// TestStateIsExported puts the globals of a module back to what they were.
func TestStateIsExported(t *testing.T) {
	t.Parallel()
	count := seq(global(0), i32(1), add, setGlobal(0), global(1), i32(2), add, setGlobal(1), global(0), global(1), add)
	m := module().global(5).global(7).fn("count", "", "i", count).bytes()
	_, report, err := fuel.Rewrite(m, fuel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"windie.state.0", "windie.state.1"}; !slices.Equal(report.State, want) || report.Lasting != 0 {
		t.Fatalf("state %q, lasting %q", report.State, report.Lasting)
	}
	i := instantiate(t, m, fuel.Options{})
	before := make([]uint64, len(report.State))
	for n, name := range report.State {
		before[n] = find(i.m)(name).Get()
	}
	for range 3 {
		if got, err := i.call(enough, "count"); err != nil || got[0] != 15 {
			t.Fatalf("%d, %v", got, err)
		}
		for n, name := range report.State {
			find(i.m)(name).Set(before[n])
		}
	}
}

func TestWhatLastsIsTold(t *testing.T) {
	t.Parallel()
	reference := seq([]byte{0x70, 1}, op(0xd0, []byte{0x70}), end)
	constant := seq([]byte{0x7f, 0}, i32(3), end)
	for _, tt := range []struct {
		name string
		m    *builder
		want string
	}{
		{"nothing", module().memory(1, 1).fn("f", "", "", nop), ""},
		{"a constant", &builder{globals: [][]byte{constant}}, ""},
		{"table.get and table.size", module().table(1, 1).fn("f", "", "", i32(0), op(0x25, u(0)), drop, misc(16, u(0)), drop), ""},
		{"table.set", module().table(1, 1).fn("f", "", "", i32(0), op(0xd0, []byte{0x70}), op(0x26, u(0))), "tables"},
		{"table.grow", module().table(1, 1).fn("f", "", "", op(0xd0, []byte{0x70}), i32(0), misc(15, u(0)), drop), "tables"},
		{"table.fill", module().table(1, 1).fn("f", "", "", i32(0), op(0xd0, []byte{0x70}), i32(0), misc(17, u(0))), "tables"},
		{"table.copy", module().table(1, 1).fn("f", "", "", i32(0), i32(0), i32(0), misc(14, u(0), u(0))), "tables"},
		{"elem.drop", module().table(1, 1).element().fn("f", "", "", misc(13, u(0))), "dropped segments"},
		{"a global of a reference", &builder{globals: [][]byte{reference}}, "globals of references or vectors"},
		{"two of them", (&builder{globals: [][]byte{reference}}).table(1, 1).fn("f", "", "", i32(0), op(0xd0, []byte{0x70}), op(0x26, u(0))), "tables, globals of references or vectors"},
	} {
		_, report, err := fuel.Rewrite(tt.m.bytes(), fuel.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := report.Lasting.String(); got != tt.want || len(report.State) != 0 {
			t.Errorf("%s: %q, not %q; state %q", tt.name, got, tt.want, report.State)
		}
	}
}
