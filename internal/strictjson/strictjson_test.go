package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/strictjson"
)

// read reads one value of any kind to its end.
func read(raw string, depth int) error {
	r, err := strictjson.New([]byte(raw), depth)
	if err == nil {
		err = value(&r)
	}
	if err == nil {
		err = r.End()
	}
	return err
}

func value(r *strictjson.Reader) error {
	var err error
	switch r.Kind() {
	case '{':
		return r.Object(func(int, []byte) error { return value(r) })
	case '[':
		return r.Array(func(int) error { return value(r) })
	case '"':
		_, err = r.Text()
	default:
		_, err = r.Scalar()
	}
	return err
}

func TestReader(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	many := make([]string, 100)
	for i := range many {
		many[i] = `"` + strings.Repeat("k", i+1) + `":0`
	}
	for _, c := range []struct {
		name, raw string
		want      error
	}{
		{"an object", ` { "a" : { "a" : [ 1 , -0.5e+3 , true , false , null ] } } `, nil},
		{"a text", `"\\\"é"`, nil},
		{"a name twice", `{"a":1,"b":2,"a":3}`, strictjson.ErrTwice},
		{"a name twice, escaped", `[{"a":1,"\u0061":2}]`, strictjson.ErrTwice},
		{"many names", "{" + strings.Join(many, ",") + "}", nil},
		{"many names, an early one twice", "{" + strings.Join(append(many, many[3]), ",") + "}", strictjson.ErrTwice},
		{"many names, the last twice", "{" + strings.Join(append(many, many[99]), ",") + "}", strictjson.ErrTwice},
		{"the deepest", deep(10), nil},
		{"too deep", deep(11), strictjson.ErrDeep},
		{"side by side", "[" + deep(9) + "," + deep(9) + "]", nil},
		{"two values", `1 2`, strictjson.ErrMore},
		{"a zero byte behind", "1\x00", strictjson.ErrMore},
		{"bytes that are no text", "\"\xff\"", strictjson.ErrUTF8},
		{"nothing", ``, strictjson.ErrJSON},
		{"a comma at the end", `{"a":1,}`, strictjson.ErrJSON},
		{"no comma", `["a" "b"]`, strictjson.ErrJSON},
		{"no comma between fields", `{"a":1;"b":2}`, strictjson.ErrJSON},
		{"another bracket at the end", `[1}`, strictjson.ErrJSON},
		{"no colon", `{"a" 1}`, strictjson.ErrJSON},
		{"an open text", `"a`, strictjson.ErrJSON},
		{"a control character", "\"\n\"", strictjson.ErrJSON},
		{"no such escape", `"\x"`, strictjson.ErrJSON},
		{"half a number", `-`, strictjson.ErrJSON},
		{"half a word", `tru`, strictjson.ErrJSON},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := read(c.raw, 10); !errors.Is(err, c.want) {
				t.Errorf("%v, not %v", err, c.want)
			}
		})
	}
}

// A Reader says which name was there before.
func TestTwice(t *testing.T) {
	t.Parallel()
	r, err := strictjson.New([]byte(`{"a":{"b":1,"\u0062":2}}`), 10)
	if err == nil {
		err = value(&r)
	}
	if !errors.Is(err, strictjson.ErrTwice) || r.Twice() != "b" {
		t.Errorf("%v, %q", err, r.Twice())
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"b": [1, -2.5e+3, true], "a": {}, "ab": null}`: `{"a":{},"ab":null,"b":[1,-2.5e+3,true]}`,
		`{}`: `{}`, `"a b"`: `"a b"`, `{"a!":1,"a":2}`: `{"a":2,"a!":1}`, `{"~":1,"\n":2,"<":3}`: `{"\n":2,"\u003c":3,"~":1}`,
	} {
		t.Run(raw, func(t *testing.T) {
			t.Parallel()
			got, err := strictjson.AppendCanonical([]byte("before"), []byte(raw), 10)
			if err != nil || string(got) != "before"+want {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	for _, raw := range []string{`{"a":1,"a":1}`, `{"a":1,"b":2,"a":1}`, `{"a":1`, ``, ` `} {
		t.Run(raw, func(t *testing.T) {
			t.Parallel()
			if got, err := strictjson.AppendCanonical(nil, []byte(raw), 10); err == nil {
				t.Errorf("it is %s", got)
			}
		})
	}
}

// Half of a surrogate pair is refused where it is written, and U+FFFD is not.
func TestHalf(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]error{
		`"\ud83d"`: strictjson.ErrHalf, `{"\uDC00":1}`: strictjson.ErrHalf, `"\ufffd\ud83d"`: strictjson.ErrHalf, `"�\ud83dx"`: strictjson.ErrHalf,
		`"\\ufffd\ud83d"`: strictjson.ErrHalf, `"\ud83d\ud83d\ude00"`: strictjson.ErrHalf,
		`"\ufffd\uFFFD�\n"`: nil, `"\\ud83d"`: nil, `"\ud83d\ude00\\\ufffd"`: nil,
	} {
		t.Run(raw, func(t *testing.T) {
			t.Parallel()
			if _, err := strictjson.AppendCanonical(nil, []byte(raw), 10); !errors.Is(err, want) {
				t.Errorf("%v, not %v", err, want)
			}
		})
	}
}

// FuzzReader compares with encoding/json: what the Reader takes is JSON, and what
// the Reader does not take as JSON is invalid.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e3,"x\n",true,null]}`, `{"a":1,}`, `[1,]`, "\"\x01\"", `"\ud800"`, `01`, `-`, `1.`, `1e`, `{} {}`, `{"\u0061":1}`, ` `} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		err := read(raw, 1000)
		switch valid := json.Valid([]byte(raw)); {
		case err == nil && !valid:
			t.Errorf("%q is no JSON", raw)
		case valid && (errors.Is(err, strictjson.ErrJSON) || errors.Is(err, strictjson.ErrMore)):
			t.Errorf("%q is JSON: %v", raw, err)
		}
	})
}

// FuzzCanonical compares with encoding/json, which writes fields in order.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"city":"Rome","days":3,"note":"a window seat"}`, ` { "b" : [ 1 , -2.5e+3 , true ] , "a" : { } , "ab" : null } `, `{"a":1,"a":2}`,
		`[[[[]]]]`, `"<"`, `"\u00e9"`, `"é\u2028"`, `{"é":1,"\n":2,"~":3,"\\":4,"#":5}`, `"\ud83d\ude00"`, `"\ud83d"`, `01`, `1e400`,
		`{"a!":1,"a":2," ":3}`, ``, `1 2`, "\"\x7f\"", "\"\x00\"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := strictjson.AppendCanonical([]byte("before"), raw, 1000)
		if err != nil {
			return
		}
		var value any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&value); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		want, err := json.Marshal(value)
		if err != nil || !reflect.DeepEqual(got, append([]byte("before"), want...)) {
			t.Errorf("%q is written %q, and not %q (%v)", raw, got, want, err)
		}
	})
}
