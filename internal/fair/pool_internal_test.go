package fair

import "testing"

// A share of no units leaves nothing of its user.
func TestShareOfNoUnits(t *testing.T) {
	t.Parallel()
	p := New(Options{Name: "units", Capacity: 4})
	share, err := p.Take(t.Context(), "ada", 0, Short)
	if err != nil {
		t.Fatal(err)
	}
	share.Give()
	if n := len(p.kinds[Short].holds); n != 0 {
		t.Errorf("%d users hold units", n)
	}
}
