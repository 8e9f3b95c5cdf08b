// Package dialogue replays recorded dialogues over HTTP and WebSockets against a
// real server and compares its answers, or records them anew.
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
// A request is a line of method and target, headers, an empty line and a body. "@file: NAME" among
// the headers sends a form with that file, "@cut: N" sends the first N bytes of the body and hangs
// up, "@stall: N" sends as much and then nothing. In a body, ${base64:NAME} stands for a file,
// ${zeros:N} for N zero bytes, ${letters:N} for N letters x, and ${name} for what an earlier answer held there.
//
// An answer shows the status, some headers, and the body. JSON is compared by value: coordinates
// and confidences may differ a little, as readers do. A recorded "…" stands for any value, ["…"]
// for any list.
//
// A socket is what both sides send over a WebSocket, at /ws unless a head like
// a request's says otherwise:
//
//	-- ada: socket --
//	> {"type": "handshake", "user_id": "ada"}
//
//	# The gateway says where to click.
//	> {"id": "${id}", "type": "query", "payload": {"text": "click 1, 2", "conversation_ref": "c1"}}
//	< …
//	< {"type": "tool-call", "payload": {"tool_name": "mouse_control", "request_id": "${request}"}}
//
//	-- ada: socket --
//	> close 1000
//	< close 1000
//
// The server's frames, after "<", come in that order; those of a group after "<~" in any. "< …"
// stands for any number of messages but errors. Of an envelope only the type and what is written
// are compared; each id must be a new UUID, the time be there, and a conversation's seq not go
// back. Pieces of a streamed text are shown as one. In what the client sends, "${id}", and each
// name that begins so, is a new UUID. A second part of the same name goes on where the first
// stopped, so that clients can talk in turn; at the end nothing may be left to read. Lines after
// "#" are remarks.
//
// On a socket at another path than /ws messages have no envelope. There "> sound 1500" sends a frame of 1,500 ms in which a
// voice seems to speak, "> silence 900" one without, and "> binary text" the bytes of the text.
//
// A stream is a request and the server-sent events of its answer, with their data in JSON, until
// "end". A second part of the same name goes on, without a request:
//
//	-- ada: stream --
//	POST /api/prompt
//	X-User-Id: ada
//
//	{"input": "what is on the screen?"}
//	< prompt.created {"promptId": "${prompt}"}
//	< end
//
// A part called "model" is for the code that starts the server: what its model says.
package dialogue

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/windieos/windie/internal/test/recorded"
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
	before := string(txtar.Format(archive))
	r := replay{Player: p, vars: recorded.New(p.Addr), sockets: map[string]*socket{}, streams: map[string]*stream{}}
	for i := 0; i < len(archive.Files); i++ {
		part := &archive.Files[i]
		name, isSocket := strings.CutSuffix(part.Name, ": socket")
		streamed, isStream := strings.CutSuffix(part.Name, ": stream")
		switch {
		case isStream:
			r.follow(t, streamed, part)
		case isSocket:
			r.talk(t, name, part)
		case part.Name != "model" && i+1 < len(archive.Files):
			i++
			r.exchange(t, string(part.Data), &archive.Files[i])
		}
	}
	for name, s := range r.sockets {
		if left := s.end(); len(left) > 0 && !p.Update {
			t.Errorf("%s: nobody expected %s", name, left[0].Text)
		}
	}
	if after := string(txtar.Format(archive)); after != before {
		if err := os.WriteFile(path, []byte(after), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

type replay struct {
	Player
	vars    *recorded.Variables
	sockets map[string]*socket // that are open, by name
	streams map[string]*stream // likewise
}

func (r *replay) exchange(t *testing.T, request string, want *txtar.File) {
	t.Helper()
	got, err := r.send(request, r.vars)
	if err != nil {
		t.Fatalf("%s: %v", want.Name, err)
	}
	diff := compare(string(want.Data), got, r.vars)
	switch {
	case diff == "":
	case r.Update:
		want.Data = []byte(record(r.vars, got) + "\n")
	default:
		t.Errorf("%s: %s\n--- got\n%s", want.Name, diff, got)
	}
}

func (r *replay) talk(t *testing.T, name string, part *txtar.File) {
	t.Helper()
	head, frames := recorded.ParseFrames(string(part.Data))
	s, open := r.sockets[name]
	if !open {
		var err error
		if s, err = r.dial(head, r.vars); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(s.leave)
		r.sockets[name] = s
	}
	var err error
	if r.Update {
		if frames, err = s.record(r.Player, frames); err == nil {
			part.Data = []byte(formatFrames(head, frames))
		}
	} else {
		err = s.talk(r.Player, frames)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
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

func parse(text string) answer {
	head, body, _ := strings.Cut(text, "\n\n")
	return answer{
		head: strings.TrimSpace(head) + "\n",
		body: strings.TrimSpace(body),
		json: bytes.Contains([]byte(head), []byte("json")),
	}
}

func compare(want string, got answer, vars *recorded.Variables) string {
	w := parse(want)
	if !vars.Match(w.head, got.head) {
		return fmt.Sprintf("the head is not\n%s", w.head)
	}
	if w.json && got.json && got.body != "" {
		return recorded.SameJSON(w.body, got.body, vars.Match)
	}
	if !vars.Match(w.body, got.body) {
		return fmt.Sprintf("the body is not\n%s", w.body)
	}
	return ""
}

func record(vars *recorded.Variables, a answer) string {
	return strings.TrimSpace(vars.Named(a.String()))
}
