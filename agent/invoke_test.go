package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

const place = `{"type":"object","additionalProperties":false,"required":["city"],"properties":{
	"city":{"type":"string","minLength":1,"maxLength":20,"pattern":"^[A-Z]"},
	"days":{"type":"integer","minimum":1,"maximum":14},
	"unit":{"enum":["C","F"]},
	"at":{"type":"array","maxItems":2,"items":{"type":"object","required":["lat"],"properties":{"lat":{"type":"number"}}}},
	"note":{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}]},
	"step":{"oneOf":[{"type":"object","required":["to"],"properties":{"op":{"const":"go"}}},{"type":"object","required":["for"],"properties":{"op":{"enum":["wait","rest"]}}}]},
	"any":{"anyOf":[{"type":"string","maxLength":3},{"type":"string","maxLength":4}]}}}`

func TestArgumentsAreChecked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, arguments string
		want            string // the fields; "" for arguments that fit
	}{
		{"all that is needed", `{"city":"Rome"}`, ""},
		{"all there is", `{"city":"Rome","days":14,"unit":"F","at":[{"lat":1.5}],"note":null}`, ""},
		{"a whole number in another spelling", `{"city":"Rome","days":1.4e1}`, ""},
		{"nothing", ``, "arguments.city: expected this field, which is required"},
		{"an empty object", `{}`, "arguments.city: expected this field, which is required"},
		{"all problems at once", `{"days":0,"unit":"K","extra":1}`, `arguments.city: expected this field, which is required
arguments.days: expected a number >= 1
arguments.extra: expected no such field
arguments.unit: expected one of "C", "F"`},
		{"another type", `{"city":7}`, "arguments.city: expected string, not number"},
		{"no whole number", `{"city":"Rome","days":1.5}`, "arguments.days: expected integer, not number"},
		{"a pattern, whose text is not repeated", `{"city":"secret"}`, `arguments.city: expected text that matches "^[A-Z]"`},
		{"within a list", `{"city":"Rome","at":[{"lat":1},{"lat":"x"},{}]}`, `arguments.at: expected at most 2 items
arguments.at[1].lat: expected number, not string
arguments.at[2].lat: expected this field, which is required`},
		{"the alternative that was meant", `{"city":"Rome","note":"long"}`, "arguments.note: expected length <= 3"},
		{"the alternative that its kind tells", `{"city":"Rome","step":{"op":"rest"}}`, "arguments.step.for: expected this field, which is required"},
		{"no alternative of its kind", `{"city":"Rome","step":{"op":"run"}}`, "arguments.step: expected one of the schema's alternatives"},
		{"both alternatives", `{"city":"Rome","step":{"to":1,"for":2}}`, "arguments.step: expected only one of the schema's alternatives, not several"},
		{"no alternative at all", `{"city":"Rome","note":7}`, "arguments.note: expected one of the schema's alternatives"},
		{"several alternatives", `{"city":"Rome","any":"longer"}`, "arguments.any: expected one of the schema's alternatives"},
		{"a list", `[1]`, "arguments: expected object, not array"},
		{"null", `null`, "arguments: expected object, not null"},
		{"no JSON", `{"city":`, "arguments: expected valid JSON"},
		{"more than one value", `{"city":"Rome"} {}`, "arguments: expected one JSON value"},
		{"more than JSON", `{"city":"Rome"}]`, "arguments: expected one JSON value"},
		{"a field twice", `{"city":"rome","city":"Rome"}`, "arguments: expected no duplicate fields"},
		{"a field twice, spelled in two ways", `{"city":"rome","\u0063ity":"Rome"}`, "arguments: expected no duplicate fields"},
		{"a field in capitals", `{"city":"Rome","City":"x"}`, "arguments.City: expected no such field"},
		{"no UTF-8", "{\"city\":\"R\xff\"}", "arguments: expected text in UTF-8"},
		{"a number that is dear to compute with", `{"city":"Rome","days":1e999999999}`, "arguments: expected numbers of at most 64 bytes, with an exponent of at most 3 digits"},
		{"a number too long", `{"city":"Rome","days":1` + strings.Repeat("0", agent.MaxNumberLen) + `}`, "arguments: expected numbers of at most 64 bytes, with an exponent of at most 3 digits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			called := false
			f := with(place, "")
			f.answer = func(_ context.Context, call agent.Call) (agent.Result, error) {
				called = true
				if string(call.Arguments) != tt.arguments {
					t.Errorf("the tool got %s", call.Arguments)
				}
				return agent.Result{}, nil
			}
			_, err := registered(t, f).Invoke(t.Context(), "weather.get", agent.Call{Arguments: json.RawMessage(tt.arguments)})
			if got := fields(err); got != tt.want {
				t.Errorf("fields:\n%s\nnot:\n%s", got, tt.want)
			}
			if (err == nil) != (tt.want == "") || err != nil && fault.CodeOf(err) != sdkapi.ValidationError || called != (err == nil) {
				t.Errorf("called %v, error %v", called, err)
			}
		})
	}
}

