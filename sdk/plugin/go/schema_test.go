package plugin

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

type inner struct {
	X int `json:"x" minimum:"-1"`
}

type embedded struct {
	Base string `json:"base" pattern:"^a" format:"hostname" minLength:"1" maxLength:"9"`
}

type everything struct {
	embedded
	Bool     bool               `json:"bool" doc:"Yes or no."`
	Uint     uint8              `json:"uint" maximum:"200" multipleOf:"5"`
	Float    float64            `json:"float,omitempty" exclusiveMinimum:"0" exclusiveMaximum:"1.5e3"`
	Enum     string             `json:"enum" enum:"a, b" default:"b"`
	List     []string           `json:"list" minItems:"1" maxItems:"3" uniqueItems:"true" enum:"x,y"`
	Pair     [2]int             `json:"pair"`
	Map      map[string]inner   `json:"map" minProperties:"1" maxProperties:"2"`
	Pointer  *int               `json:"pointer" enum:"1,2"`
	Optional *inner             `json:"optional,omitempty"`
	Null     string             `json:"null" nullable:"true" required:"false"`
	Bytes    []byte             `json:"bytes"`
	Time     time.Time          `json:"time"`
	Raw      json.RawMessage    `json:"raw"`
	Any      any                `json:"any,omitzero" examples:"1,\"x\""`
	Ignored  func()             `json:"-"`
	Plain    int                // named by its field
	Dash     bool               `json:"-,"` //nolint:staticcheck // the name "-" is what it tests
	hidden   map[string]float64 //nolint:unused // what JSON does not see makes no schema
}

const everythingSchema = `{"type": "object", "additionalProperties": false,
	"required": ["base", "bool", "uint", "list", "pair", "map", "pointer", "bytes", "time", "raw", "Plain", "-"],
	"properties": {
		"base": {"type": "string", "pattern": "^a", "format": "hostname", "minLength": 1, "maxLength": 9},
		"bool": {"type": "boolean", "description": "Yes or no."},
		"uint": {"type": "integer", "minimum": 0, "maximum": 200, "multipleOf": 5},
		"float": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1500},
		"enum": {"type": "string", "enum": ["a", "b"], "default": "b"},
		"list": {"type": "array", "minItems": 1, "maxItems": 3, "uniqueItems": true, "items": {"type": "string", "enum": ["x", "y"]}},
		"pair": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer"}},
		"map": {"type": "object", "minProperties": 1, "maxProperties": 2, "additionalProperties": {"type": "object", "additionalProperties": false,
			"required": ["x"], "properties": {"x": {"type": "integer", "minimum": -1}}}},
		"pointer": {"type": ["integer", "null"], "enum": [1, 2, null]},
		"optional": {"type": "object", "additionalProperties": false, "required": ["x"], "properties": {"x": {"type": "integer", "minimum": -1}}},
		"null": {"type": ["string", "null"]},
		"bytes": {"type": "string", "contentEncoding": "base64"},
		"time": {"type": "string", "format": "date-time"},
		"raw": {}, "any": {"examples": [1, "x"]},
		"Plain": {"type": "integer"}, "-": {"type": "boolean"}}}`

func TestSchema(t *testing.T) {
	t.Parallel()
	var got, want any
	if err := json.Unmarshal(Schema[everything](), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(everythingSchema), &want); err != nil {
		t.Fatal(err)
	}
	g, w := got.(map[string]any)["properties"].(map[string]any), want.(map[string]any)["properties"].(map[string]any)
	for name := range w {
		if !reflect.DeepEqual(g[name], w[name]) {
			t.Errorf("%s is %v, want %v", name, g[name], w[name])
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

// TestNilListsMayBeAnswered: encoding/json writes them as null.
func TestNilListsMayBeAnswered(t *testing.T) {
	t.Parallel()
	type lists struct {
		List []int          `json:"list"`
		Map  map[string]int `json:"map"`
		Left []int          `json:"left,omitempty"`
	}
	out, in := string(outputSchema[lists]("x")), string(Schema[lists]())
	if strings.Count(out, `["array","null"]`) != 1 || strings.Count(out, `["object","null"]`) != 1 || strings.Contains(in, "null") {
		t.Errorf("%s\n%s", out, in)
	}
	if s := outputSchema[string]("x"); s != nil {
		t.Errorf("a text has the schema %s", s)
	}
	if s := string(outputSchema[map[string]int]("x")); s != `{"additionalProperties":{"type":"integer"},"type":"object"}` {
		t.Error(s)
	}
}

type recursive struct {
	Next *recursive `json:"next"`
}

// TestBadTypesPanic: a wrong program fails at its start, and learns where.
func TestBadTypesPanic(t *testing.T) {
	t.Parallel()
	for want, make := range map[string]func(){
		"tool Schema: string must be a struct": func() { Schema[string]() },
		"plugin.recursive contains itself":     func() { Schema[recursive]() },
		"chan int cannot be encoded as JSON":   func() { Schema[struct{ C chan int }]() },
		`field A has the tag minimum of "x"; expected a valid number`: func() {
			Schema[struct {
				A int `minimum:"x"`
			}]()
		},
		"field N has the JSON option string": func() {
			Schema[struct {
				N int64 `json:"n,string"`
			}]()
		},
		`field B has the tag minLength of "-1"; expected a valid number`: func() {
			Schema[struct {
				B string `minLength:"-1"`
			}]()
		},
		`field C has a tag with the value "x", which is no int`: func() {
			Schema[struct {
				C int `enum:"1,x"`
			}]()
		},
		`field D has the tag required of "maybe"; expected true or false`: func() {
			Schema[struct {
				D int `required:"maybe"`
			}]()
		},
		`field E has a tag with the value "[", which is no []int`: func() {
			Schema[struct {
				E []int `default:"["`
			}]()
		},
		"field F has a default, which is allowed only for fields of the arguments struct": func() {
			Schema[struct {
				In struct {
					F int `default:"1"`
				}
			}]()
		},
		"field H has the same name as another field: x": func() {
			Schema[struct {
				inner
				H int `json:"x"`
			}]()
		},
		"time.Time must encode as a JSON object": func() { Schema[time.Time]() },
	} {
		t.Run(want, func(t *testing.T) {
			func() {
				defer func() {
					if got, _ := recover().(string); !strings.Contains(got, want) {
						t.Errorf("panicked with %q, want %q", got, want)
					}
				}()
				make()
			}()
		})
	}
}
