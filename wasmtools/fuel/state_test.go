package fuel_test

import (
	"slices"
	"testing"

	"github.com/windieos/windie/wasmtools/fuel"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// TestStateIsExported puts the globals of a module back to what they were.
func TestStateIsExported(t *testing.T) {
	t.Parallel()
	count := w.Seq(w.Global(0), w.I32(1), w.Add, w.SetGlobal(0), w.Global(1), w.I32(2), w.Add, w.SetGlobal(1), w.Global(0), w.Global(1), w.Add)
	m := w.Module().Global(5).Global(7).Fn("count", "", "i", count).Bytes()
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
	reference := w.Seq([]byte{0x70, 1}, w.Op(0xd0, []byte{0x70}), w.End)
	constant := w.Seq([]byte{0x7f, 0}, w.I32(3), w.End)
	for _, tt := range []struct {
		name string
		m    *w.Builder
		want string
	}{
		{"nothing", w.Module().Memory(1, 1).Fn("f", "", "", w.Nop), ""},
		{"a constant", &w.Builder{Globals: [][]byte{constant}}, ""},
		{"table.get and table.size", w.Module().Table(1, 1).Fn("f", "", "", w.I32(0), w.Op(0x25, w.U(0)), w.Drop, w.Misc(16, w.U(0)), w.Drop), ""},
		{"table.set", w.Module().Table(1, 1).Fn("f", "", "", w.I32(0), w.Op(0xd0, []byte{0x70}), w.Op(0x26, w.U(0))), "tables"},
		{"table.grow", w.Module().Table(1, 1).Fn("f", "", "", w.Op(0xd0, []byte{0x70}), w.I32(0), w.Misc(15, w.U(0)), w.Drop), "tables"},
		{"table.fill", w.Module().Table(1, 1).Fn("f", "", "", w.I32(0), w.Op(0xd0, []byte{0x70}), w.I32(0), w.Misc(17, w.U(0))), "tables"},
		{"table.copy", w.Module().Table(1, 1).Fn("f", "", "", w.I32(0), w.I32(0), w.I32(0), w.Misc(14, w.U(0), w.U(0))), "tables"},
		{"elem.drop", w.Module().Table(1, 1).Element().Fn("f", "", "", w.Misc(13, w.U(0))), "dropped segments"},
		{"a global of a reference", &w.Builder{Globals: [][]byte{reference}}, "globals of references or vectors"},
		{"two of them", (&w.Builder{Globals: [][]byte{reference}}).Table(1, 1).Fn("f", "", "", w.I32(0), w.Op(0xd0, []byte{0x70}), w.Op(0x26, w.U(0))), "tables, globals of references or vectors"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, report, err := fuel.Rewrite(tt.m.Bytes(), fuel.Options{})
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				return
			}
			if got := report.Lasting.String(); got != tt.want || len(report.State) != 0 {
				t.Errorf("%s: %q, not %q; state %q", tt.name, got, tt.want, report.State)
			}
		})
	}
}
