//go:build !wasip1

package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"
)

type args struct {
	Metres float64  `json:"metres"`
	To     string   `json:"to" default:"feet"`
	Small  int8     `json:"small,omitempty"`
	Tags   []string `json:"tags,omitempty" default:"[\"a\"]"`
}

type picture struct {
	N int `json:"n"`
}

func (picture) Content() []Content { return []Content{Text(""), Image("image/png", []byte{1, 2})} }

// word is a string type of its own.
type word string

// The tools of these tests. Each test calls its own.
func init() {
	Describe("test", "1.2.3", "Tests.")
	Tool("Typed One", "Answers.", func(in args) (args, error) { return in, nil }, ReadOnly, Additive)
	Tool("text", "", func(struct{}) (string, error) { return "hi", nil })
	Tool("nothing", "", func(struct{}) (Result, error) { return Result{}, nil })
	Tool("picture", "", func(struct{}) (picture, error) { return picture{3}, nil })
	Tool("fails", "", func(struct{}) (picture, error) { return picture{}, errors.New("no such thing; try another") })
	Tool("map", "", func(struct{}) (map[string]int, error) { return map[string]int{"a": 1}, nil })
	Tool("pointer", "", func(struct{}) (*Result, error) { return &Result{Content: []Content{Text("by pointer")}}, nil })
	Tool("absent", "", func(struct{}) (*Result, error) { return nil, nil })
	Tool("word", "", func(struct{}) (word, error) { return "named", nil })
	Tool("two -- words!", "", func(struct{}) (string, error) { return "found", nil })
	Tool("unfit", "", func(struct{}) (map[string]float64, error) { return map[string]float64{"a": nan()}, nil })
	RawTool(Definition{Name: "raw", Input: json.RawMessage(`{"type":"object","title":"Own"}`)},
		func(arguments json.RawMessage) (Result, error) { return Result{Structured: arguments}, nil })
}

func nan() float64 { zero := 0.0; return zero / zero }

func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ input, want string }{
		{`{"name":"typed_one","arguments":{"metres":3}}`, `{"structuredContent":{"metres":3,"to":"feet","tags":["a"]},"isError":false}`},
		{`{"name":"Typed One","arguments":{"metres":3,"to":"yd","tags":[]}}`, `{"structuredContent":{"metres":3,"to":"yd"},"isError":false}`},
		{`{"name":"typed.one"}`, ""},
		{`{"name":"typed_one","arguments":{"metres":3,"small":300}}`,
			`{"content":[{"type":"text","text":"small: expected a value that fits int8, got number 300"}],"isError":true}`},
		{`{"name":"typed_one","arguments":[1]}`, `{"content":[{"type":"text","text":"expected a value that fits plugin.args, got array"}],"isError":true}`},
		{`{"name":"text"}`, `{"content":[{"type":"text","text":"hi"}],"isError":false}`},
		{`{"name":"nothing","arguments":{}}`, `{"content":[],"isError":false}`},
		{`{"name":"picture"}`, `{"structuredContent":{"n":3},"content":[{"type":"text","text":""},{"type":"image","data":"AQI=","mimeType":"image/png"}],"isError":false}`},
		{`{"name":"fails"}`, `{"content":[{"type":"text","text":"no such thing; try another"}],"isError":true}`},
		{`{"name":"pointer"}`, `{"content":[{"type":"text","text":"by pointer"}],"isError":false}`},
		{`{"name":"absent"}`, `{"content":[],"isError":false}`},
		{`{"name":"word"}`, `{"content":[{"type":"text","text":"named"}],"isError":false}`},
		{`{"name":"two_words"}`, `{"content":[{"type":"text","text":"found"}],"isError":false}`},
		{`{"name":"map"}`, `{"structuredContent":{"a":1},"isError":false}`},
		{` { "arguments" : {"}": "\"}"} , "other": [{}], "name" : "raw" } `, `{"structuredContent":{"}": "\"}"},"isError":false}`},
		{`{"name":1}`, ""}, {`[]`, ""}, {``, ""}, {`{}`, ""}, {`{"name":"text"`, ""}, {`{"name":"text"}}`, ""}, {`{"name"}`, ""},
	} {
		t.Run(fmt.Sprintf("%.60q", c.input), func(t *testing.T) {
			got, err := call([]byte(c.input))
			if string(got) != c.want || (err == nil) != (c.want != "") {
				t.Errorf("%s: %s, %v; want %s", c.input, got, err, c.want)
			}
		})
	}
}

