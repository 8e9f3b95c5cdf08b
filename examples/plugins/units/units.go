package main

import (
	"errors"
	"slices"
	"strings"
)

// unit is a unit of measure. A value v of it equals (v + zero) * size in the unit of the same
// quantity whose size is 1.
type unit struct {
	quantity, symbol, name string
	size, zero             float64
	aliases                string // further names, separated by spaces
}

// Units that are exact by definition.
const (
	inch   = 0.0254     // metres
	pound  = 0.45359237 // kilograms
	gallon = 3.785411784
	degree = 1.0
	radian = 180 / 3.14159265358979323846
	force  = 9.80665 // weight of a kilogram, in newtons
)

// units are all units, by quantity and size.
var units = []unit{
	{"angle", "arcsec", "arcsecond", degree / 3600, 0, "arcseconds"},
	{"angle", "arcmin", "arcminute", degree / 60, 0, "arcminutes"},
	{"angle", "gon", "gradian", 0.9 * degree, 0, "gradians grad"},
	{"angle", "deg", "degree", degree, 0, "degrees °"},
	{"angle", "rad", "radian", radian, 0, "radians"},
	{"angle", "turn", "turn", 360 * degree, 0, "turns revolution revolutions"},

	{"area", "mm2", "square millimetre", 1e-6, 0, "mm² sqmm"},
	{"area", "cm2", "square centimetre", 1e-4, 0, "cm² sqcm"},
	{"area", "in2", "square inch", inch * inch, 0, "in² sqin"},
	{"area", "ft2", "square foot", 144 * inch * inch, 0, "ft² sqft"},
	{"area", "yd2", "square yard", 1296 * inch * inch, 0, "yd² sqyd"},
	{"area", "m2", "square metre", 1, 0, "m² sqm"},
	{"area", "acre", "acre", 4840 * 1296 * inch * inch, 0, "acres"},
	{"area", "ha", "hectare", 1e4, 0, "hectares"},
	{"area", "km2", "square kilometre", 1e6, 0, "km² sqkm"},
	{"area", "mi2", "square mile", 63360 * 63360 * inch * inch, 0, "mi² sqmi"},

	{"data", "bit", "bit", 0.125, 0, "bits"},
	{"data", "B", "byte", 1, 0, "bytes"},
	{"data", "kbit", "kilobit", 125, 0, "kilobits kb"},
	{"data", "kB", "kilobyte", 1e3, 0, "kilobytes"},
	{"data", "KiB", "kibibyte", 1 << 10, 0, "kibibytes"},
	{"data", "Mbit", "megabit", 125e3, 0, "megabits Mb"},
	{"data", "MB", "megabyte", 1e6, 0, "megabytes"},
	{"data", "MiB", "mebibyte", 1 << 20, 0, "mebibytes"},
	{"data", "Gbit", "gigabit", 125e6, 0, "gigabits Gb"},
	{"data", "GB", "gigabyte", 1e9, 0, "gigabytes"},
	{"data", "GiB", "gibibyte", 1 << 30, 0, "gibibytes"},
	{"data", "TB", "terabyte", 1e12, 0, "terabytes"},
	{"data", "TiB", "tebibyte", 1 << 40, 0, "tebibytes"},

	{"energy", "J", "joule", 1, 0, "joules"},
	{"energy", "cal", "calorie", 4.184, 0, "calories"},
	{"energy", "kJ", "kilojoule", 1e3, 0, "kilojoules"},
	{"energy", "Wh", "watt-hour", 3600, 0, "watthour watthours"},
	{"energy", "BTU", "British thermal unit", 1055.05585262, 0, "btus"},
	{"energy", "kcal", "kilocalorie", 4184, 0, "kilocalories"},
	{"energy", "MJ", "megajoule", 1e6, 0, "megajoules"},
	{"energy", "kWh", "kilowatt-hour", 3.6e6, 0, "kilowatthour kilowatthours"},

	{"length", "nm", "nanometre", 1e-9, 0, "nanometer nanometres nanometers"},
	{"length", "um", "micrometre", 1e-6, 0, "µm μm micrometer micrometres micrometers micron microns"},
	{"length", "mm", "millimetre", 1e-3, 0, "millimeter millimetres millimeters"},
	{"length", "cm", "centimetre", 1e-2, 0, "centimeter centimetres centimeters"},
	{"length", "in", "inch", inch, 0, "inches"},
	{"length", "ft", "foot", 12 * inch, 0, "feet"},
	{"length", "yd", "yard", 36 * inch, 0, "yards"},
	{"length", "m", "metre", 1, 0, "meter metres meters"},
	{"length", "km", "kilometre", 1e3, 0, "kilometer kilometres kilometers"},
	{"length", "mi", "mile", 63360 * inch, 0, "miles"},
	{"length", "nmi", "nautical mile", 1852, 0, "nauticalmiles"},
	{"length", "au", "astronomical unit", 149597870700, 0, "astronomicalunits"},
	{"length", "ly", "light-year", 9460730472580800, 0, "lightyear lightyears"},

	{"mass", "mg", "milligram", 1e-6, 0, "milligrams"},
	{"mass", "g", "gram", 1e-3, 0, "grams"},
	{"mass", "oz", "ounce", pound / 16, 0, "ounces"},
	{"mass", "lb", "pound", pound, 0, "lbs pounds"},
	{"mass", "kg", "kilogram", 1, 0, "kilograms kilo kilos"},
	{"mass", "st", "stone", 14 * pound, 0, "stones"},
	{"mass", "ton", "short ton", 2000 * pound, 0, "shorttons tons"},
	{"mass", "t", "tonne", 1e3, 0, "tonnes metricton metrictons"},

	{"power", "W", "watt", 1, 0, "watts"},
	{"power", "PS", "metric horsepower", 75 * force, 0, "metrichorsepower"},
	{"power", "hp", "horsepower", 550 * 12 * inch * pound * force, 0, "bhp"},
	{"power", "kW", "kilowatt", 1e3, 0, "kilowatts"},
	{"power", "MW", "megawatt", 1e6, 0, "megawatts"},

	{"pressure", "Pa", "pascal", 1, 0, "pascals"},
	{"pressure", "hPa", "hectopascal", 100, 0, "hectopascals mbar millibar"},
	{"pressure", "mmHg", "millimetre of mercury", 133.322387415, 0, ""},
	{"pressure", "kPa", "kilopascal", 1e3, 0, "kilopascals"},
	{"pressure", "psi", "pound per square inch", pound * force / (inch * inch), 0, ""},
	{"pressure", "bar", "bar", 1e5, 0, "bars"},
	{"pressure", "atm", "atmosphere", 101325, 0, "atmospheres"},

	{"speed", "km/h", "kilometre per hour", 1 / 3.6, 0, "kph kmh"},
	{"speed", "ft/s", "foot per second", 12 * inch, 0, "fps"},
	{"speed", "mph", "mile per hour", 63360 * inch / 3600, 0, "mi/h"},
	{"speed", "kn", "knot", 1852.0 / 3600, 0, "knots kt"},
	{"speed", "m/s", "metre per second", 1, 0, "mps"},

	{"temperature", "F", "fahrenheit", 5.0 / 9, 459.67, "°F"},
	{"temperature", "C", "celsius", 1, 273.15, "°C centigrade"},
	{"temperature", "K", "kelvin", 1, 0, "kelvins"},

	{"time", "ns", "nanosecond", 1e-9, 0, "nanoseconds"},
	{"time", "us", "microsecond", 1e-6, 0, "µs μs microseconds"},
	{"time", "ms", "millisecond", 1e-3, 0, "milliseconds"},
	{"time", "s", "second", 1, 0, "sec secs seconds"},
	{"time", "min", "minute", 60, 0, "mins minutes"},
	{"time", "h", "hour", 3600, 0, "hr hrs hours"},
	{"time", "d", "day", 86400, 0, "days"},
	{"time", "week", "week", 7 * 86400, 0, "weeks wk"},
	{"time", "year", "Julian year", 365.25 * 86400, 0, "years yr a"},

	{"volume", "ml", "millilitre", 1e-3, 0, "millilitres milliliter milliliters cc"},
	{"volume", "tsp", "US teaspoon", gallon / 768, 0, "teaspoon teaspoons"},
	{"volume", "tbsp", "US tablespoon", gallon / 256, 0, "tablespoon tablespoons"},
	{"volume", "floz", "US fluid ounce", gallon / 128, 0, "fl.oz"},
	{"volume", "cup", "US cup", gallon / 16, 0, "cups"},
	{"volume", "pt", "US pint", gallon / 8, 0, "pint pints"},
	{"volume", "qt", "US quart", gallon / 4, 0, "quart quarts"},
	{"volume", "l", "litre", 1, 0, "litres liter liters"},
	{"volume", "gal", "US gallon", gallon, 0, "gallon gallons"},
	{"volume", "impgal", "imperial gallon", 4.54609, 0, "imperialgallons ukgal"},
	{"volume", "m3", "cubic metre", 1e3, 0, "m³ cubicmeter cubicmetres cubicmeters"},
}

