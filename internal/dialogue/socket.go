package dialogue

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"
)

// socket is a client's end of a WebSocket.
type socket struct {
	conn  *websocket.Conn
	vars  *variables
	came  chan frame // closed once the connection is
	ended chan struct{}
	leave func()             // closes the connection; may be repeated
	next  []frame            // came, and is not taken yet
	taken []frame            // in order
	wait  time.Duration      // for a frame that must come
	ids   map[string]bool    // of all messages that came
	seqs  map[string]float64 // the last one, by conversation
}

// dial opens a socket with the request whose head is written, or GET /ws.
func (p Player) dial(head string, vars *variables) (*socket, error) {
	lines := strings.Split(vars.fill(head), "\n")
	target := "/ws"
	if method, path, ok := strings.Cut(lines[0], " "); ok && method == http.MethodGet {
		target, lines = path, lines[1:]
	}
	header := http.Header{}
	for _, line := range lines {
		if name, value, ok := strings.Cut(line, ": "); ok {
			header.Add(name, value)
		}
	}
	d := websocket.Dialer{HandshakeTimeout: patience}
	conn, resp, err := d.Dial("ws://"+p.Addr+target, header)
	if err != nil {
		return nil, fmt.Errorf("%w (%v)", err, resp)
	}
	s := &socket{
		conn: conn, vars: vars, wait: patience, came: make(chan frame), ended: make(chan struct{}),
		ids: map[string]bool{}, seqs: map[string]float64{},
	}
	s.leave = sync.OnceFunc(func() {
		close(s.ended)
		_ = conn.Close()
	})
	go s.read()
	return s, nil
}

// read hands over what comes, until the connection is closed.
func (s *socket) read() {
	defer close(s.came)
	for {
		_, text, err := s.conn.ReadMessage()
		f := frame{fromServer, string(text)}
		var closed *websocket.CloseError
		switch {
		case errors.As(err, &closed):
			f.text = strings.TrimSpace(fmt.Sprintf("close %d %s", closed.Code, closed.Text))
		case err != nil:
			return
		}
		select {
		case s.came <- f:
		case <-s.ended:
			return
		}
		if err != nil {
			return
		}
	}
}

// end closes the socket, and returns what had come and was not taken.
func (s *socket) end() []frame {
	defer s.leave()
	closing := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	if s.conn.WriteControl(websocket.CloseMessage, closing, time.Now().Add(patience)) != nil {
		return s.next
	}
	f, err := s.take(patience)
	if err != nil || f.text == "close 1000" { // is the answer to that
		return nil
	}
	return []frame{f}
}

// send sends a frame.
func (s *socket) send(p Player, f frame) error {
	text, err := p.expand(s.vars.fillNew(f.text))
	if err != nil {
		return err
	}
	if f.isClose() {
		code, err := strconv.Atoi(strings.Fields(f.text)[1])
		if err != nil {
			return err
		}
		return s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(patience))
	}
	if f.kind() == "resume" {
		clear(s.seqs) // what comes may have come before
	}
	if bytes, ok := strings.CutPrefix(string(text), "binary "); ok {
		return s.conn.WriteMessage(websocket.BinaryMessage, []byte(bytes))
	}
	return s.conn.WriteMessage(websocket.TextMessage, text)
}

// errSilent is the error of waiting for a frame that does not come.
var errSilent = errors.New("nothing more came")

// take returns the next frame.
func (s *socket) take(within time.Duration) (frame, error) {
	if len(s.next) > 0 {
		f := s.next[0]
		s.next, s.taken = s.next[1:], append(s.taken, f)
		return f, nil
	}
	select {
	case f, open := <-s.came:
		if !open {
			return frame{}, errors.New("the connection is gone")
		}
		s.taken = append(s.taken, f)
		return f, s.check(f)
	case <-time.After(within):
		return frame{}, errSilent
	}
}

// putBack undoes the last takes.
func (s *socket) putBack(n int) {
	from := len(s.taken) - n
	s.next = append(slices.Clone(s.taken[from:]), s.next...)
	s.taken = s.taken[:from]
}