func TestArgumentsAreBounded(t *testing.T) {
	t.Parallel()
	r := registered(t, with("", ""))
	text := func(n int) string { return `{"a":"` + strings.Repeat("a", n-len(`{"a":""}`)) + `"}` }
	deep := func(n int) string { return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}` }
	wide := func(n int) string { return `{"a":[0` + strings.Repeat(",0", n-3) + `]}` }
	for _, tt := range []struct {
		name, arguments string
		want            sdkapi.Code
	}{
		{"the longest", text(agent.MaxArguments), ""},
		{"too long", text(agent.MaxArguments + 1), sdkapi.PayloadTooLarge},
		{"the deepest", deep(agent.MaxDepth), ""},
		{"too deep", deep(agent.MaxDepth + 1), sdkapi.ValidationError},
		{"the widest", wide(agent.MaxValues), ""},
		{"too wide", wide(agent.MaxValues + 1), sdkapi.ValidationError},
		{"the longest number", `{"a":` + strings.Repeat("1", agent.MaxNumberLen) + `}`, ""},
		{"the largest exponent", `{"a":1e999}`, ""},
		{"too large an exponent", `{"a":-1E-1000}`, sdkapi.ValidationError},
		{"brackets, colons and numbers in text", `{"a\"[":"` + strings.Repeat(`[:{\\\"1e9999`, 1000) + `"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := r.Invoke(t.Context(), "weather.get", agent.Call{Arguments: json.RawMessage(tt.arguments)})
			if got := fault.CodeOf(err); got != tt.want {
				t.Errorf("%s: %q, not %q: %v", tt.name, got, tt.want, err)
			}
		})
	}
}

func TestInvokeNeedsATool(t *testing.T) {
	t.Parallel()
	ready, starting, forbidden := tool("a.ready", weather), tool("a.starting", weather), tool("a.forbidden", weather)
	starting.about.Starting, forbidden.about.Risk = true, agent.Forbidden
	r := registered(t, ready, starting, forbidden)
	for name, want := range map[string]sdkapi.Code{
		"a.ready": "", "a.starting": sdkapi.ToolStarting, "a.forbidden": sdkapi.ToolForbidden,
		"A.Ready": sdkapi.ToolNotFound, "a.ready ": sdkapi.ToolNotFound, "": sdkapi.ToolNotFound,
		strings.Repeat("x", 1<<20): sdkapi.ToolNotFound,
	} {
		t.Run(fmt.Sprintf("%.60q", name), func(t *testing.T) {
			_, err := r.Invoke(t.Context(), name, agent.Call{})
			if got := fault.CodeOf(err); got != want || err != nil && len(fault.From(err).Message) > 500 {
				t.Errorf("%.20q: %q, not %q", name, got, want)
			}
		})
	}
	starting.about.Starting = false
	wantCode(t, r.Update(weather, []agent.Tool{starting}), "")
	_, err := r.Invoke(t.Context(), "a.starting", agent.Call{})
	wantCode(t, err, "")
}

