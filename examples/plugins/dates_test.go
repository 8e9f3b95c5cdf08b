package plugins_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools"
)

// openDates opens the example dates as the gateway does, and returns a registry of its tools.
func openDates(t *testing.T) *agent.Registry {
	t.Helper()
	runtime := filepath.Join(testkit.RepoRoot(t), ".tools", "quickjs.wasm")
	if _, err := os.Stat(runtime); err != nil {
		testkit.Skip(t, "the JavaScript runtime", "make deps")
	}
	script, err := os.ReadFile("dates/dates.js")
	if err != nil {
		t.Fatal(err)
	}
	engine, err := wasmtools.NewEngine(wasmtools.Config{ScriptRuntime: runtime})
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Open(t.Context(), wasmtools.Source{Name: "dates", Script: script}, wasmtools.Grant{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	registry := agent.NewRegistry()
	for _, tool := range p.Tools(wasmtools.Grant{}) {
		if err := registry.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	return registry
}

func TestDates(t *testing.T) {
	t.Parallel()
	registry := openDates(t)
	for _, c := range []struct{ tool, arguments, structured, fail string }{
		{"about", `{"date": "2027-01-01"}`, `{"date": "2027-01-01", "weekday": "Friday", "iso_week": "2026-W53", "day_of_year": 1, "days_in_month": 31, "leap_year": false}`, ""},
		{"about", `{"date": "0001-01-01"}`, `{"date": "0001-01-01", "weekday": "Monday", "iso_week": "0001-W01", "day_of_year": 1, "days_in_month": 31, "leap_year": false}`, ""},
		{"about", `{"date": "2000-12-31"}`, `{"date": "2000-12-31", "weekday": "Sunday", "iso_week": "2000-W52", "day_of_year": 366, "days_in_month": 31, "leap_year": true}`, ""},
		{"add", `{"date": "2024-02-29", "years": 1}`, `{"date": "2025-02-28", "weekday": "Friday", "iso_week": "2025-W09", "day_of_year": 59, "days_in_month": 28, "leap_year": false}`, ""},
		{"add", `{"date": "2026-03-31", "months": -1, "days": 1}`, `{"date": "2026-03-01", "weekday": "Sunday", "iso_week": "2026-W09", "day_of_year": 60, "days_in_month": 31, "leap_year": false}`, ""},
		{"add", `{"date": "2026-01-30", "business_days": -1, "holidays": ["2026-01-29"]}`, `{"date": "2026-01-28", "weekday": "Wednesday", "iso_week": "2026-W05", "day_of_year": 28, "days_in_month": 31, "leap_year": false}`, ""},
		{"between", `{"from": "2026-01-31", "to": "2026-03-01"}`, `{"days": 29, "weeks": 4, "business_days": 20, "calendar": {"years": 0, "months": 1, "days": 1}, "order": "forward"}`, ""},
		{"between", `{"from": "2026-03-01", "to": "2025-01-31"}`, `{"days": -394, "weeks": -56, "business_days": -280, "calendar": {"years": 1, "months": 1, "days": 1}, "order": "backward"}`, ""},
		{"between", `{"from": "2026-12-24", "to": "2026-12-28", "holidays": ["2026-12-25", "2026-12-26", "2026-12-25"]}`, `{"days": 4, "weeks": 0, "business_days": 1, "calendar": {"years": 0, "months": 0, "days": 4}, "order": "forward"}`, ""},
		{"between", `{"from": "2026-12-24", "to": "2026-12-25", "holidays": ["2026-12-24", "2026-12-25"]}`, `{"days": 1, "weeks": 0, "business_days": 0, "calendar": {"years": 0, "months": 0, "days": 1}, "order": "forward"}`, ""},
		{"between", `{"from": "0001-01-01", "to": "9999-12-31"}`, `{"days": 3652058, "weeks": 521722, "business_days": 2608614, "calendar": {"years": 9998, "months": 11, "days": 30}, "order": "forward"}`, ""},
		{"add", `{"date": "2026-02-30"}`, "", "date has day 30; 2026-02 has the days 01 to 28"},
		{"about", `{"date": "2026-13-01"}`, "", "date has month 13; months are 01 to 12"},
		{"about", `{"date": "0000-01-01"}`, "", "date must be in the years 0001 to 9999"},
		{"add", `{"date": "9999-12-31", "days": 1}`, "", "outside of the years 0001 to 9999"},
		{"add", `{"date": "0001-01-01", "days": -1}`, "", "outside of the years 0001 to 9999"},
		{"add", `{"date": "9999-12-31", "years": 120000, "months": 120000}`, "", "outside of the years 0001 to 9999"},
		{"add", `{"date": "9999-12-31", "business_days": 1}`, "", "outside of the years 0001 to 9999"},
		{"add", `{"date": "2026-01-01", "holidays": ["2026-02-30"]}`, "", "holidays[0] has day 30"},
	} {
		t.Run(fmt.Sprintf("%.50q", c.arguments), func(t *testing.T) {
			result, err := registry.Invoke(t.Context(), "dates."+c.tool, agent.Call{User: "ada", Arguments: json.RawMessage(c.arguments)})
			if err != nil {
				t.Fatal(err)
			}
			if result.IsError != (c.fail != "") || c.fail != "" && !strings.Contains(result.Content[0].Text, c.fail) {
				t.Errorf("%+v", result)
			}
			if c.structured == "" {
				return
			}
			var got, want any
			if err := json.Unmarshal([]byte(c.structured), &want); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(result.Structured, &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %v\nwant %v", result.Structured, err, want)
			}
		})
	}
}
