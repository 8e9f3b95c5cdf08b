//go:build system

package plugins_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/windieos/windie/wasmtools"
)

// examples are those that are built, and how many tools each has.
var examples = map[string]int{"echo": 1, "units": 2, "weather": 2, "colours": 2, "table": 2, "checksum": 2}

func TestExamplesDescribeThemselves(t *testing.T) {
	t.Parallel()
	for name, tools := range examples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openExample(t, name, wasmtools.Grant{})
			d := p.Description
			if d.Name != name || d.Version != "1.0.0" || d.Description == "" || len(d.Tools) != tools {
				t.Errorf("%+v", d)
			}
			for _, tool := range d.Tools {
				if tool.Description == "" || !readsOnly(tool) {
					t.Errorf("%s: %q, %+v", tool.Name, tool.Description, tool.Annotations)
				}
				var input struct{ AdditionalProperties *bool }
				if err := json.Unmarshal(tool.InputSchema, &input); err != nil || input.AdditionalProperties == nil || *input.AdditionalProperties {
					t.Errorf("%s takes fields it does not know: %s", tool.Name, tool.InputSchema)
				}
			}
			if again := openExample(t, name, wasmtools.Grant{}); !reflect.DeepEqual(again.Description, d) {
				t.Errorf("describe does not answer the same twice:\n%+v\n%+v", d, again.Description)
			}
		})
	}
}

// dialogue is a call and what it answers: structured content, a text that is
// within the first text, or a failure that is.
type dialogue struct {
	tool, arguments        string
	structured, text, fail string
}

func converse(t *testing.T, example string, dialogues []dialogue) {
	t.Helper()
	p := openExample(t, example, wasmtools.Grant{})
	for _, d := range dialogues {
		t.Run(fmt.Sprintf("%s %.50q", d.tool, d.arguments), func(t *testing.T) {
			a := p.ask(t, d.tool, d.arguments)
			if a.IsError != (d.fail != "") || !strings.Contains(a.text, d.text+d.fail) {
				t.Errorf("%+v", a)
			}
			if d.structured == "" {
				return
			}
			var want any
			if err := json.Unmarshal([]byte(d.structured), &want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(a.Structured, want) {
				t.Errorf("%v\nwant %v", a.Structured, want)
			}
		})
	}
}

func TestEcho(t *testing.T) {
	t.Parallel()
	converse(t, "echo", []dialogue{
		{tool: "echo", arguments: `{"text": "hi \"é\" 😀\n"}`, text: "hi \"é\" 😀\n"},
		{tool: "echo", arguments: `{"text": ""}`},
	})
}

func TestUnits(t *testing.T) {
	t.Parallel()
	converse(t, "units", []dialogue{
		{tool: "convert", arguments: `{"value": 3, "from": "metres", "to": "ft"}`,
			structured: `{"value": 9.84251968504, "unit": "ft", "quantity": "length"}`, text: "3 m = 9.84251968504 ft"},
		{tool: "convert", arguments: `{"value": 1, "from": "km", "to": "kg"}`, fail: "kilometre measures length and kilogram measures mass"},
		{tool: "convert", arguments: `{"value": 1, "from": "metrs", "to": "km"}`, fail: "the nearest is m (metre)"},
		{tool: "list", arguments: `{"quantity": "temperature"}`, structured: `{"units": [
			{"symbol": "F", "name": "fahrenheit", "quantity": "temperature"},
			{"symbol": "C", "name": "celsius", "quantity": "temperature"},
			{"symbol": "K", "name": "kelvin", "quantity": "temperature"}]}`},
	})
}

func TestColours(t *testing.T) {
	t.Parallel()
	converse(t, "colours", []dialogue{
		{tool: "name", arguments: `{"colour": "#4682b4"}`, structured: `{"hex": "#4682b4", "names": [{"name": "steelblue", "hex": "#4682b4", "distance": 0}]}`},
		{tool: "name", arguments: `{"colour": "rgb(0, 255, 255)", "count": 2}`, structured: `{"hex": "#00ffff", "names": [
			{"name": "aqua", "hex": "#00ffff", "distance": 0}, {"name": "cyan", "hex": "#00ffff", "distance": 0}]}`},
		{tool: "name", arguments: `{"colour": "reddish"}`, fail: "colour must be #rgb, #rrggbb or rgb(r, g, b)"},
		{tool: "hex", arguments: `{"name": "Rebecca Purple"}`, structured: `{"name": "rebeccapurple", "hex": "#663399"}`},
		{tool: "hex", arguments: `{"name": "salmo"}`, fail: "there are darksalmon, lightsalmon, salmon"},
	})
}

func TestTable(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat(`"x",`, 100)
	converse(t, "table", []dialogue{
		{tool: "markdown", arguments: `{"rows": [["name", "n"], ["a|b\\", 1], ["日本", -2.5], ["x\ny", null]]}`, text: "" +
			"| name   |    n |\n" +
			"| ------ | ---: |\n" +
			"| a\\|b\\\\ |    1 |\n" +
			"| 日本   | -2.5 |\n" +
			"| x<br>y |      |\n"},
		{tool: "markdown", arguments: `{"rows": [{"city": "Bonn", "open": true}, {"city": "Köln", "km": 25}], "align": ["center", "right"]}`, text: "" +
			"| city | open |  km |\n" +
			"| :--: | ---: | --: |\n" +
			"| Bonn | true |     |\n" +
			"| Köln |      |  25 |\n"},
		{tool: "markdown", arguments: `{"headers": ["b"], "rows": [{"a": 1, "b": 2}]}`, structured: `{"markdown": "|   b |\n| --: |\n|   2 |\n", "rows": 1, "columns": 1}`},
		{tool: "markdown", arguments: `{"rows": [["a"], ["b", "c"]]}`, fail: "row 2 has 2 cells for 1 columns"},
		{tool: "markdown", arguments: `{"rows": [["a"], {"b": 1}]}`, fail: "rows must be all lists or all objects"},
		{tool: "markdown", arguments: `{"rows": []}`, fail: "there is no column"},
		{tool: "markdown", arguments: `{"rows": [[` + wide + `"x"]]}`, fail: "there are 101 columns; up to 100"},
		{tool: "markdown", arguments: `{"rows": [["` + strings.Repeat("x", 4000) + `"], ["` + strings.Repeat("x", 4001) + `"]]}`, fail: "row 1 has a cell of more than 4000 characters"},
		{tool: "markdown", arguments: `{"rows": [["a"]], "align": ["left", "left"]}`, fail: "align has 2 entries for 1 columns"},
		{tool: "from_csv", arguments: `{"csv": "a;b\r\n\"x;\"\"y\"\"\";1\r\n\r\nz;2,5%\n", "separator": ";"}`, text: "" +
			"| a     |    b |\n" +
			"| ----- | ---: |\n" +
			"| x;\"y\" |    1 |\n" +
			"| z     | 2,5% |\n"},
		{tool: "from_csv", arguments: `{"csv": "a\n\"b"}`, fail: "row 2 of the CSV has a quote that nothing closes"},
		{tool: "from_csv", arguments: `{"csv": "\"a\"b"}`, fail: "row 1 of the CSV has text after a closing quote"},
		{tool: "from_csv", arguments: `{"csv": "a\nb,c"}`, fail: "row 2 has 2 cells for 1 columns"},
	})
}