func TestAnswersAreChecked(t *testing.T) {
	t.Parallel()
	const output = `{"type":"object","required":["degrees"],"properties":{"degrees":{"type":"number"}}}`
	secret := errors.New("dial 10.0.0.7: refused")
	structured := func(text string) agent.Result { return agent.Result{Structured: json.RawMessage(text)} }
	for _, tt := range []struct {
		name   string
		output string
		result agent.Result
		err    error
		want   sdkapi.Code
	}{
		{"as promised", output, structured(`{"degrees":21.5}`), nil, ""},
		{"nothing promised", "", structured(`[1]`), nil, ""},
		{"nothing at all", "", agent.Result{}, nil, ""},
		{"not as promised", output, structured(`{"degrees":"10.0.0.7"}`), nil, sdkapi.ToolError},
		{"nothing, though promised", output, agent.Result{}, nil, sdkapi.ToolError},
		{"no JSON", "", structured(`{`), nil, sdkapi.ToolError},
		{"no JSON in a part", "", agent.Result{Content: []agent.Part{agent.JSON(json.RawMessage(`{`))}}, nil, sdkapi.ToolError},
		{"JSON in a part", "", agent.Result{Content: []agent.Part{agent.JSON(json.RawMessage(`{}`))}}, nil, ""},
		{"the tool's own failure", output, agent.Failf("no such city").Result(), nil, ""},
		{"a failure with bad JSON", output, agent.Result{IsError: true, Structured: json.RawMessage(`{`)}, nil, sdkapi.ToolError},
		{"the largest", "", structured(`"` + strings.Repeat("x", agent.MaxStructured-2) + `"`), nil, ""},
		{"too large", "", structured(`"` + strings.Repeat("x", agent.MaxStructured-1) + `"`), nil, sdkapi.ToolError},
		{"an error", output, structured(`{"degrees":1}`), secret, sdkapi.ToolError},
		{"a fault", output, agent.Result{}, fmt.Errorf("x: %w", fault.New("store.Get", sdkapi.ArtifactNotFound, "gone").Because(secret)), sdkapi.ArtifactNotFound},
		{"out of time", output, agent.Result{}, fmt.Errorf("x: %w", context.DeadlineExceeded), sdkapi.Timeout},
		{"canceled", output, agent.Result{}, context.Canceled, sdkapi.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := with("", tt.output)
			f.answer = func(context.Context, agent.Call) (agent.Result, error) {
				tt.result.Usage.Fuel = 7
				return tt.result, tt.err
			}
			res, err := registered(t, f).Invoke(t.Context(), "weather.get", agent.Call{})
			if got := fault.CodeOf(err); got != tt.want {
				t.Errorf("%s: %q, not %q: %v", tt.name, got, tt.want, err)
			}
			if res.Usage.Fuel != 7 || res.Usage.WallTime == 0 {
				t.Errorf("%s: usage %+v", tt.name, res.Usage)
			}
			if err != nil && (res.Structured != nil || strings.Contains(fault.From(err).Message, "10.0.0.7")) {
				t.Errorf("%s: told %q and %s", tt.name, fault.From(err).Message, res.Structured)
			}
		})
	}
}

func TestPanicsAreContained(t *testing.T) {
	t.Parallel()
	f := with("", "")
	f.answer = func(context.Context, agent.Call) (agent.Result, error) { panic("boiling over") }
	res, err := registered(t, f).Invoke(t.Context(), "weather.get", agent.Call{})
	wantCode(t, err, sdkapi.ToolError)
	if strings.Contains(fault.From(err).Message, "boiling") || !strings.Contains(err.Error(), "boiling") || !strings.Contains(err.Error(), "invoke_test.go") {
		t.Errorf("the caller reads %q, the log %q", fault.From(err).Message, err)
	}
	if res.Usage.WallTime == 0 {
		t.Error("the time was not measured")
	}
}

