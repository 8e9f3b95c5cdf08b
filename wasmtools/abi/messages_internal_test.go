package abi

import "testing"

// A field of an answer that is null counts as a field that is missing.
func TestNullFields(t *testing.T) {
	t.Parallel()
	const text = `"content":[{"type":"text","text":"a"}]`
	for output, wantMeta := range map[string]string{
		`{` + text + `}`:                               "",
		`{` + text + `,"_meta":null}`:                  "",
		`{` + text + `,"_meta":{"a":null}}`:            `{"a":null}`,
		`{` + text + `,"structuredContent":null}`:      "",
		`{"structuredContent":{"a":1},"_meta":null}`:   "",
		`{"structuredContent":{"a":1},"content":null}`: "",
	} {
		t.Run(output, func(t *testing.T) {
			t.Parallel()
			a, err := (Convention{Call: "call"}).ParseAnswer([]byte(output))
			if err != nil || string(a.Meta) != wantMeta {
				t.Errorf("got %+v, %v, want _meta %q", a, err, wantMeta)
			}
		})
	}
	if _, err := (Convention{Call: "call"}).ParseAnswer([]byte(`{` + text + `,"_meta":[]}`)); err == nil {
		t.Error("a list was accepted as _meta")
	}
}
