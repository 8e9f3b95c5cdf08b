package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

type forecastIn struct {
	City  string   `json:"city" minLength:"1" doc:"Where."`
	Days  int      `json:"days,omitempty" minimum:"1" maximum:"14" default:"3"`
	Least *float64 `json:"least,omitempty" default:"0.5"`
	Units []string `json:"units,omitempty" enum:"C,F" nullable:"false" default:"[\"C\"]"`
	Photo []byte   `json:"photo,omitempty"`
	Place *struct {
		Lat float64 `json:"lat"`
	} `json:"place,omitempty"`
}

type forecastOut struct {
	Days []int `json:"days"`
}

// forecast is the tool that most tests of Func call.
func forecast(work func(context.Context, agent.Call, forecastIn) (forecastOut, error)) agent.Tool {
	return agent.Func(agent.Descriptor{Name: "weather.forecast", Risk: agent.Safe}, work)
}

func TestFuncSeesWhatFits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, arguments string
		want            string // what the function saw, or the fields
	}{
		{"defaults", `{"city":"Rome"}`, `Rome 3 0.5 [C] `},
		{"what was asked", `{"city":"Rome","days":1,"least":0,"units":["F","C"],"photo":"aGk="}`, `Rome 1 0 [F C] hi`},
		{"too much", `{"city":"Rome","days":15}`, `arguments.days: expected a number <= 14`},
		{"nothing", `{}`, `arguments.city: expected this field, which is required`},
		{"null for what has none", `{"city":null}`, `arguments.city: expected this field, which is required`},
		{"capitals", `{"city":"Rome","Days":99}`, `arguments.Days: expected no such field`},
		{"deeper", `{"city":"Rome","place":{}}`, `arguments.place.lat: expected this field, which is required`},
		{"what the schema takes, but an int does not", `{"city":"Rome","days":2.0}`, `arguments.days: expected a value that fits int`},
		{"what no schema tells", `{"city":"Rome","photo":"?"}`, `arguments: expected values of the tool's types`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			f := forecast(func(_ context.Context, _ agent.Call, in forecastIn) (forecastOut, error) {
				got = fmt.Sprintf("%s %d %v %v %s", in.City, in.Days, *in.Least, in.Units, in.Photo)
				return forecastOut{Days: []int{20}}, nil
			})
			res, err := registered(t, f).Invoke(t.Context(), "weather.forecast", agent.Call{Arguments: json.RawMessage(tt.arguments)})
			if err != nil {
				got += fields(err)
			}
			if got != tt.want || err != nil && fault.CodeOf(err) != sdkapi.ValidationError {
				t.Errorf("%s: %q, not %q (%v)", tt.name, got, tt.want, err)
			}
			if err == nil && string(res.Structured) != `{"days":[20]}` {
				t.Errorf("%s: answered %s", tt.name, res.Structured)
			}
		})
	}
}

func TestFuncFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		told string // what the model reads
		code sdkapi.Code
	}{
		{"its own", agent.Failf("no city %q", "Rme"), `no city "Rme"`, ""},
		{"its own, wrapped", fmt.Errorf("looking: %w", agent.Failure("no city")), "no city", ""},
		{"a fault", fault.New("x", sdkapi.StorageUnavailable, "away"), "", sdkapi.StorageUnavailable},
		{"any other", errors.New("bug"), "", sdkapi.ToolError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := forecast(func(context.Context, agent.Call, forecastIn) (forecastOut, error) { return forecastOut{}, tt.err })
			res, err := registered(t, f).Invoke(t.Context(), "weather.forecast", agent.Call{Arguments: json.RawMessage(`{"city":"Rome"}`)})
			if fault.CodeOf(err) != tt.code || res.IsError != (tt.told != "") {
				t.Errorf("%s: %+v, %v", tt.name, res, err)
			}
			if tt.told != "" && (len(res.Content) != 1 || res.Content[0].Text != tt.told || res.Structured != nil) {
				t.Errorf("%s: told %+v", tt.name, res)
			}
		})
	}
}

// tree holds itself; picture shows something besides its fields.
type tree struct {
	Name     string  `json:"name"`
	Children []*tree `json:"children,omitempty"`
}

type picture struct {
	Width int `json:"width"`
}

func (picture) Content() []agent.Part { return []agent.Part{agent.Image("image/png", []byte("png"))} }