// check returns what is wrong with the envelope of a message, which dialogues
// do not show.
func (s *socket) check(f frame) error {
	if f.isClose() {
		return nil
	}
	o := f.object()
	id, _ := o["id"].(string)
	if _, err := uuid.Parse(id); err != nil || s.ids[id] {
		return fmt.Errorf("the id %q is no UUID, or not new: %s", id, f.text)
	}
	s.ids[id] = true
	at, _ := o["timestamp"].(string)
	if _, err := time.Parse(time.RFC3339Nano, at); err != nil {
		return fmt.Errorf("invalid timestamp %q: %s", at, f.text)
	}
	seq, counted := o["seq"].(float64)
	of, told := o["conversation_ref"].(string)
	if counted != told || counted && seq < s.seqs[of] {
		return fmt.Errorf("the seq %v of the conversation %q comes after %v: %s", seq, of, s.seqs[of], f.text)
	}
	s.seqs[of] = seq
	return nil
}

// talk plays the frames of a socket's part, and returns how what came differs.
func (s *socket) talk(p Player, frames []frame) error {
	for len(frames) > 0 {
		if frames[0].mark == fromClient {
			if err := s.send(p, frames[0]); err != nil {
				return err
			}
			frames = frames[1:]
		}
		n := untilClient(frames)
		if err := s.expect(frames[:n]); err != nil {
			return err
		}
		frames = frames[n:]
	}
	return nil
}

// expect takes the frames that a server must send.
func (s *socket) expect(wanted []frame) error {
	wanted = slices.DeleteFunc(slices.Clone(wanted), func(f frame) bool { return f.mark == remark })
	for len(wanted) > 0 {
		group := 1
		for wanted[0].mark == anyOrder && group < len(wanted) && wanted[group].mark == anyOrder {
			group++
		}
		skip := wanted[0].text == skipped
		if skip {
			wanted = wanted[1:]
			if len(wanted) == 0 || wanted[0].mark != fromServer {
				return fmt.Errorf("%s needs a frame behind it", skipped)
			}
		}
		got, err := s.wholeOf(wanted[0], skip)
		if err != nil {
			return fmt.Errorf("%w; waiting for\n%s", err, wanted[0].text)
		}
		i, diff := s.find(wanted[:group], got)
		if i < 0 {
			return fmt.Errorf("%s\n--- want\n%s\n--- got\n%s", diff, wanted[0].text, got.text)
		}
		wanted = slices.Delete(wanted, i, i+1)
	}
	return nil
}

// wholeOf returns the next frame, with as many pieces of text as the wanted one
// has. Frames of other types may be passed over.
func (s *socket) wholeOf(want frame, skip bool) (frame, error) {
	got, err := s.take(s.wait)
	for err == nil && skip && got.kind() != want.kind() && got.kind() != "error" && !got.isClose() {
		got, err = s.take(s.wait)
	}
	whole, _ := want.said()
	for {
		part, ok := got.said()
		if err != nil || !ok || got.kind() != want.kind() || part == whole || !strings.HasPrefix(whole, part) {
			return got, err
		}
		var more frame
		if more, err = s.take(s.wait); err == nil && more.kind() != got.kind() {
			s.putBack(1)
			return got, nil
		}
		if err == nil {
			got = join(got, more)
		}
	}
}

// find returns which of the wanted frames came, -1 and a difference if none did.
func (s *socket) find(wanted []frame, got frame) (int, string) {
	diff := ""
	for i, want := range wanted {
		before := maps.Clone(s.vars.values)
		if diff = s.differs(want, got); diff == "" {
			return i, ""
		}
		s.vars.values = before
	}
	return -1, diff
}

// differs returns how a frame that came differs from the wanted one, or "".
func (s *socket) differs(want, got frame) string {
	switch {
	case want.isClose() || got.isClose():
		if !s.vars.match(want.text, got.text) {
			return "something else came"
		}
		return ""
	case want.kind() != got.kind():
		return "a message of another type came"
	}
	return SameJSON(want.text, shown(got.text, want.object()), s.vars.match)
}
