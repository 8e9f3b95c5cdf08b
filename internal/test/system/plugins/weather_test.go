//go:build system

package plugins_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/wasmtools"
)

// service answers as Open-Meteo's API does, or as the test sets.
type service struct {
	status int
	body   string
	asked  string // the last query
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked = r.URL.String()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(s.status)
	_, _ = io.WriteString(w, s.body)
}

// openWeather opens the example with that setting, or without one if base is empty, and a grant to ask there.
func openWeather(t testing.TB, base string) plugin {
	t.Helper()
	grant := wasmtools.Grant{}
	if base != "" {
		grant.Config = map[string]string{"base_url": base}
	}
	if host, ok := strings.CutPrefix(base, "http://"); ok {
		grant.Permissions.HTTP = []egress.Rule{{Host: strings.TrimSuffix(host, "/"), Schemes: []string{"http"}, Private: true}}
	}
	return openExample(t, "weather", grant)
}

const (
	nowThere = `{"current": {"time": "2026-11-21T13:00", "temperature_2m": 7.4, "apparent_temperature": 4.9, "relative_humidity_2m": 81,
		"precipitation": 0.1, "weather_code": 61, "wind_speed_10m": 14.2, "wind_direction_10m": 350.0}}`
	daysThere = `{"daily": {"time": ["2026-11-21", "2026-11-22"], "weather_code": [3, 1234], "temperature_2m_max": [8, 9.5], "temperature_2m_min": [2, -1],
		"precipitation_sum": [0, 4.2], "precipitation_probability_max": [10, null], "wind_speed_10m_max": [20, 31]}}`
)

func TestWeather(t *testing.T) {
	t.Parallel()
	s := &service{status: 200, body: nowThere}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)

	a := openWeather(t, server.URL+"/").ask(t, "current", `{"latitude": 52.52, "longitude": -0.00001}`)
	got, err := json.Marshal(a.Structured)
	if want := `{"condition":"light rain","feels_like":4.9,"humidity":81,"precipitation":0.1,"temperature":7.4,"time":"2026-11-21T13:00","units":"metric","wind_from":"N","wind_speed":14.2}`; err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	if !strings.HasPrefix(s.asked, "/v1/forecast?timezone=auto&latitude=52.52000&longitude=-0.00001&current=temperature_2m,") || strings.Contains(s.asked, "unit=") {
		t.Errorf("asked %s", s.asked)
	}

	s.body = daysThere
	a = openWeather(t, server.URL).ask(t, "forecast", `{"latitude": 0, "longitude": 180, "days": 2, "units": "imperial"}`)
	got, err = json.Marshal(a.Structured)
	if want := `{"days":[{"chance":10,"condition":"overcast","date":"2026-11-21","high":8,"low":2,"precipitation":0,"wind_speed":20},` +
		`{"chance":null,"condition":"code 1234","date":"2026-11-22","high":9.5,"low":-1,"precipitation":4.2,"wind_speed":31}],"units":"imperial"}`; err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	if !strings.Contains(s.asked, "&forecast_days=2&temperature_unit=fahrenheit") {
		t.Errorf("asked %s", s.asked)
	}
}

func TestWeatherFailuresSayWhoCanMendThem(t *testing.T) {
	t.Parallel()
	s := &service{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	gone := httptest.NewServer(s)
	gone.Close()
	unset, here := openWeather(t, ""), openWeather(t, server.URL)
	for _, c := range []struct {
		status     int
		body, want string
		plugin     plugin
	}{
		{0, "", "the operator has to set the plugin's config key base_url", unset},
		{0, "", "base_url is not an address", openWeather(t, "weather.example")},
		{0, "", "base_url is not an address", openWeather(t, "https://weather.example/?key=1")},
		{0, "", "the operator has to grant the plugin the permission http for https://weather.example", openWeather(t, "https://weather.example")},
		{0, "", "the weather service could not be reached", openWeather(t, gone.URL)},
		{429, "", "try again in a minute", here},
		{503, "", "has a problem (status 503)", here},
		{400, `{"error": true, "reason": "Latitude must be in range"}`, "the weather service refused the request: Latitude must be in range", here},
		{404, "not found", "refused the request with status 404; check base_url", here},
		{200, "<html>", "is not what its API has", here},
		{200, "{}", "has no current weather", here},
	} {
		t.Run(fmt.Sprintf("%d %.60s", c.status, c.want), func(t *testing.T) {
			s.status, s.body = c.status, c.body
			a := c.plugin.ask(t, "current", `{"latitude": 1, "longitude": 2}`)
			if !a.IsError || !strings.Contains(a.text, c.want) {
				t.Errorf("want %q: %+v", c.want, a)
			}
		})
	}
	s.status, s.body = 200, daysThere
	if a := here.ask(t, "forecast", `{"latitude": 1, "longitude": 2, "days": 1}`); !a.IsError {
		t.Errorf("more days than asked for: %+v", a)
	}
}
