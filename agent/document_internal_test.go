package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	many := make([]string, 100)
	for i := range many {
		many[i] = `"` + strings.Repeat("k", i+1) + `":0`
	}
	for _, tt := range []struct {
		raw  string
		want error
	}{
		{`{}`, nil}, {` [ ] `, nil}, {`"a"`, nil}, {`-0.5e+3`, nil}, {`null`, nil}, {`[true,false,null,[],{}]`, nil},
		{`{"a":{"a":1},"b":[{"a":1},{"a":2}]}`, nil},
		{`{"a":1,"a":2}`, errTwice}, {`{"a":1,"\u0061":2}`, errTwice}, {`[{"b":{"a":1,"a":1}}]`, errTwice},
		{"{" + strings.Join(many, ",") + "}", nil},
		{"{" + strings.Join(append(many, many[3]), ",") + "}", errTwice},
		{"{" + strings.Join(append(many, many[99]), ",") + "}", errTwice},
		{deep(MaxDepth), nil}, {deep(MaxDepth + 1), errDeep},
		{strings.Repeat("1", MaxNumberLen), nil}, {strings.Repeat("1", MaxNumberLen+1), errNumber}, {`1e9999`, errNumber},
	} {
		t.Run(fmt.Sprintf("%.50q", tt.raw), func(t *testing.T) {
			for _, decode := range []bool{true, false} {
				if _, err := parse([]byte(tt.raw), 1000, decode); !errors.Is(err, tt.want) {
					t.Errorf("%.60s: %v, not %v", tt.raw, err, tt.want)
				}
			}
		})
	}
	if _, err := parse([]byte("[1,2,3]"), 4, false); err != nil {
		t.Error(err)
	}
	if _, err := parse([]byte("[1,2,3]"), 3, false); err == nil {
		t.Error("more values than there may be")
	}
}

// FuzzParse compares with encoding/json: what parse takes is the same value,
// and what it does not take is no JSON, or over a limit.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e3,"x\n",true,null]}`, `{"a":1,}`, `[1,]`, `{"a" 1}`, "\"\x01\"", `"\ud800"`, `01`, `-`, `tru`, `{} {}`, `{"\u0061":1}`, ``, ` `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := parse(raw, MaxValues, true)
		if _, plain := parse(raw, MaxValues, false); (err == nil) != (plain == nil) {
			t.Fatalf("decoding makes a difference: %v, %v", err, plain)
		}
		switch {
		case errors.Is(err, errJSON) && json.Valid(raw):
			t.Fatalf("%q is JSON", raw)
		case err == nil && !json.Valid(raw):
			t.Fatalf("%q is no JSON", raw)
		case err == nil:
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber()
			var want any
			if err := d.Decode(&want); err != nil || !reflect.DeepEqual(doc.value, want) {
				t.Fatalf("%q is %#v, not %#v (%v)", raw, doc.value, want, err)
			}
		}
	})
}
