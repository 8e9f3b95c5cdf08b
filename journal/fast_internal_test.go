package journal

import (
	"bytes"
	"testing"
)

// What is plain is written as the decoder would have it, and what the decoder
// refuses is not plain.
func FuzzPlain(f *testing.F) {
	for _, raw := range []string{
		`{"city":"Rome","days":3,"note":"a window seat"}`, ` { "b" : [ 1 , -2.5e+3 , true ] , "a" : { } , "ab" : null } `, `{"a":1,"a":2}`,
		`[[[[]]]]`, `"<"`, `"\u00e9"`, `"é"`, `01`, `-`, `1.`, `1e`, `{"a":1,}`, `[1,]`, `{"a"}`, `nul`, `"a`, `{"a!":1,"a":2," ":3}`, ``, `1 2`, "\"\x7f\"", "\"\x00\"",
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := appendPlain([]byte("before"), raw)
		if !ok {
			return
		}
		want, err := Canonical(raw)
		if err != nil || !bytes.Equal(got, append([]byte("before"), want...)) {
			t.Errorf("%q is written %q, and not %q (%v)", raw, got, want, err)
		}
	})
}

// The common cases are plain.
func TestPlain(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"b": [1, -2.5e+3, true], "a": {}, "ab": null}`: `{"a":{},"ab":null,"b":[1,-2.5e+3,true]}`,
		`{}`: `{}`, `"a b"`: `"a b"`, `{"a!":1,"a":2}`: `{"a":2,"a!":1}`,
	} {
		t.Run(raw, func(t *testing.T) {
			if got, ok := appendPlain(nil, []byte(raw)); !ok || string(got) != want {
				t.Errorf("%s is %s, %v", raw, got, ok)
			}
		})
	}
	for _, raw := range []string{`{"a":1,"a":1}`, `{"a":1,"b":2,"a":1}`, `"é"`, `"\n"`, `{"a":1`, ``, ` `} {
		if got, ok := appendPlain(nil, []byte(raw)); ok {
			t.Errorf("%s is %s", raw, got)
		}
	}
}
