package dialogue

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/internal/recorded"
)

type socket struct {
	conn  *websocket.Conn
	plain bool // its messages have no envelope
	vars  *recorded.Variables
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
		conn: conn, plain: target != "/ws", vars: vars, wait: patience, came: make(chan frame), ended: make(chan struct{}),
		ids: map[string]bool{}, seqs: map[string]float64{},
	}
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

func (s *socket) send(p Player, f frame) error {
	text, err := p.expand(s.vars.FillNew(f.text))
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

var errSilent = errors.New("nothing more came")

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

// check returns what is wrong with the envelope of a message, which dialogues do not show.
func (s *socket) check(f frame) error {
	if f.isClose() || s.plain {
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
		before := maps.Clone(s.vars.Values)
		if diff = s.differs(want, got); diff == "" {
			return i, ""
		}
		s.vars.Values = before
	}
	return -1, diff
}

// differs returns how a frame that came differs from the wanted one, or "".
func (s *socket) differs(want, got frame) string {
	switch {
	case want.isClose() || got.isClose():
		if !s.vars.Match(want.text, got.text) {
			return "something else came"
		}
		return ""
	case want.kind() != got.kind():
		return "a message of another type came"
	}
	return recorded.SameJSON(want.text, shown(got.text, want.object()), s.vars.Match)
}

// frame is what one side sends over a WebSocket, or a remark.
type frame struct {
	mark string // one of those below
	text string // JSON, "close CODE REASON", or skipped
}

// The marks of frames.
const (
	fromClient = ">"
	fromServer = "<"
	anyOrder   = "<~" // like fromServer, and those of one group come in any order
	remark     = "#"
)

// skipped is a frame that stands for any number of others, none of them an error.
const skipped = "…"

var frameStart = regexp.MustCompile(`^(>|<~|<|#) (.*)$`)

// parseFrames reads a socket's part: the head of the request, which may be empty, and the frames.
func parseFrames(text string) (head string, frames []frame) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		switch found := frameStart.FindStringSubmatch(line); {
		case found != nil:
			frames = append(frames, frame{found[1], found[2]})
		case len(frames) == 0:
			head += line + "\n"
		default:
			last := &frames[len(frames)-1]
			last.text = strings.TrimRight(last.text+"\n"+line, "\n")
		}
	}
	return strings.TrimSpace(head), frames
}

func formatFrames(head string, frames []frame) string {
	var b strings.Builder
	if head != "" {
		b.WriteString(head + "\n\n")
	}
	for i, f := range frames {
		if i > 0 && (f.mark == remark || f.mark == fromClient) && frames[i-1].mark != remark {
			b.WriteString("\n")
		}
		b.WriteString(f.mark + " " + f.text + "\n")
	}
	return b.String()
}

func untilClient(frames []frame) int {
	if n := slices.IndexFunc(frames, func(f frame) bool { return f.mark == fromClient }); n >= 0 {
		return n
	}
	return len(frames)
}

func (f frame) isClose() bool { return strings.HasPrefix(f.text, "close ") }

// object returns the frame's JSON, nil if it is not JSON.
func (f frame) object() map[string]any {
	var o map[string]any
	if json.Unmarshal([]byte(f.text), &o) != nil {
		return nil
	}
	return o
}

func (f frame) kind() string {
	kind, _ := f.object()["type"].(string)
	return kind
}

// envelope are the fields of a message that are shown only where a dialogue asks for them.
var envelope = []string{"id", "timestamp", "seq", "conversation_ref", "turn_ref", "in_reply_to", "sessionId", "turnId"}

// shown returns what came with the envelope's fields that are wanted.
func shown(came string, want map[string]any) string {
	var kept []string
	for _, f := range fieldsOf([]byte(came)) {
		if _, asked := want[f.name]; asked || !slices.Contains(envelope, f.name) {
			kept = append(kept, quote(f.name)+": "+string(f.value))
		}
	}
	return "{" + strings.Join(kept, ", ") + "}"
}

// piece is the field of the payload that holds a piece of a text, by the
// message's type. Where such a text is cut is anybody's guess.
var piece = map[string]string{"streaming-response": "text", "llm-thought": "status"}

// barePiece is the same of messages without a payload.
var barePiece = map[string]string{"assistant.delta": "content", "assistant.thought": "content"}

// said returns the piece of text in a message, and whether there is one.
func (f frame) said() (string, bool) {
	holder, name := saying(f.object(), f.kind())
	text, ok := holder[name].(string)
	return text, ok
}

// saying returns what holds the piece of text of a message o of a kind, and the field's name.
func saying(o map[string]any, kind string) (holder map[string]any, name string) {
	if name = barePiece[kind]; name != "" {
		return o, name
	}
	holder, _ = o["payload"].(map[string]any)
	return holder, piece[kind]
}

// join puts the text of a message before that of the next one.
func join(first, next frame) frame {
	before, _ := first.said()
	o := next.object()
	holder, name := saying(o, next.kind())
	after, _ := next.said()
	holder[name] = before + after
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // it was JSON
	}
	return frame{fromServer, string(text)}
}
