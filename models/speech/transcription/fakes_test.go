package transcription_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/models/speech/pcm"
	"github.com/windieos/windie/models/speech/transcription"
)

// heard has the events of a listener.
type heard struct {
	mu     sync.Mutex
	events []transcription.Event
}

func (h *heard) tell(e transcription.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

// finals returns the final texts, and how many utterances have ended.
func (h *heard) finals() (texts []string, ended int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		switch e := e.(type) {
		case transcription.Text:
			if e.Final {
				texts = append(texts, e.Text)
			}
		case transcription.Ended:
			ended++
		}
	}
	return texts, ended
}

// all returns the events.
func (h *heard) all() []transcription.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]transcription.Event(nil), h.events...)
}

var upgrader = websocket.Upgrader{}

// socketServer is a fake of a server with a WebSocket, which serve speaks. It returns the URL.
func socketServer(t *testing.T, serve func(r *http.Request, conn *websocket.Conn)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		serve(r, conn)
	}))
	t.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

// cut breaks a connection as a crash does.
func cut(conn *websocket.Conn) {
	if tcp, ok := conn.NetConn().(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.NetConn().Close()
}

// fakeRealtime is a server that speaks OpenAI's realtime protocol. The text of an utterance is a number that it has for its sound.
type fakeRealtime struct {
	t    *testing.T
	url  string
	cuts []string // at which of the next messages it breaks off: an append, a commit, or what it answers

	mu         sync.Mutex
	utterances map[string][]int16 // by text
	languages  []string
	lines      int
	appends    int
}

func newFakeRealtime(t *testing.T, cuts ...string) *fakeRealtime {
	t.Helper()
	f := &fakeRealtime{t: t, cuts: cuts, utterances: map[string][]int16{}}
	f.url = socketServer(t, f.serve)
	return f
}

// breaks reports whether the connection breaks at a kind of message.
func (f *fakeRealtime) breaks(at string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.cuts) == 0 || f.cuts[0] != at || at == "append" && f.appends%7 != 3 {
		return false
	}
	f.cuts = f.cuts[1:]
	return true
}

