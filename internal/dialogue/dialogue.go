// Package dialogue replays recorded HTTP dialogues against a real server and
// compares its answers, or records them anew.
//
// A dialogue is a txtar archive: a comment that says what it shows, then
// requests and answers in turn:
//
//	-- upload: request --
//	POST /api/artifacts/
//	@file: card.png
//
//	-- upload: answer --
//	200
//	Content-Type: application/json
//
//	{"artifact_id": "${artifact_id}"}
//
// A request is a line of method and target, headers, an empty line and a
// body. A header that begins with @ makes the body: "@file: NAME" sends a form
// with that file, "@cut: N" sends the first N bytes of the body and hangs up,
// "@stall: N" sends as much and then nothing. In a body, ${base64:NAME} stands for a file and ${zeros:N} for N zero bytes.
// ${name} stands for what an earlier answer held in its place.
//
// An answer shows the status, the headers worth showing, and the body. JSON is
// compared by value: coordinates may differ by a few pixels and confidences a
// little, as another version of the reader would have it.
package dialogue

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Player replays dialogues.
type Player struct {
	Addr   string                            // host:port of the server
	File   func(name string) ([]byte, error) // finds the files that requests send
	Update bool                              // record answers that differ, instead of failing
}

// Play replays the archive in the file at path.
func (p Player) Play(t *testing.T, path string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	vars := newVariables(p.Addr)
	changed := false
	for i := 0; i+1 < len(archive.Files); i += 2 {
		request, want := archive.Files[i], &archive.Files[i+1]
		got, err := p.send(string(request.Data), vars)
		if err != nil {
			t.Fatalf("%s: %v", request.Name, err)
		}
		diff := compare(string(want.Data), got, vars)
		switch {
		case diff == "":
		case p.Update:
			want.Data = []byte(vars.record(got) + "\n")
			changed = true
		default:
			t.Errorf("%s: %s\n--- got\n%s", want.Name, diff, got)
		}
	}
	if changed {
		if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// answer is what a server said, in the form recorded.
type answer struct {
	head string // status and headers
	body string
	json bool
}

func (a answer) String() string {
	if a.body == "" {
		return a.head
	}
	return a.head + "\n" + a.body
}

// parse reads a recorded answer.
func parse(text string) answer {
	head, body, _ := strings.Cut(text, "\n\n")
	return answer{
		head: strings.TrimSpace(head) + "\n",
		body: strings.TrimSpace(body),
		json: bytes.Contains([]byte(head), []byte("json")),
	}
}

// compare returns how got differs from the recorded want, or "".
func compare(want string, got answer, vars *variables) string {
	w := parse(want)
	if !vars.match(w.head, got.head) {
		return fmt.Sprintf("the head is not\n%s", w.head)
	}
	if w.json && got.json && got.body != "" {
		return SameJSON(w.body, got.body, vars.match)
	}
	if !vars.match(w.body, got.body) {
		return fmt.Sprintf("the body is not\n%s", w.body)
	}
	return ""
}
