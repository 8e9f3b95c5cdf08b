package redact

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func Example() {
	r := New([]string{"hush-hush"})
	fmt.Println(r.Text("the key hush-hush of https://ada:pw@db.example/x?sig=abc was refused"))
	// Output: the key [hidden] of https://[hidden]@db.example/x?sig=[hidden] was refused
}

func TestText(t *testing.T) {
	t.Parallel()
	const odd = `p"a/s s&w\ö`
	quoted, err := json.Marshal(odd)
	if err != nil {
		t.Fatal(err)
	}
	r := New([]string{odd, "hush", "hush-hush", "abc", ""})
	for _, tt := range []struct{ text, want string }{
		{"as it is: " + odd + ".", "as it is: [hidden]."},
		{"in JSON: " + string(quoted), `in JSON: "[hidden]"`},
		{"in a query: " + url.QueryEscape(odd), "in a query: [hidden]"},
		{"in a path: " + url.PathEscape(odd), "in a path: [hidden]"},
		{"the longer one: hush-hush", "the longer one: [hidden]"},
		{"too short: abc", "too short: abc"},
		{"postgres://windie:a/b@c@db.example/windie", "postgres://[hidden]@db.example/windie"},
		{"https://token@git.example/x.git", "https://[hidden]@git.example/x.git"},
		{`"https://a.example/?x=1&y=2#z"`, `"https://a.example/?x=[hidden]&y=[hidden]#z"`},
		{`{"u":"https://a.example/?x=1\u0026y=2"}`, `{"u":"https://a.example/?x=[hidden]"}`},
		{"Authorization: Bearer abc.def", "Authorization: Bearer [hidden]"},
		{"host=db password=pw user=windie", "host=db password=[hidden] user=windie"},
		{"nothing of that: http://127.0.0.1:8765/health", "nothing of that: http://127.0.0.1:8765/health"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			if got := r.Text(tt.text); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestInURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"postgres://windie:p%40w@db/windie":  "p@w",
		"https://token@git.example/":         "token",
		"https://a.example/?key=one&key=two": "one two",
		"http://127.0.0.1:8765":              "",
		"no url":                             "",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(InURL(text), " "); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
