package strictbody

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

type keyedInner struct {
	Say   string         `json:"say"`
	Free  map[string]any `json:"free"`
	Inner *keyedInner    `json:"inner,omitempty"`
}

// KeyedShared lends its fields. It is exported, as what is decoded has to be.
type KeyedShared struct {
	Shared bool `json:"shared"`
}

type keyed struct {
	KeyedShared

	Approved bool                  `json:"approved"`
	List     []keyedInner          `json:"list"`
	ByName   map[string]keyedInner `json:"by_name"`
	Raw      json.RawMessage       `json:"raw"`
	At       time.Time             `json:"at"`
	Untagged int
	Hidden   string `json:"-"`
}

// Objects have each key once, and by the name that a field has. What is decoded
// as anything may have keys that differ in case.
func TestCheckBody(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{ // the path that is wrong; empty for none
		`{"approved":false,"APPROVED":true}`:                   ".APPROVED",
		`{"APPROVED":true}`:                                    ".APPROVED",
		`{"approved":false,"approved":true}`:                   ".approved",
		`{"approved":false,"a\u0070proved":true}`:              ".approved",
		`{"\u0041pproved":true}`:                               ".Approved",
		`{"li\u017ft":[]}`:                                     ".liſt", // a long s, which folds
		`{"Shared":true}`:                                      ".Shared",
		`{"untagged":1}`:                                       ".untagged",
		`{"list":[{"say":"a"},{"say":"b","Say":"c"}]}`:         ".list[1].Say",
		`{"list":[{"inner":{"inner":{"say":"a","say":"b"}}}]}`: ".list[0].inner.inner.say",
		`{"by_name":{"a":{"say":"x"},"a":{"say":"y"}}}`:        ".by_name.a",
		`{"by_name":{"a":{"SAY":"x"}}}`:                        ".by_name.a.SAY",
		`{"raw":{"a":{"b":1,"b":2}}}`:                          ".raw.a.b",
		`{"list":[{"free":{"x":[1,{"y":1,"y":2}]}}]}`:          ".list[0].free.x[1].y",
		`{"list":[{"free":{"x":"\\","x":2}}]}`:                 ".list[0].free.x",
		`{"" : 1 , "" : 2}`:                                    ".",
		`{"approved":true,"list":[],"shared":true,"Untagged":1,"at":"2025-01-01T00:00:00Z"}`: "",
		`{"by_name":{"a":{"say":"x"},"A":{"say":"y"}}}`:                                      "",
		`{"raw":{"a":1,"A":2},"list":[{"free":{"id":1,"ID":2}}]}`:                            "",
		`{"list":[{"say":"{\"say\":1,\"say\":2}"},{"say":"\\\\\""}]}`:                        "",
		`{"unknown":{"a":1},"other":[[],[{}],-1.5e3,null,true]}`:                             "",
		`{"-":1,"hidden":2}`: "",
		` [1, 2]`:            "",
		`12`:                 "",
		`{"a":1`:             "", // the decoder says so
		``:                   "",
	} {
		t.Run(raw, func(t *testing.T) {
			err := Check([]byte(raw), &keyed{})
			if want == "" {
				if err != nil {
					t.Errorf("%s: %v", raw, err)
				}
				return
			}
			f := fault.From(err)
			if f.Code != sdkapi.ValidationError || len(f.Details.Fields) != 1 || f.Details.Fields[0].Path != "body"+want {
				t.Errorf("%s: %v, want it at %s", raw, err, want)
			}
		})
	}
	if err := Check([]byte("{\"raw\":\"\xff\"}"), &keyed{}); fault.CodeOf(err) != sdkapi.MalformedBody {
		t.Errorf("bytes that are no text: %v", err)
	}
}

// Whatever encoding/json takes, CheckKeys reads to its end, and what it lets
// through has one meaning: with all names in another case, nothing is decoded.
func FuzzCheckKeys(f *testing.F) {
	for _, seed := range []string{
		`{"approved":false,"APPROVED":true}`, `{"list":[{"say":"a\\\"b"},{"free":{"a":[{}]}}]}`, `[[[["\\"]]]]`, ` { "a" : { } } `, `-0.5e+3`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !utf8.Valid(raw) || !json.Valid(raw) {
			return
		}
		err := CheckKeys(raw, reflect.TypeFor[keyed]())
		if wrong := (*KeyError)(nil); err != nil && !errors.As(err, &wrong) {
			t.Errorf("%q: %v", raw, err)
		}
		var object map[string]json.RawMessage
		if err != nil || json.Unmarshal(raw, &object) != nil {
			return
		}
		for name := range object {
			for field := range fieldsOf(reflect.TypeFor[keyed]()) {
				if name != field && strings.EqualFold(name, field) {
					t.Errorf("%q passes, with %q", raw, name)
				}
			}
		}
	})
}
