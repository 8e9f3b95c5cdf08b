package dialogue

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/windieos/windie/internal/test/recorded"
)

// streamEnd is what a stream's last line says when the server has ended it.
const streamEnd = "end"

// stream is an answer that consists of server-sent events.
type stream struct {
	came  chan string // "EVENT DATA", and streamEnd last
	leave func()
}

// follow plays a stream's part: the request, or nothing where the stream is
// open, and the events that come.
func (r *replay) follow(t *testing.T, name string, part *txtar.File) {
	t.Helper()
	head, wanted := cutEvents(string(part.Data))
	s, open := r.streams[name]
	if !open {
		var err error
		if s, err = r.open(head); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(s.leave)
		r.streams[name] = s
	}
	for i, want := range wanted {
		got, err := s.next(patience)
		diff := ""
		if err == nil {
			diff = r.differentEvent(want, got)
		}
		switch {
		case err == nil && diff == "":
		case r.Update:
			part.Data = []byte(head + "\n" + strings.Join(append(wanted[:i:i], r.recordEvents(s, got)...), "\n") + "\n\n")
			return
		default:
			t.Fatalf("%s: %v%s\n--- want\n%s\n--- got\n%s", name, err, diff, want, got)
		}
	}
	if len(wanted) == 0 && r.Update {
		part.Data = []byte(head + "\n" + strings.Join(r.recordEvents(s, ""), "\n") + "\n\n")
	}
}

// cutEvents splits a stream's part into the request and the lines behind "<".
func cutEvents(text string) (head string, wanted []string) {
	head, events, _ := strings.Cut("\n"+text, "\n< ")
	for line := range strings.SplitSeq(events, "\n< ") {
		if line = strings.TrimSpace(line); line != "" {
			wanted = append(wanted, "< "+line)
		}
	}
	return strings.TrimSpace(head), wanted
}

func (r *replay) open(request string) (*stream, error) {
	x, conn, err := r.connect(request, r.vars)
	if err != nil {
		return nil, err
	}
	if err := x.write(conn, r.Addr); err != nil {
		return nil, err
	}
	resp, err := x.read(conn)
	if err != nil {
		return nil, err
	}
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
		body, _ := io.ReadAll(resp.Body)
		return nil, fmt.Errorf("the answer is no stream: %s, %s, %s", resp.Status, kind, body)
	}
	ended := make(chan struct{})
	s := &stream{came: make(chan string), leave: sync.OnceFunc(func() { close(ended); _ = conn.Close() })}
	go s.read(resp.Body, ended)
	return s, nil
}

// read hands over what comes. Each event must have an id.
func (s *stream) read(body io.Reader, ended <-chan struct{}) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 16<<20)
	var id, event string
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		told := ""
		switch field {
		case "id":
			id = value
		case "event":
			event = value
		case "data":
			told = event + " " + value
			if id == "" {
				told = "an event without id: " + told
			}
			id = ""
		}
		if told == "" {
			continue
		}
		select {
		case s.came <- told:
		case <-ended:
			return
		}
	}
	select {
	case s.came <- streamEnd:
	case <-ended:
	}
}

func (s *stream) next(within time.Duration) (string, error) {
	select {
	case got := <-s.came:
		return got, nil
	case <-time.After(within):
		return "", errors.New("nothing more came; ")
	}
}

// differentEvent returns how an event differs from the wanted one, or "".
func (r *replay) differentEvent(want, got string) string {
	kind, data, _ := strings.Cut(strings.TrimPrefix(want, "< "), " ")
	gotKind, gotData, _ := strings.Cut(got, " ")
	switch {
	case kind != gotKind:
		return "another event came"
	case data == "" || gotData == "":
		if data != gotData {
			return "the data is not that"
		}
		return ""
	}
	return recorded.SameJSON(data, gotData, r.vars.Match)
}

// recordEvents returns what came and comes, until the server is quiet.
func (r *replay) recordEvents(s *stream, got string) (lines []string) {
	for {
		if got != "" {
			lines = append(lines, "< "+r.vars.Named(got))
		}
		var err error
		if got, err = s.next(quiet); err != nil {
			return lines
		}
	}
}
