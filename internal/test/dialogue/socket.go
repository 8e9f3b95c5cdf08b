package dialogue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/internal/test/recorded"
)

type socket struct {
	recorded.Listener

	conn  *websocket.Conn
	plain bool                // its messages have no envelope
	came  chan recorded.Frame // closed once the connection is
	ended chan struct{}
	leave func()             // closes the connection; may be repeated
	ids   map[string]bool    // of all messages that came
	seqs  map[string]float64 // the last one, by conversation
}

// dial opens a socket with the request whose head is written, or GET /ws.
func (p Player) dial(head string, vars *recorded.Variables) (*socket, error) {
	lines := strings.Split(vars.Fill(head), "\n")
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
		conn: conn, plain: target != "/ws", came: make(chan recorded.Frame), ended: make(chan struct{}),
		ids: map[string]bool{}, seqs: map[string]float64{},
	}
	s.Listener = recorded.Listener{Vars: vars, Came: s.came, Wait: patience, Check: s.check}
	s.leave = sync.OnceFunc(func() {
		close(s.ended)
		_ = conn.Close()
	})
	go s.read()
	return s, nil
}

func (s *socket) read() {
	defer close(s.came)
	for {
		_, text, err := s.conn.ReadMessage()
		f := recorded.Frame{Mark: recorded.FromServer, Text: string(text)}
		var closed *websocket.CloseError
		switch {
		case errors.As(err, &closed):
			f.Text = strings.TrimSpace(fmt.Sprintf("close %d %s", closed.Code, closed.Text))
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
func (s *socket) end() []recorded.Frame {
	defer s.leave()
	closing := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	if s.conn.WriteControl(websocket.CloseMessage, closing, time.Now().Add(patience)) != nil {
		return s.Next
	}
	f, err := s.Take(patience)
	if err != nil || f.Text == "close 1000" { // is the answer to that
		return nil
	}
	return []recorded.Frame{f}
}

func (s *socket) send(p Player, f recorded.Frame) error {
	text, err := p.expand(s.Vars.FillNew(f.Text))
	if err != nil {
		return err
	}
	if f.IsClose() {
		code, err := strconv.Atoi(strings.Fields(f.Text)[1])
		if err != nil {
			return err
		}
		return s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(patience))
	}
	if f.Kind() == "resume" {
		clear(s.seqs) // what comes may have come before
	}
	if ms, ok := strings.CutPrefix(string(text), "sound "); ok {
		return s.sendSound(ms, 3000)
	}
	if ms, ok := strings.CutPrefix(string(text), "silence "); ok {
		return s.sendSound(ms, 0)
	}
	if bytes, ok := strings.CutPrefix(string(text), "binary "); ok {
		return s.conn.WriteMessage(websocket.BinaryMessage, []byte(bytes))
	}
	return s.conn.WriteMessage(websocket.TextMessage, text)
}

// sendSound sends sound that a voice could have, so loud and so many milliseconds long, as /ws/transcription takes it.
func (s *socket) sendSound(ms string, loud float64) error {
	const rate, meta = 16000, `{"sampleRate":16000}`
	n, err := strconv.Atoi(ms)
	if err != nil {
		return err
	}
	frame := append(binary.LittleEndian.AppendUint32(nil, uint32(len(meta))), meta...)
	for i := range n * rate / 1000 {
		x := 2 * math.Pi * float64(i) / rate
		sample := loud * (math.Sin(220*x) + math.Sin(440*x) + math.Sin(660*x)) * (1 - math.Cos(4*x)) / 2
		frame = binary.LittleEndian.AppendUint16(frame, uint16(int16(sample)))
	}
	return s.conn.WriteMessage(websocket.BinaryMessage, frame)
}

// check returns what is wrong with the envelope of a message, which dialogues do not show.
func (s *socket) check(f recorded.Frame) error {
	if f.IsClose() || s.plain {
		return nil
	}
	o := f.Object()
	id, _ := o["id"].(string)
	if _, err := uuid.Parse(id); err != nil || s.ids[id] {
		return fmt.Errorf("the id %q is no UUID, or not new: %s", id, f.Text)
	}
	s.ids[id] = true
	at, _ := o["timestamp"].(string)
	if _, err := time.Parse(time.RFC3339Nano, at); err != nil {
		return fmt.Errorf("invalid timestamp %q: %s", at, f.Text)
	}
	seq, counted := o["seq"].(float64)
	of, told := o["conversation_ref"].(string)
	if counted != told || counted && seq < s.seqs[of] {
		return fmt.Errorf("the seq %v of the conversation %q comes after %v: %s", seq, of, s.seqs[of], f.Text)
	}
	s.seqs[of] = seq
	return nil
}

func (s *socket) talk(p Player, frames []recorded.Frame) error {
	for len(frames) > 0 {
		if frames[0].Mark == recorded.FromClient {
			if err := s.send(p, frames[0]); err != nil {
				return err
			}
			frames = frames[1:]
		}
		n := recorded.UntilClient(frames)
		if err := s.Expect(frames[:n]); err != nil {
			return err
		}
		frames = frames[n:]
	}
	return nil
}

func formatFrames(head string, frames []recorded.Frame) string {
	var b strings.Builder
	if head != "" {
		b.WriteString(head + "\n\n")
	}
	for i, f := range frames {
		if i > 0 && (f.Mark == recorded.Remark || f.Mark == recorded.FromClient) && frames[i-1].Mark != recorded.Remark {
			b.WriteString("\n")
		}
		b.WriteString(f.Mark + " " + f.Text + "\n")
	}
	return b.String()
}