func TestTimeIsMeasured(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		told, want time.Duration
	}{
		{"by the registry", 0, 3 * time.Second},
		{"by the tool", time.Second, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := with("", "")
				f.answer = func(context.Context, agent.Call) (agent.Result, error) {
					time.Sleep(3 * time.Second)
					return agent.Result{Usage: agent.Usage{WallTime: tt.told}}, nil
				}
				res, err := registered(t, f).Invoke(t.Context(), "weather.get", agent.Call{})
				wantCode(t, err, "")
				if res.Usage.WallTime != tt.want {
					t.Errorf("%s: %v, not %v", tt.name, res.Usage.WallTime, tt.want)
				}
			})
		})
	}
}

func TestEndedCallsDoNotBegin(t *testing.T) {
	t.Parallel()
	f := with("", "")
	f.answer = func(context.Context, agent.Call) (agent.Result, error) {
		t.Error("the tool was called")
		return agent.Result{}, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := registered(t, f).Invoke(ctx, "weather.get", agent.Call{})
	wantCode(t, err, sdkapi.Canceled)
}

func TestTheToolSeesTheCall(t *testing.T) {
	t.Parallel()
	want := agent.Call{ID: "call_1", Session: "s1", User: "ada"}
	f := with("", "")
	f.answer = func(_ context.Context, call agent.Call) (agent.Result, error) {
		if call.ID != want.ID || call.Session != want.Session || call.User != want.User || string(call.Arguments) != "{}" {
			t.Errorf("the tool saw %+v", call)
		}
		return agent.Result{}, nil
	}
	_, err := registered(t, f).Invoke(t.Context(), "weather.get", want)
	wantCode(t, err, "")
}

func TestExpectedToolsAreStarting(t *testing.T) {
	t.Parallel()
	r := registered(t, tool("clock.now", agent.Origin{Kind: agent.Builtin}))
	r.Expect(weather, "weather")
	_, err := r.Invoke(t.Context(), "weather.get", agent.Call{})
	wantCode(t, err, sdkapi.ToolStarting)
	_, err = r.Invoke(t.Context(), "weathers.get", agent.Call{})
	wantCode(t, err, sdkapi.ToolNotFound)
	wantCode(t, r.Update(agent.Origin{Kind: agent.Wasm, Owner: "other"}, nil), "")
	_, err = r.Invoke(t.Context(), "weather.get", agent.Call{})
	wantCode(t, err, sdkapi.ToolStarting)
	wantCode(t, r.Update(weather, []agent.Tool{tool("weather.set", weather)}), "")
	_, err = r.Invoke(t.Context(), "weather.get", agent.Call{})
	wantCode(t, err, sdkapi.ToolNotFound)
}

// TestCallsFromWithin shows that a tool reaches what its caller sees, and no
// more, for the same user, and not for ever.
func TestCallsFromWithin(t *testing.T) {
	t.Parallel()
	deepest := 0
	outer, hidden := tool("outer.call", weather), tool("hidden.call", weather)
	outer.answer = func(ctx context.Context, call agent.Call) (agent.Result, error) {
		if call.User != "ada" {
			t.Errorf("for the user %q", call.User)
		}
		deepest++
		name := "outer.call"
		if string(call.Arguments) == `{"hidden":true}` {
			name = "hidden.call"
		}
		return call.Invoke(ctx, name, nil)
	}
	view := registered(t, outer, hidden).View(named("outer.call"))
	_, err := view.Invoke(t.Context(), "outer.call", agent.Call{User: "ada", Arguments: json.RawMessage(`{"hidden":true}`)})
	wantCode(t, err, sdkapi.ToolNotFound)
	deepest = 0
	_, err = view.Invoke(t.Context(), "outer.call", agent.Call{User: "ada"})
	wantCode(t, err, sdkapi.ToolError)
	if deepest != 5 {
		t.Errorf("%d calls within each other", deepest)
	}
	_, err = agent.Call{}.Invoke(t.Context(), "outer.call", nil)
	wantCode(t, err, sdkapi.ToolNotFound)
}

// answers is a tool that always answers the same.
type answers struct {
	d      agent.Descriptor
	result agent.Result
}

func (a answers) Descriptor() agent.Descriptor                           { return a.d }
func (a answers) Call(context.Context, agent.Call) (agent.Result, error) { return a.result, nil }

// A tool that answers something else than its schema promises fails with where the answer differs.
func TestOutputThatWasNotPromised(t *testing.T) {
	t.Parallel()
	registry := agent.NewRegistry()
	d := agent.Descriptor{Name: "test.lies", Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Builtin}, Output: json.RawMessage(`{"type":"object","required":["truth"],"properties":{"truth":{"type":"boolean"}}}`)}
	if err := registry.Register(answers{d, agent.Result{Structured: json.RawMessage(`{"truth":7}`)}}); err != nil {
		t.Fatal(err)
	}
	_, err := registry.Invoke(t.Context(), "test.lies", agent.Call{})
	f := fault.From(err)
	if f.Code != sdkapi.ToolError || !strings.Contains(f.Message, `"test.lies" of builtin failed: its output does not match its schema`) || len(f.Details.Fields) != 1 || f.Details.Fields[0].Path != "output.truth" {
		t.Errorf("%s %+v", f.Message, f.Details)
	}
}

