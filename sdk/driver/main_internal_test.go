package main

import (
	"context"
	"strings"
	"testing"
)

// An abort of a call that does not exist is an error of that line, and the next lines are served.
func TestAbortOfUnknownCall(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	d := &driver{out: &out, calls: map[int]context.CancelFunc{}, awake: map[int]*session{}, hosts: map[int]*host{}}
	lines := `{"id":1,"op":"abort","args":{"call":7}}` + "\n" + `{"id":2,"op":"no such method"}` + "\n" + `{"id":3,"op":"abort","args":{"call":2}}` + "\n"
	if err := d.serve(strings.NewReader(lines)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"there is no call 7 to abort"},"id":1`, `"id":2`, `{"id":3,"ok":null}`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant a line with %s", out.String(), want)
		}
	}
}