func TestDescription(t *testing.T) {
	t.Parallel()
	text, err := Description()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Name, Version, Description string
		Tools                      []struct {
			Name         string
			Description  *string
			InputSchema  json.RawMessage
			OutputSchema json.RawMessage
			Annotations  map[string]bool
		}
	}
	if err := json.Unmarshal(text, &got); err != nil || got.Name != "test" || got.Version != "1.2.3" || got.Description != "Tests." {
		t.Fatalf("%+v, %v", got, err)
	}
	first, last := got.Tools[0], got.Tools[len(got.Tools)-1]
	if first.Name != "Typed One" || !maps.Equal(first.Annotations, map[string]bool{"readOnlyHint": true, "destructiveHint": false}) || first.OutputSchema == nil {
		t.Errorf("%+v", first)
	}
	if last.Name != "raw" || string(last.InputSchema) != `{"type":"object","title":"Own"}` || last.OutputSchema != nil || last.Annotations != nil || last.Description != nil {
		t.Errorf("%+v", last)
	}
}

func TestBadRegistrationPanics(t *testing.T) {
	t.Parallel()
	work := func(json.RawMessage) (Result, error) { return Result{}, nil }
	for want, d := range map[string]Definition{
		"a tool must have a name":                  {},
		"there are two tools named text":           {Name: "TEXT"},
		"tool other: a schema is not valid JSON":   {Name: "other", Input: json.RawMessage("{")},
		"tool another: a schema is not valid JSON": {Name: "another", Output: json.RawMessage("x")},
		"there are two tools named typed_on":       {Name: "typed-one"},
	} {
		t.Run(want, func(t *testing.T) {
			func() {
				defer func() {
					if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
						t.Errorf("panicked with %q, want %q", got, want)
					}
				}()
				RawTool(d, work)
			}()
		})
	}
}

func TestAnswersWithoutJSONPanic(t *testing.T) {
	t.Parallel()
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "the answer cannot be encoded as JSON") {
			t.Error(got)
		}
	}()
	_, _ = Call("unfit", nil)
}

// TestOperations checks what each function asks for, and what it makes of the
// answer. It is not parallel: the host is one for all.
func TestOperations(t *testing.T) {
	asked, answer := "", ""
	defer SetHost(func(op string, input json.RawMessage) (any, error) {
		asked = op + " " + string(input)
		if answer == "" {
			return nil, fmt.Errorf("wrapped: %w", &Error{PermissionDenied, op + " is not granted"})
		}
		return json.RawMessage(answer), nil
	})()
	three := func(a any, b bool, err error) any { return []any{a, b, err} }
	two := func(a any, err error) any { return []any{a, err} }
	for _, c := range []struct {
		do           func() any
		answer, want string
		asks         string
	}{
		{func() any { return two(HTTP(Request{URL: "u"})) }, `{"status":204,"headers":{"a":"b"},"body":""}`,
			`[{204 map[a:b] []} <nil>]`, `http.request {"url":"u"}`},
		{func() any {
			return two(HTTP(Request{Method: "PUT", URL: "u", Headers: map[string]string{"A": "b"}, Body: []byte{255}}))
		}, `{"status":200,"headers":{},"body_base64":"/w=="}`,
			`[{200 map[] [255]} <nil>]`, `http.request {"method":"PUT","url":"u","headers":{"A":"b"},"body_base64":"/w=="}`},
		{func() any { return two(HTTP(Request{URL: "u", Body: []byte{}})) }, `{"status":200}`, `[{200 map[] []} <nil>]`, `http.request {"url":"u","body":""}`},
		{func() any { return two(HTTP(Request{URL: "u", Body: []byte("hi")})) }, `{"status":200}`, `[{200 map[] []} <nil>]`, `http.request {"url":"u","body":"hi"}`},
		{func() any { return three(Config("k")) }, `{"value":"v"}`, `[v true <nil>]`, `config.get {"key":"k"}`},
		{func() any { return three(Config("k")) }, `{"value":null}`, `[ false <nil>]`, `config.get {"key":"k"}`},
		{func() any { return three(KV.Get("k")) }, `{"value":""}`, `[[] true <nil>]`, `kv.get {"key":"k"}`},
		{func() any { return three(KV.Get("k")) }, `{"value_base64":"/w=="}`, `[[255] true <nil>]`, `kv.get {"key":"k"}`},
		{func() any { return three(KV.Get("k")) }, `{"value":null}`, `[[] false <nil>]`, `kv.get {"key":"k"}`},
		{func() any { return KV.Set("k", nil) }, `{}`, `<nil>`, `kv.set {"key":"k","value":""}`},
		{func() any { return KV.Set("k", []byte{255}) }, `{}`, `<nil>`, `kv.set {"key":"k","value_base64":"/w=="}`},
		{func() any { return KV.Delete("k") }, `{}`, `<nil>`, `kv.delete {"key":"k"}`},
		{func() any { return two(KV.List("p", "a", 7)) }, `{"keys":["x","y"]}`, `[[x y] <nil>]`, `kv.list {"prefix":"p","after":"a","limit":7}`},
		{func() any { return two(CallTool("a.b", nil)) }, `{"content":[{"type":"text","text":"t"}],"isError":true}`,
			`[{[] [{text t []  []}] true} <nil>]`, `tools.call {"name":"a.b","arguments":{}}`},
		{func() any { return two(User()) }, `{"id":"u1"}`, `[u1 <nil>]`, `user.id {}`},
		{func() any { return two(Now()) }, `{"unix_ns":"1700000000123456789"}`, `[2023-11-14 22:13:20.123456789 +0000 UTC <nil>]`, `clock.now {}`},
		{func() any { return two(Random(2)) }, `{"bytes_base64":"AQI="}`, `[[1 2] <nil>]`, `random.bytes {"n":2}`},
	} {
		t.Run(fmt.Sprint(c.asks, " ", c.answer), func(t *testing.T) {
			answer = c.answer
			if got := fmt.Sprint(c.do()); got != c.want || asked != c.asks {
				t.Errorf("%s: %s, want %s\nasked %s", c.asks, got, c.want, asked)
			}
			answer = ""
			if got := fmt.Sprint(c.do()); !strings.Contains(got, "is not granted (PERMISSION_DENIED)") {
				t.Errorf("%s, refused: %s", c.asks, got)
			}
		})
	}
	if err := KV.Delete("k"); !HasCode(err, PermissionDenied) || HasCode(err, Unavailable) {
		t.Error(err)
	}
	answer = `[]`
	if _, err := Now(); !HasCode(err, "INTERNAL") {
		t.Error(err)
	}
	answer = `{"unix_ns":"soon"}`
	if when, err := Now(); !HasCode(err, "INTERNAL") || when != (time.Time{}) {
		t.Error(when, err)
	}
}

