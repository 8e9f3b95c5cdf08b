package recorded_test

import (
	"testing"

	"github.com/windieos/windie/internal/test/recorded"
)

func equal(want, got string) bool { return want == got }

func TestSameJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want, got string
		same            bool
	}{
		{"the same", `{"a":1,"b":[true,null]}`, `{"b":[true,null],"a":1}`, true},
		{"a box a pixel off", `{"bbox":{"x":10}}`, `{"bbox":{"x":11}}`, true},
		{"a box elsewhere", `{"bbox":{"x":10}}`, `{"bbox":{"x":20}}`, false},
		{"another number", `{"a":10}`, `{"a":11}`, false},
		{"a field more", `{}`, `{"a":1}`, false},
		{"a field less", `{"a":1}`, `{}`, false},
		{"a longer list", `[1]`, `[1,2]`, false},
		{"a list of which nothing is said", `{"words":["…"]}`, `{"words":[1,2]}`, true},
		{"another type", `{"a":"1"}`, `{"a":1}`, false},
		{"null and nothing", `{"a":null}`, `{}`, false},
		{"not JSON", `{}`, `<html>`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := recorded.SameJSON(tt.want, tt.got, equal); (diff == "") != tt.same {
				t.Errorf("%s: %q", tt.name, diff)
			}
		})
	}
}

// A placeholder takes what stands in its place once, and stands for that from
// then on.
func TestVariables(t *testing.T) {
	t.Parallel()
	v := recorded.New("127.0.0.1:80")
	for _, tt := range []struct {
		want, got string
		same      bool
	}{
		{"http://${host}/x", "http://127.0.0.1:80/x", true},
		{"id ${id}.png", "id abc.png", true},
		{"${id}", "abc", true},
		{"${id}", "def", false},
		{"${other} ${third}", "a b", true},
		{"${fourth}!", "no mark", false},
	} {
		t.Run(tt.got, func(t *testing.T) {
			if got := v.Match(tt.want, tt.got); got != tt.same {
				t.Errorf("%s is %s: %v", tt.want, tt.got, got)
			}
		})
	}
}
