package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	plugin "github.com/windieos/windie/sdk/plugin/go"
)

func TestConvert(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value    float64
		from, to string
		want     float64
	}{
		{1, "mile", "km", 1.609344},
		{3, "Metres", "ft", 9.84251968504},
		{-40, "F", "celsius", -40},
		{0, "K", "°C", -273.15},
		{98.6, "fahrenheit", "C", 37},
		{1, "light-year", "km", 9.46073047258e12},
		{1, "GiB", "MB", 1073.741824},
		{8, "Mb", "MB", 1},
		{1, "MW", "kW", 1000},
		{180, "deg", "rad", 3.14159265359},
		{1, "short ton", "lb", 2000},
		{1, "gal", "cups", 16},
		{1, "psi", "Pa", 6894.75729317},
		{1, "hp", "W", 745.699871582},
		{1e300, "nm", "ly", 1.05700083402e275},
		{math.Copysign(0, -1), "m", "km", 0},
		{-5e-324, "m", "km", 0},
	} {
		t.Run(fmt.Sprint(c.value, " ", c.from), func(t *testing.T) {
			got, err := convert(convertArgs{Value: c.value, From: c.from, To: c.to})
			if err != nil || got.Value != c.want || math.Signbit(got.Value) != math.Signbit(c.want) {
				t.Errorf("%v %s = %v %s, want %v (%v)", c.value, c.from, got.Value, c.to, c.want, err)
			}
		})
	}
}

// TestThereAndBack converts a value to every unit of its quantity, and back.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	for _, a := range units {
		for _, b := range units {
			if a.quantity != b.quantity {
				continue
			}
			there, err := convert(convertArgs{Value: 123.456, From: a.symbol, To: b.symbol})
			if err != nil {
				t.Fatal(err)
			}
			back, err := convert(convertArgs{Value: there.Value, From: b.symbol, To: a.symbol})
			if err != nil || math.Abs(back.Value-123.456) > 1e-6 {
				t.Errorf("%s to %s and back: %v, %v", a.symbol, b.symbol, back.Value, err)
			}
		}
	}
}

func TestFailuresTellWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   convertArgs
		want string
	}{
		{convertArgs{1, "metrs", "km"}, "there is no unit metrs; the nearest is m (metre); units.list"},
		{convertArgs{1, "km", "zzzzzz"}, "there is no unit zzzzzz; units.list"},
		{convertArgs{1, "km", "kg"}, "kilometre measures length and kilogram measures mass"},
		{convertArgs{-300, "C", "F"}, "-300 C is below absolute zero, which is -273.15 C"},
		{convertArgs{1, "mw", "W"}, ""},
		{convertArgs{1, "mb", "B"}, "mb may be megabit (Mbit) or megabyte (MB)"},
		{convertArgs{1e300, "ly", "nm"}, "the result is too large"},
	} {
		t.Run(fmt.Sprint(c.in), func(t *testing.T) {
			_, err := convert(c.in)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v: %v, want %q", c.in, err, c.want)
			}
		})
	}
}

// TestNamesAreOfOneUnit checks that no name in the table belongs to two units.
func TestNamesAreOfOneUnit(t *testing.T) {
	t.Parallel()
	owner := map[string]string{}
	for _, u := range units {
		for _, name := range u.names() {
			if other, taken := owner[name]; taken && other != u.symbol {
				t.Errorf("%s is %s and %s", name, other, u.symbol)
			}
			owner[name] = u.symbol
		}
	}
}

func TestListOfOneQuantity(t *testing.T) {
	t.Parallel()
	res, err := plugin.Call("list", listArgs{Quantity: "temperature"})
	if err != nil || res.IsError {
		t.Fatal(res, err)
	}
	var got list
	if err := json.Unmarshal(res.Structured, &got); err != nil || len(got.Units) != 3 || got.Units[0] != (listed{"F", "fahrenheit", "temperature"}) {
		t.Errorf("%+v, %v", got, err)
	}
	all, err := listUnits(listArgs{})
	if err != nil || len(all.Units) != len(units) {
		t.Errorf("%d units, %v", len(all.Units), err)
	}
}