// Metadata of a result has a bound.
func TestMetadataIsBounded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		bytes int
		fails bool
	}{{"the most", agent.MaxMeta, false}, {"one more", agent.MaxMeta + 1, true}} {
		t.Run(tt.name, func(t *testing.T) {
			registry := agent.NewRegistry()
			meta := json.RawMessage(`{"a":"` + strings.Repeat("x", tt.bytes-len(`{"a":""}`)) + `"}`)
			if err := registry.Register(answers{agent.Descriptor{Name: "test.talks", Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Builtin}}, agent.Result{Meta: meta}}); err != nil {
				t.Fatal(err)
			}
			if _, err := registry.Invoke(t.Context(), "test.talks", agent.Call{}); (err != nil) != tt.fails {
				t.Errorf("%d bytes: %v", tt.bytes, err)
			}
		})
	}
}

// A null in the place of an optional field is no field: programs that make a type of a schema send all of its fields.
func TestNullsAreLeftOut(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"city":"Rome","days":null,"unit":null,"at":null,"step":null}`:   `{"city":"Rome"}`,
		`{"city":"Rome","note":null,"days":null}`:                         `{"city":"Rome","note":null}`,
		`{"city":"Rome","unit":null,"at":[{"lat":12345678901234567890}]}`: `{"at":[{"lat":12345678901234567890}],"city":"Rome"}`,
		`{"city":null}`:               ``,
		`{"city":"Rome","at":[null]}`: ``,
		`{"city":"Rome","more":null}`: ``,
	} {
		t.Run(given, func(t *testing.T) {
			t.Parallel()
			f, got := with(place, ""), ""
			f.answer = func(_ context.Context, call agent.Call) (agent.Result, error) {
				got = string(call.Arguments)
				return agent.Result{}, nil
			}
			_, err := registered(t, f).Invoke(t.Context(), "weather.get", agent.Call{Arguments: json.RawMessage(given)})
			if got != want || (err == nil) != (want != "") {
				t.Errorf("%s became %s, error %v", given, got, err)
			}
			fitting, err := agent.FitArguments(json.RawMessage(place), json.RawMessage(given))
			if (err == nil) != (want != "") || err == nil && string(fitting) != want {
				t.Errorf("%s fits as %s, error %v", given, fitting, err)
			}
		})
	}
}