func TestFuncSchemas(t *testing.T) {
	t.Parallel()
	f := agent.Func(agent.Descriptor{Name: "tree.draw", Risk: agent.Safe}, func(_ context.Context, _ agent.Call, in tree) (picture, error) {
		return picture{Width: len(in.Children)}, nil
	})
	d := f.Descriptor()
	const input = `{"type":"object","additionalProperties":false,"properties":{"children":{"type":["array","null"],"items":{"$ref":"#/$defs/Tree"}},"name":{"type":"string"}},"required":["name"]`
	if want := input + `,"$defs":{"Tree":` + input + `}}}`; !sameJSON(t, d.Input, want) {
		t.Errorf("input %s, not %s", d.Input, want)
	}
	if want := `{"type":"object","additionalProperties":false,"properties":{"width":{"type":"integer","format":"int64"}},"required":["width"]}`; !sameJSON(t, d.Output, want) {
		t.Errorf("output %s, not %s", d.Output, want)
	}
	r := registered(t, f)
	res, err := r.Invoke(t.Context(), "tree.draw", agent.Call{Arguments: json.RawMessage(`{"name":"a","children":[{"name":"b","children":[]}]}`)})
	wantCode(t, err, "")
	if len(res.Content) != 1 || res.Content[0].Kind != agent.ImagePart || string(res.Structured) != `{"width":1}` {
		t.Errorf("answered %+v", res)
	}
	_, err = r.Invoke(t.Context(), "tree.draw", agent.Call{Arguments: json.RawMessage(`{"name":"a","children":[{"nome":"b"}]}`)})
	if got, want := fields(err), "arguments.children[0].name: expected this field, which is required\narguments.children[0].nome: expected no such field"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// The bodies of sdkapi must do as they are.
func TestFuncTakesTheBodiesOfRoutes(t *testing.T) {
	t.Parallel()
	f := agent.Func(agent.Descriptor{Name: "screen.resolve_text", Risk: agent.Safe},
		func(_ context.Context, _ agent.Call, in sdkapi.OCRTextRequest) (sdkapi.OCRRunResult, error) {
			if in.Threshold == nil || *in.Threshold != sdkapi.DefaultThreshold {
				t.Errorf("the threshold is %v", in.Threshold)
			}
			return sdkapi.OCRRunResult{}, nil
		})
	if strings.Contains(string(f.Descriptor().Input), "patternDescription") {
		t.Errorf("the schema has a keyword that JSON Schema does not have: %s", f.Descriptor().Input)
	}
	_, err := registered(t, f).Invoke(t.Context(), "screen.resolve_text", agent.Call{Arguments: json.RawMessage(`{"text":"OK","image":{"artifact_id":"x"}}`)})
	if err != nil {
		t.Errorf("%v\n%s", err, fields(err))
	}
}

func TestFuncPanicsForAWrongProgram(t *testing.T) {
	t.Parallel()
	type nested struct {
		Inner struct {
			A int `json:"a" default:"1"`
		} `json:"inner"`
	}
	about := agent.Descriptor{Name: "a.b", Risk: agent.Safe}
	described, owned := about, about
	described.Input, owned.Origin = json.RawMessage(`{}`), weather
	for name, make := range map[string]func(){
		"no object to take": func() { agent.Func(about, func(context.Context, agent.Call, int) (o struct{}, err error) { return }) },
		"no object to give": func() { agent.Func(about, func(context.Context, agent.Call, struct{}) (o []int, err error) { return }) },
		"nothing to give":   func() { agent.Func(about, func(context.Context, agent.Call, struct{}) (o any, err error) { return }) },
		"a default further down": func() {
			agent.Func(about, func(context.Context, agent.Call, nested) (o struct{}, err error) { return })
		},
		"a schema of its own": func() {
			agent.Func(described, func(context.Context, agent.Call, struct{}) (o struct{}, err error) { return })
		},
		"an origin of its own": func() {
			agent.Func(owned, func(context.Context, agent.Call, struct{}) (o struct{}, err error) { return })
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if p := recover(); p == nil || !strings.HasPrefix(fmt.Sprint(p), "agent.Func: a.b: ") {
					t.Errorf("it said %v", p)
				}
			}()
			make()
		})
	}
}

// sameJSON reports whether got and want are the same JSON, whatever the order.
func sameJSON(t *testing.T, got json.RawMessage, want string) bool {
	t.Helper()
	normal := func(text []byte) string {
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		out, _ := json.Marshal(v)
		return string(out)
	}
	return normal(got) == normal([]byte(want))
}
