package main

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	plugin "github.com/windieos/windie/sdk/plugin/go"
)

// ask requests query from the service, and decodes the response into out.
func ask(at place, query string, out any) error {
	base, err := baseURL()
	if err != nil {
		return err
	}
	url := base + "/v1/forecast?timezone=auto&latitude=" + decimal(at.Latitude) + "&longitude=" + decimal(at.Longitude) + query
	if at.Units == "imperial" {
		url += "&temperature_unit=fahrenheit&wind_speed_unit=mph&precipitation_unit=inch"
	}
	res, err := plugin.HTTP(plugin.Request{URL: url, Headers: map[string]string{"Accept": "application/json"}})
	switch {
	case plugin.HasCode(err, plugin.PermissionDenied):
		return errors.New("the plugin may not reach the weather service: the operator has to grant the plugin the permission http for " + base)
	case err != nil:
		return errors.New("the weather service could not be reached: " + err.Error())
	case res.Status != 200:
		return refused(res)
	}
	if err := json.Unmarshal(res.Body, out); err != nil {
		plugin.Log(plugin.Warning, "the service's answer: "+err.Error())
		return strange("is not what its API has; check base_url")
	}
	return nil
}

// baseURL returns the service's URL without a trailing slash.
func baseURL() (string, error) {
	base, _, err := plugin.Config("base_url")
	if err != nil {
		return "", err
	}
	base = strings.TrimRight(base, "/")
	switch {
	case base == "":
		return "", errors.New("no weather service is set: the operator has to set the plugin's config key base_url")
	case !strings.HasPrefix(base, "https://") && !strings.HasPrefix(base, "http://"), strings.ContainsAny(base, "?# "):
		return "", errors.New("the plugin's config key base_url is not an address such as https://weather.example: the operator has to correct it")
	}
	return base, nil
}

// maxReason limits the quoted part of the service's own error, in bytes.
const maxReason = 300

// refused returns the service's error.
func refused(res plugin.Response) error {
	plugin.Log(plugin.Warning, "the service answered with status "+whole(res.Status))
	var told struct {
		Reason string `json:"reason"`
	}
	switch {
	case res.Status == 429:
		return errors.New("the weather service is receiving too many requests; try again in a minute")
	case res.Status >= 500:
		return errors.New("the weather service has a problem (status " + whole(res.Status) + "); try again later")
	case json.Unmarshal(res.Body, &told) == nil && told.Reason != "":
		return errors.New("the weather service refused the request: " + strings.ToValidUTF8(told.Reason[:min(len(told.Reason), maxReason)], ""))
	}
	return errors.New("the weather service refused the request with status " + whole(res.Status) + "; check base_url")
}

// strange returns an error about an unusable answer of the service. what is the predicate of the sentence.
func strange(what string) error { return errors.New("the weather service's answer " + what) }

// whole formats a whole number.
func whole(n int) string { return strconv.Itoa(n) }

// decimal formats a coordinate without an exponent, to about a metre.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 5, 64) }

var points = [...]string{"N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"}

// compass returns the nearest of the 16 compass points. Any number of degrees is valid, negative ones too.
func compass(degrees float64) string {
	n := float64(len(points))
	i := int(math.Mod(math.Round(degrees/360*n), n))
	return points[(i+len(points))%len(points)]
}

// conditions are the WMO weather codes.
var conditions = map[int]string{
	0: "clear", 1: "mostly clear", 2: "partly cloudy", 3: "overcast", 45: "fog", 48: "freezing fog",
	51: "light drizzle", 53: "drizzle", 55: "heavy drizzle", 56: "light freezing drizzle", 57: "freezing drizzle",
	61: "light rain", 63: "rain", 65: "heavy rain", 66: "light freezing rain", 67: "freezing rain",
	71: "light snow", 73: "snow", 75: "heavy snow", 77: "snow grains", 80: "light showers", 81: "showers", 82: "violent showers",
	85: "light snow showers", 86: "snow showers", 95: "thunderstorm", 96: "thunderstorm with light hail", 99: "thunderstorm with hail",
}

// condition describes a WMO weather code. An unknown code is returned as a number.
func condition(code int) string {
	if text, ok := conditions[code]; ok {
		return text
	}
	return "code " + whole(code)
}
