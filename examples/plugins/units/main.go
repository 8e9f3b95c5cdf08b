// Command units is a plugin that converts between units of measure.
package main

import (
	"errors"
	"math"
	"strconv"

	plugin "github.com/windieos/windie/sdk/plugin/go"
)

type convertArgs struct {
	Value float64 `json:"value" minimum:"-1e300" maximum:"1e300" doc:"Number to convert."`
	From  string  `json:"from" minLength:"1" maxLength:"40" examples:"km,fahrenheit,MiB" doc:"Symbol or name of the old unit."`
	To    string  `json:"to" minLength:"1" maxLength:"40" examples:"mile,celsius,GB" doc:"Symbol or name of the new unit."`
}

type converted struct {
	Value    float64 `json:"value" doc:"The converted number, with 12 digits."`
	Unit     string  `json:"unit" doc:"Symbol of the new unit."`
	Quantity string  `json:"quantity" doc:"Quantity that both units measure."`
	text     string
}

// Content returns one line of text for the model, for example "3 km = 3000 m".
func (c converted) Content() []plugin.Content { return []plugin.Content{plugin.Text(c.text)} }

type listArgs struct {
	Quantity string `json:"quantity,omitempty" enum:"angle,area,data,energy,length,mass,power,pressure,speed,temperature,time,volume" doc:"List only the units of this quantity (default all)."`
}

type list struct {
	Units []listed `json:"units"`
}

type listed struct {
	Symbol   string `json:"symbol"`
	Name     string `json:"name"`
	Quantity string `json:"quantity"`
}

// init registers the plugin's name and tools.
func init() {
	plugin.Describe("units", "1.0.0", "Converts between units of measure.")
	plugin.Tool("convert", "Converts a value from one unit to another.", convert, plugin.ReadOnly, plugin.ClosedWorld)
	plugin.Tool("list", "Lists the units that convert knows.", listUnits, plugin.ReadOnly, plugin.ClosedWorld)
}

// convert converts a value to a unit of the same quantity. It refuses temperatures below absolute
// zero, and results that are too large for a float64.
func convert(in convertArgs) (converted, error) {
	from, err := find(in.From)
	if err != nil {
		return converted{}, err
	}
	to, err := find(in.To)
	if err != nil {
		return converted{}, err
	}
	if from.quantity != to.quantity {
		return converted{}, errors.New(from.name + " measures " + from.quantity + " and " + to.name + " measures " + to.quantity +
			"; choose two units of the same quantity from the list of the tool units.list")
	}
	base := (in.Value + from.zero) * from.size
	if from.quantity == "temperature" && base < 0 {
		return converted{}, errors.New(number(in.Value) + " " + from.symbol + " is below absolute zero, which is " + number(-from.zero) + " " + from.symbol)
	}
	value := base/to.size - to.zero
	if math.IsInf(value, 0) {
		return converted{}, errors.New("the result is too large for a number; convert to a larger unit than " + to.symbol)
	}
	value = round(value)
	return converted{Value: value, Unit: to.symbol, Quantity: to.quantity,
		text: number(in.Value) + " " + from.symbol + " = " + number(value) + " " + to.symbol}, nil
}

// listUnits lists the units of a quantity, or all units if the quantity is empty.
func listUnits(in listArgs) (list, error) {
	out := list{Units: []listed{}}
	for _, u := range units {
		if in.Quantity == "" || in.Quantity == u.quantity {
			out.Units = append(out.Units, listed{u.symbol, u.name, u.quantity})
		}
	}
	return out, nil
}

// digits is the number of significant digits of a result. Further digits of a float64 are rounding
// errors of the conversion.
const digits = 12

// round rounds to the number digits of significant digits. It returns 0 in place of -0.
func round(v float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		return v // rounding up the largest numbers overflows
	}
	return rounded + 0 // 0 instead of -0
}

// number formats a value with as few digits as identify it.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// main serves the tools on the command line. In WebAssembly it does nothing, because the gateway
// calls the exports.
func main() { plugin.Main() }