func (f *fakeRealtime) serve(r *http.Request, conn *websocket.Conn) {
	if r.Header.Get("Authorization") != "Bearer sk-test" || r.Header.Get("OpenAI-Beta") != "" || r.URL.RawQuery != "intent=transcription" {
		f.t.Errorf("the request is %s with %v", r.URL, r.Header)
	}
	f.mu.Lock()
	f.lines++
	f.mu.Unlock()
	say := func(m map[string]any) bool {
		kind := m["type"].(string)
		if f.breaks(kind) {
			cut(conn)
			return false
		}
		return conn.WriteJSON(m) == nil
	}
	say(map[string]any{"type": "session.created"})
	var buffer []int16
	items, agreed := 0, false
	for {
		_, raw, err := conn.ReadMessage()
		if err != nil {
			return
		}
		var m struct {
			Type    string          `json:"type"`
			Audio   []byte          `json:"audio"`
			Session json.RawMessage `json:"session"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			f.t.Error(err)
		}
		switch m.Type {
		case "session.update":
			f.agree(m.Session)
			agreed = true
			say(map[string]any{"type": "session.updated"})
		case "input_audio_buffer.append":
			f.mu.Lock()
			f.appends++
			f.mu.Unlock()
			if f.breaks("append") {
				cut(conn)
				return
			}
			buffer = append(buffer, pcm.Decode(m.Audio)...)
		case "input_audio_buffer.clear":
			buffer = nil
		case "input_audio_buffer.commit":
			if !agreed || len(buffer) < 2400 {
				f.t.Errorf("a commit of %d samples, agreed %v", len(buffer), agreed)
			}
			if f.breaks("commit") {
				cut(conn)
				return
			}
			items++
			if !f.answer(say, items, buffer) {
				return
			}
			buffer = nil
		default:
			f.t.Errorf("the message %s", raw)
		}
	}
}

// agree checks what a session is for.
func (f *fakeRealtime) agree(raw json.RawMessage) {
	var s struct {
		Type  string `json:"type"`
		Audio struct {
			Input struct {
				Format struct {
					Type string `json:"type"`
					Rate int    `json:"rate"`
				} `json:"format"`
				Transcription struct{ Model, Language string } `json:"transcription"`
				TurnDetection json.RawMessage                  `json:"turn_detection"`
			} `json:"input"`
		} `json:"audio"`
	}
	err := json.Unmarshal(raw, &s)
	in := s.Audio.Input
	if err != nil || s.Type != "transcription" || in.Format.Type != "audio/pcm" || in.Format.Rate != 24000 || in.Transcription.Model != "scribe" || string(in.TurnDetection) != "null" {
		f.t.Errorf("the session is %s", raw)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.languages = append(f.languages, in.Transcription.Language)
}

// answer says what an utterance is. Each sound has one text, however often it comes.
func (f *fakeRealtime) answer(say func(map[string]any) bool, item int, sound []int16) bool {
	name, text := "item_"+string(rune('a'+item)), textOf(sound)
	const in = "conversation.item.input_audio_transcription."
	ok := say(map[string]any{"type": "input_audio_buffer.committed", "item_id": name}) &&
		say(map[string]any{"type": in + "delta", "item_id": name, "delta": text[:4]}) &&
		say(map[string]any{"type": in + "delta", "item_id": name, "delta": text[4:]})
	if ok {
		f.mu.Lock()
		f.utterances[text] = sound
		f.mu.Unlock()
	}
	return ok && say(map[string]any{"type": in + "completed", "item_id": name, "transcript": " " + text + "\n"})
}

// fakeNova is a Nova gateway: it hears speech where samples are not zero, and ends an utterance after two seconds of silence, of
// which it says so three frames later.
// The text of an utterance is the numbers of the frames with speech in it.
type fakeNova struct {
	t    *testing.T
	url  string
	cuts []int // numbers of frames at which it breaks off, once each

	mu    sync.Mutex
	got   int // the highest number of a frame that came
	lines int
	said  []string // what it was sent besides sound
	raw   map[int][]byte
}

func newFakeNova(t *testing.T, cuts ...int) *fakeNova {
	t.Helper()
	f := &fakeNova{t: t, cuts: cuts, got: -1, raw: map[int][]byte{}}
	f.url = socketServer(t, f.serve)
	return f
}

// take notes a frame, and reports whether the connection breaks at it.
func (f *fakeNova) take(n int, raw []byte) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got, f.raw[n] = max(f.got, n), raw
	if len(f.cuts) == 0 || f.cuts[0] != n {
		return false
	}
	f.cuts = f.cuts[1:]
	return true
}

func (f *fakeNova) arrived() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.got
}

func (f *fakeNova) serve(_ *http.Request, conn *websocket.Conn) {
	f.mu.Lock()
	f.lines++
	f.mu.Unlock()
	_ = conn.WriteJSON(map[string]any{"type": "status", "client_id": "other", "translation_enabled": false})
	var speech []int
	var silent int            // ms
	var late []map[string]any // what is said three frames later
	due := -1
	for {
		kind, raw, err := conn.ReadMessage()
		if err != nil {
			return
		}
		if kind == websocket.TextMessage {
			f.mu.Lock()
			f.said = append(f.said, string(raw))
			f.mu.Unlock()
			if strings.Contains(string(raw), "start_over") {
				speech = nil
			}
			continue
		}
		frame, err := transcription.ParseFrame(raw)
		if err != nil {
			f.t.Error(err)
			return
		}
		n := numberOf(f.t, raw)
		if n >= due && len(late) > 0 {
			for _, m := range late {
				_ = conn.WriteJSON(m)
			}
			late = nil
		}
		if f.take(n, raw) {
			cut(conn)
			return
		}
		if loud(frame) {
			speech, silent = append(speech, n), 0
			_ = conn.WriteJSON(map[string]any{"type": "realtime", "text": span(speech), "translation": "", "is_final": false, "client_id": "other", "timestamp": 1})
			continue
		}
		if silent += int(frame.Time().Milliseconds()); silent >= 2000 && len(speech) > 0 {
			late, due = []map[string]any{
				{"type": "realtime", "text": span(speech), "translation": "«" + span(speech) + "»", "is_final": true},
				{"type": "utterance_end"},
			}, n+3
			speech = nil
		}
	}
}

func loud(f transcription.Frame) bool {
	for _, s := range pcm.Decode(f.PCM) {
		if s != 0 {
			return true
		}
	}
	return false
}

// numberOf returns the number in a frame's metadata.
func numberOf(t *testing.T, raw []byte) int {
	var meta struct{ N int }
	if err := json.Unmarshal(raw[4:4+raw[0]], &meta); err != nil {
		t.Error(err)
	}
	return meta.N
}

// span says which numbers there are, as "3-7" where none is missing, or twice.
func span(numbers []int) string {
	for i, n := range numbers {
		if n != numbers[0]+i {
			return fmt.Sprint(numbers)
		}
	}
	return fmt.Sprintf("%d-%d", numbers[0], numbers[len(numbers)-1])
}

// fakeUploads is a server with the route /audio/transcriptions.
type fakeUploads struct {
	t    *testing.T
	url  string
	fail []int // how it fails next: with a status, or 0 to break off

	mu         sync.Mutex
	utterances map[string][]int16
	fields     []map[string]string
}

func newFakeUploads(t *testing.T, fail ...int) *fakeUploads {
	t.Helper()
	f := &fakeUploads{t: t, fail: fail, utterances: map[string][]int16{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.url = server.URL + "/v1"
	return f
}

func (f *fakeUploads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.fail) > 0 {
		status := f.fail[0]
		f.fail = f.fail[1:]
		if status > 0 {
			http.Error(w, "later", status)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			f.t.Error(err)
			return
		}
		_ = conn.Close()
		return
	}
	file, _, err := r.FormFile("file")
	if err != nil || r.URL.Path != "/v1/audio/transcriptions" || r.Header.Get("Authorization") != "Bearer sk-test" {
		f.t.Errorf("the request is %s, %v, %v", r.URL, r.Header, err)
		return
	}
	wav, err := io.ReadAll(file)
	if err != nil {
		f.t.Error(err)
	}
	sound := pcm.Decode(wav[44:])
	if want := pcm.WAV(sound, 16000); string(wav) != string(want) || len(sound) < 16000/4 {
		f.t.Errorf("a file of %d bytes, with the header %q", len(wav), wav[:44])
	}
	fields := map[string]string{}
	for name := range r.MultipartForm.Value {
		fields[name] = r.FormValue(name)
	}
	f.fields = append(f.fields, fields)
	f.utterances[textOf(sound)] = sound
	_ = json.NewEncoder(w).Encode(map[string]any{"text": " " + textOf(sound), "usage": nil})
}