// byName and byFolded find units by their names as written, and in lower case.
var byName, byFolded = index()

// index returns byName and byFolded for units.
func index() (byName map[string]*unit, byFolded map[string][]*unit) {
	byName, byFolded = map[string]*unit{}, map[string][]*unit{}
	for i := range units {
		for _, name := range units[i].names() {
			byName[name] = &units[i]
			folded := strings.ToLower(name)
			if !slices.Contains(byFolded[folded], &units[i]) {
				byFolded[folded] = append(byFolded[folded], &units[i])
			}
		}
	}
	return byName, byFolded
}

// find returns the unit called name. It prefers the exact spelling over another case, which matters
// for mW and MW.
func find(name string) (*unit, error) {
	plain := plainName(name)
	if u := byName[plain]; u != nil {
		return u, nil
	}
	switch matches := byFolded[strings.ToLower(plain)]; len(matches) {
	case 0:
		return nil, errors.New("there is no unit " + name + nearest(plain) + "; units.list lists the units")
	case 1:
		return matches[0], nil
	default:
		return nil, errors.New(name + " may be " + matches[0].name + " (" + matches[0].symbol + ") or " + matches[1].name + " (" + matches[1].symbol + "); use one of the symbols in brackets")
	}
}

// names lists the names of the unit, without spaces and hyphens.
func (u *unit) names() []string {
	return append([]string{u.symbol, plainName(u.name)}, strings.Fields(u.aliases)...)
}

// plain removes the optional characters between words.
var plain = strings.NewReplacer(" ", "", "-", "")

// plainName returns a name without spaces and hyphens. Upper and lower case stay.
func plainName(name string) string { return plain.Replace(name) }

// nearest suggests a unit whose name differs from name by one or two letters.
func nearest(name string) string {
	best, closest := "", 3
	for i := range units {
		for _, own := range units[i].names() {
			if n := distance(strings.ToLower(own), strings.ToLower(name)); n < closest && n < len(own)/2 {
				best, closest = "; the nearest is "+units[i].symbol+" ("+units[i].name+")", n
			}
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal, row[j+1] = row[j+1], min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
