// Command weather is a plugin that reports the weather, from any service with the forecast API of
// Open-Meteo. Its config key base_url names the service. It needs the permission http for that
// host.
package main

import plugin "github.com/windieos/windie/sdk/plugin/go"

// place is the location in each tool's arguments.
type place struct {
	Latitude  float64 `json:"latitude" minimum:"-90" maximum:"90" doc:"Degrees north of the equator."`
	Longitude float64 `json:"longitude" minimum:"-180" maximum:"180" doc:"Degrees east of Greenwich."`
	Units     string  `json:"units" enum:"metric,imperial" default:"metric" doc:"Units of the answer: metric (°C, km/h, mm) or imperial (°F, mph, inches)."`
}

type forecastArgs struct {
	place
	Days int `json:"days" minimum:"1" maximum:"16" default:"3" doc:"Number of days, including today."`
}

type current struct {
	Time          string  `json:"time" doc:"Local time of the place."`
	Condition     string  `json:"condition"`
	Temperature   float64 `json:"temperature"`
	FeelsLike     float64 `json:"feels_like"`
	Humidity      float64 `json:"humidity" doc:"Relative humidity in percent."`
	WindSpeed     float64 `json:"wind_speed"`
	WindFrom      string  `json:"wind_from" doc:"Direction from which the wind comes, as a compass point."`
	Precipitation float64 `json:"precipitation"`
	Units         string  `json:"units"`
}

type forecast struct {
	Days  []day  `json:"days"`
	Units string `json:"units"`
}

type day struct {
	Date          string   `json:"date"`
	Condition     string   `json:"condition"`
	Low           float64  `json:"low"`
	High          float64  `json:"high"`
	Precipitation float64  `json:"precipitation"`
	Chance        *float64 `json:"chance" doc:"Probability of precipitation in percent. Null if the service does not report it."`
	WindSpeed     float64  `json:"wind_speed" doc:"Highest wind speed of the day."`
}

// init registers the plugin and its tools, before Main asks for them.
func init() {
	plugin.Describe("weather", "1.0.0", "Tells the weather now and on the next days.")
	plugin.Tool("current", "Tells the weather at a place now.", now, plugin.ReadOnly)
	plugin.Tool("forecast", "Tells the weather at a place on the next days.", next, plugin.ReadOnly)
}

// now is the tool current.
func now(in place) (current, error) {
	var got struct {
		Current struct {
			Time          string  `json:"time"`
			Temperature   float64 `json:"temperature_2m"`
			FeelsLike     float64 `json:"apparent_temperature"`
			Humidity      float64 `json:"relative_humidity_2m"`
			Precipitation float64 `json:"precipitation"`
			Code          int     `json:"weather_code"`
			WindSpeed     float64 `json:"wind_speed_10m"`
			WindFrom      float64 `json:"wind_direction_10m"`
		} `json:"current"`
	}
	err := ask(in, "&current=temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,weather_code,wind_speed_10m,wind_direction_10m", &got)
	if err != nil {
		return current{}, err
	}
	c := got.Current
	if c.Time == "" {
		return current{}, strange("has no current weather")
	}
	return current{Time: c.Time, Condition: condition(c.Code), Temperature: c.Temperature, FeelsLike: c.FeelsLike, Humidity: c.Humidity,
		WindSpeed: c.WindSpeed, WindFrom: compass(c.WindFrom), Precipitation: c.Precipitation, Units: in.Units}, nil
}

// next is the tool forecast. It fails if the service returns no days, or more than requested.
func next(in forecastArgs) (forecast, error) {
	var got struct {
		Daily struct {
			Time          []string   `json:"time"`
			Code          []int      `json:"weather_code"`
			High          []float64  `json:"temperature_2m_max"`
			Low           []float64  `json:"temperature_2m_min"`
			Precipitation []float64  `json:"precipitation_sum"`
			Chance        []*float64 `json:"precipitation_probability_max"`
			WindSpeed     []float64  `json:"wind_speed_10m_max"`
		} `json:"daily"`
	}
	err := ask(in.place, "&daily=weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,precipitation_probability_max,wind_speed_10m_max"+
		"&forecast_days="+whole(in.Days), &got)
	if err != nil {
		return forecast{}, err
	}
	d, out := got.Daily, forecast{Days: []day{}, Units: in.Units}
	n := len(d.Time)
	if n == 0 || n > in.Days || min(len(d.Code), len(d.High), len(d.Low), len(d.Precipitation), len(d.WindSpeed)) < n {
		return forecast{}, strange("does not have the days that it was asked for")
	}
	for i := range n {
		one := day{Date: d.Time[i], Condition: condition(d.Code[i]), Low: d.Low[i], High: d.High[i], Precipitation: d.Precipitation[i], WindSpeed: d.WindSpeed[i]}
		if i < len(d.Chance) {
			one.Chance = d.Chance[i]
		}
		out.Days = append(out.Days, one)
	}
	return out, nil
}

// main serves one request of the gateway.
func main() { plugin.Main() }