func TestWithoutAHost(t *testing.T) {
	if _, _, err := Config("k"); !HasCode(err, Unavailable) {
		t.Error(err)
	}
}

func TestFailuresOfTheGateway(t *testing.T) {
	t.Parallel()
	if err := failure("x", []byte(`{"code":"A","message":"b"}`)); !reflect.DeepEqual(err, &Error{"A", "b"}) {
		t.Error(err)
	}
	for _, answer := range []string{"", "{}", "[]"} {
		if err := failure("x", []byte(answer)); !HasCode(err, "INTERNAL") {
			t.Error(err)
		}
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args, stdin, want, err string
	}{
		{"describe", "", `{"name":"test"`, ""},
		{"call typed_one", `{"metres": 3}`, `{"structuredContent":{"metres":3`, ""},
		{"call typed_one", `{`, "", "the arguments are not valid JSON"},
		{"call none", `{}`, "", "there is no tool none"},
		{"", "", "", "usage: describe, or call TOOL"},
	} {
		t.Run(fmt.Sprint(c.args, " ", c.stdin), func(t *testing.T) {
			got, err := command(strings.Fields(c.args), strings.NewReader(c.stdin))
			if !strings.HasPrefix(string(got), c.want) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %s, %v", c.args, got, err)
			}
		})
	}
}

// FuzzSplit holds split against encoding/json: what is good JSON is cut as
// that reads it, and nothing else makes it panic.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{`{"name":"a","arguments":{"b":[1,{"c":"\"}\\"}]}}`, `{}`, `{"name":"x"`, `{"a":"\`, ` { "name" : "\u0041" , "arguments" : [ ] } `, `{"name":null}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		name, arguments, ok := split(input)
		var fields map[string]json.RawMessage
		if json.Unmarshal(input, &fields) != nil || fields == nil || strings.Contains(string(input), `\u`) {
			return // split may make of it what it likes, but not of keys in disguise
		}
		var want string
		if json.Unmarshal(fields["name"], &want) != nil && fields["name"] != nil {
			return
		}
		if len(fields) == 0 {
			return
		}
		if !ok || name != want || string(arguments) != string(fields["arguments"]) {
			t.Errorf("%q: %q %q %v; want %q %q", input, name, arguments, ok, want, fields["arguments"])
		}
	})
}
