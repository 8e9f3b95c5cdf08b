package strictbody

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

type Leaf struct {
	Names []string `json:"names"`
}

type tree struct {
	Leaf
	Leaves []Leaf          `json:"leaves"`
	One    *Leaf           `json:"one,omitempty"`
	Any    any             `json:"any,omitempty"`
	Gone   []string        `json:"gone,omitempty"`
	Raw    json.RawMessage `json:"raw"`
	Bytes  []byte          `json:"bytes"`
	At     time.Time       `json:"at,omitzero"`
	Self   *tree           `json:"self,omitempty"`
}

func TestListsAreNotNull(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in   any
		want string
	}{
		"nothing":                      {nil, `null`},
		"a list":                       {Leaf{}, `{"names":[]}`},
		"one that is full":             {Leaf{Names: []string{"a"}}, `{"names":["a"]}`},
		"behind a pointer":             {&Leaf{}, `{"names":[]}`},
		"in a list":                    {tree{Leaves: []Leaf{{}, {Names: []string{"b"}}}}, `{"names":[],"leaves":[{"names":[]},{"names":["b"]}],"raw":null,"bytes":null}`},
		"of a pointer, and of any":     {tree{One: &Leaf{}, Any: Leaf{}}, `{"names":[],"leaves":[],"one":{"names":[]},"any":{"names":[]},"raw":null,"bytes":null}`},
		"in a type that holds itself":  {tree{Self: &tree{}}, `{"names":[],"leaves":[],"raw":null,"bytes":null,"self":{"names":[],"leaves":[],"raw":null,"bytes":null}}`},
		"which is left out where none": {tree{}, `{"names":[],"leaves":[],"raw":null,"bytes":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := Format.Marshal(&out, tt.in); err != nil || strings.TrimSpace(out.String()) != tt.want {
				t.Errorf("%s, %v; want %s", out.String(), err, tt.want)
			}
		})
	}
}

// What an answer is made of may be shared: it stays as it is.
func TestListsLeaveTheirSource(t *testing.T) {
	t.Parallel()
	in := &tree{Leaves: []Leaf{{}}, One: &Leaf{}}
	if out := Lists(in).(*tree); out == in || in.Names != nil || in.Leaves[0].Names != nil || in.One.Names != nil || out.One.Names == nil {
		t.Errorf("%+v became %+v", in, out)
	}
	full := &Leaf{Names: []string{}}
	if out := Lists(full); out != any(full) {
		t.Error("what has its lists was copied")
	}
}
