package journal_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/windieos/windie/state/journal"
)

// nested returns arrays and objects within each other.
func nested(depth int) string {
	return strings.Repeat(`[{"a":`, depth/2) + strings.Repeat(`[`, depth%2) + `0` + strings.Repeat(`]`, depth%2) + strings.Repeat(`}]`, depth/2)
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ raw, want string }{
		{``, `null`},
		{` null `, `null`},
		{"\t{ \"b\" : [ 1 , true ] ,\r\n \"a\" : { \"d\" : \"x y\", \"c\" : { } } } ", `{"a":{"c":{},"d":"x y"},"b":[1,true]}`},
		{`[]`, `[]`},
		{`{"":0,"a":1,"B":2,"é":3,"aa":4}`, `{"":0,"B":2,"a":1,"aa":4,"é":3}`},
		{`9007199254740993`, `9007199254740993`},
		{`[1.0, 1, 1e0, -0, 0.10, 1e400]`, `[1.0,1,1e0,-0,0.10,1e400]`},
		{`"\u00e9\/\ud83d\ude00\n"`, `"é/😀\n"`},
		{`"\\ud83d"`, `"\\ud83d"`}, // no escape
		{`"\\\u0041"`, `"\\A"`},
		{`"\u0000"`, `"\u0000"`},
		{`"\ufffd"`, `"�"`},
		{`"\ufffd\uFFFD�\n"`, `"���\n"`},
		{`"\ud83d\ude00\\\ufffd"`, `"😀\\�"`},
		{`{"~":1,"\n":2,"<":3,"a!":4,"a":5}`, `{"\n":2,"\u003c":3,"a":5,"a!":4,"~":1}`},
		{`{"😀":1,"\uffff":2}`, "{\"\uffff\":2,\"😀\":1}"}, // the order of bytes, which is not that of RFC 8785
	} {
		t.Run(fmt.Sprintf("%.50q", c.raw), func(t *testing.T) {
			got, err := journal.Canonical(json.RawMessage(c.raw))
			if err != nil || string(got) != c.want {
				t.Errorf("%s is %s, %v; want %s", c.raw, got, err, c.want)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		` `:                            "the text is not valid JSON in UTF-8",
		`{`:                            "the text is not valid JSON in UTF-8",
		`{"a":1}}`:                     "the text is not valid JSON in UTF-8",
		`1]`:                           "the text is not valid JSON in UTF-8",
		`1 2`:                          "the text is not valid JSON in UTF-8",
		`01`:                           "the text is not valid JSON in UTF-8",
		`NaN`:                          "the text is not valid JSON in UTF-8",
		"\"\xff\"":                     "the text is not valid JSON in UTF-8",
		"\"\xed\xa0\xbd\"":             "the text is not valid JSON in UTF-8",
		`{"a":1,"b":2,"a":1}`:          "the JSON has an object with a duplicate field",
		`[{"x":{"\u0061":1,"a":2}}]`:   "the JSON has an object with a duplicate field",
		`"\ud83d"`:                     "the JSON has text with an unpaired surrogate",
		`"\ud83d\n"`:                   "the JSON has text with an unpaired surrogate",
		`"\ude00\ud83d"`:               "the JSON has text with an unpaired surrogate",
		`"\ud83d\ud83d\ude00"`:         "the JSON has text with an unpaired surrogate",
		`"\ufffd\ud83d"`:               "the JSON has text with an unpaired surrogate",
		`"�\ud83dx"`:                   "the JSON has text with an unpaired surrogate",
		`"\\ufffd\ud83d"`:              "the JSON has text with an unpaired surrogate",
		`{"\uDFFF":1}`:                 "the JSON has text with an unpaired surrogate",
		nested(journal.MaxDepth + 1):   "the JSON has more than 1000 levels of nested objects and arrays",
		strings.Repeat(`[`, 1_000_000): "the text is not valid JSON in UTF-8",
	} {
		t.Run(fmt.Sprintf("%.60q", raw), func(t *testing.T) {
			got, err := journal.Canonical(json.RawMessage(raw))
			if err == nil || err.Error() != want {
				t.Errorf("%.50s is %.50s, %v; want an error: %s", raw, got, err, want)
			}
		})
	}
	if _, err := journal.Canonical(json.RawMessage(nested(journal.MaxDepth))); err != nil {
		t.Errorf("the deepest: %v", err)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	digest := func(tool, arguments string) string {
		t.Helper()
		d, err := journal.Digest(tool, json.RawMessage(arguments))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	first := digest("files.write", `{"path":"a","text":"x<y","n":9007199254740993}`)
	// printf '%s' '11:files.write{"n":9007199254740993,"path":"a","text":"x\u003cy"}' | sha256sum
	// It never changes: the questions that are kept must go on matching.
	if want := "acd79695304b0118c197b13a01c4db9a1e5b6f63fff0083bd564adbe9efef52b"; first != want {
		t.Errorf("the digest is %s, want %s", first, want)
	}
	for _, same := range []string{
		`{"n":9007199254740993,"text":"x<y","path":"a"}`,
		" {\n\"path\" : \"\\u0061\",\"text\":\"x\\u003cy\", \"n\":9007199254740993 } ",
	} {
		if digest("files.write", same) != first {
			t.Errorf("%s has another digest", same)
		}
	}
	seen := map[string]string{first: "the first"}
	for _, other := range [][2]string{
		{"files.read", `{"path":"a","text":"x<y","n":9007199254740993}`},
		{"files.write", `{"path":"a","text":"x<y","n":9007199254740992}`},
		{"files.write", `{"path":"a","text":"x<y","n":"9007199254740993"}`},
		{"files.write", `{"path":"a","text":"x<y"}`},
		{"files.write", `{"path":"a","text":"x<y","n":9007199254740993,"more":null}`},
		{"files.write", `{}`}, {"files.write", `[]`}, {"files.write", `null`}, {"files.write", `""`},
		{"", `12`}, {"1", `2`}, {"2", `1`},
	} {
		d := digest(other[0], other[1])
		if before, taken := seen[d]; taken {
			t.Errorf("%v and %s have the same digest", other, before)
		}
		seen[d] = other[0] + other[1]
	}
	if digest("t", "") != digest("t", "null") {
		t.Error("no arguments are not null")
	}
	if _, err := journal.Digest("t", json.RawMessage(`{"a":1,"a":2}`)); err == nil {
		t.Error("arguments that two readers take differently have a digest")
	}
}

// FuzzCanonical checks that the canonical form of any accepted text has the same meaning, and is
// its own canonical form.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		``, `null`, ` {"b":[1,2.50,-0e1],"a":{"c":"\u003c\ud83d\ude00"}} `, `{"a":1,"\u0061":2}`, `"\ud83d"`, `1]`, "\"\xff\"", `"\\ud83d\\"`, nested(20),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		canonical, err := journal.Canonical(raw)
		if string(raw) != before {
			t.Fatalf("%q was changed to %q", before, raw)
		}
		if err != nil {
			return
		}
		if len(raw) == 0 {
			raw = []byte(`null`)
		}
		if !reflect.DeepEqual(meaning(t, raw), meaning(t, canonical)) {
			t.Fatalf("%q became %q", raw, canonical)
		}
		spaced, err := json.MarshalIndent(json.RawMessage(raw), " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range [][]byte{canonical, spaced} {
			if again, err := journal.Canonical(other); err != nil || string(again) != string(canonical) {
				t.Fatalf("%q became %q, but %q became %q, %v", raw, canonical, other, again, err)
			}
		}
	})
}

// meaning decodes JSON, with numbers unchanged.
func meaning(t *testing.T, raw []byte) any {
	t.Helper()
	var value any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return value
}
