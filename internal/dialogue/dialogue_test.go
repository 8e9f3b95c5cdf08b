package dialogue

import "testing"

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
			if diff := SameJSON(tt.want, tt.got, equal); (diff == "") != tt.same {
				t.Errorf("%s: %q", tt.name, diff)
			}
		})
	}
}

// A placeholder takes what stands in its place once, and stands for that from
// then on.
func TestVariables(t *testing.T) {
	t.Parallel()
	v := newVariables("127.0.0.1:80")
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
			if got := v.match(tt.want, tt.got); got != tt.same {
				t.Errorf("%s is %s: %v", tt.want, tt.got, got)
			}
		})
	}
}

// What is recorded matches what it was recorded from.
func TestRecord(t *testing.T) {
	t.Parallel()
	got := answer{
		head: "200\nContent-Type: application/json\n", json: true,
		body: `{"artifact_id": "0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png", "url": "http://127.0.0.1:80/0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png"}`,
	}
	recorded := newVariables("127.0.0.1:80").record(got)
	if diff := compare(recorded, got, newVariables("127.0.0.1:80")); diff != "" {
		t.Errorf("recorded as\n%s\n%s", recorded, diff)
	}
	got.body = `{"artifact_id": "a.png", "url": "http://127.0.0.1:80/b.png"}`
	if compare(recorded, got, newVariables("127.0.0.1:80")) == "" {
		t.Error("two ids passed for one")
	}
}
