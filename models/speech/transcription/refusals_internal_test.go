package transcription

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// nobody gets events that no test asks for.
func nobody(Event) {}

// A server that refuses the key ends the listener at once, and one that stays away does after its patience.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) }))
	t.Cleanup(refusing.Close)
	l := NewNova("ws"+strings.TrimPrefix(refusing.URL, "http")).Listen(t.Context(), nobody)
	if err := l.Wait(); fault.CodeOf(err) != sdkapi.TranscriptionError {
		t.Errorf("a server that refuses: %v", err)
	}
	if err := l.Hear(Frame{Rate: 16000}); fault.CodeOf(err) != sdkapi.TranscriptionError {
		t.Errorf("a listener that has ended hears: %v", err)
	}
	away := make(chan Event, 1)
	to := &line{dial: dialer("ws://127.0.0.1:1", nil), out: newBacklog(), begin: func() []item { return nil }, patience: 300 * time.Millisecond, tell: func(e Event) { away <- e }}
	if err := to.stay(t.Context()); fault.CodeOf(err) != sdkapi.TranscriptionUnavailable {
		t.Errorf("a server that is not there: %v", err)
	}
	if e, ok := (<-away).(Failed); !ok || e.Err.Code != sdkapi.TranscriptionUnavailable {
		t.Errorf("the client hears %#v", e)
	}
	u := NewUploads(UploadsOptions{URL: "http://127.0.0.1:1", Model: "m"})
	u.patience = 100 * time.Millisecond
	ul, ok := u.Listen(t.Context(), nobody).(*uploadListener)
	if !ok {
		t.Fatal("it is another listener")
	}
	ul.begun()
	ul.heard(make([]int16, uploadRate))
	ul.finished()
	if err := ul.Wait(); fault.CodeOf(err) != sdkapi.TranscriptionUnavailable {
		t.Errorf("a server of files that is not there: %v", err)
	}
}

// A server whose connections are never made is away as long as one that refuses them: the time for dialling does not
// end the outage.
func TestDialsThatTimeOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reported := 0
		to := &line{
			dial: func(context.Context) (*websocket.Conn, error) {
				time.Sleep(dialTime)
				return nil, context.DeadlineExceeded
			},
			out: newBacklog(), begin: func() []item { return nil }, patience: patience, tell: func(Event) { reported++ },
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*patience)
		defer cancel()
		if err := to.stay(ctx); fault.CodeOf(err) != sdkapi.TranscriptionUnavailable || reported != 1 {
			t.Errorf("the listener ended with %v after %d reports", err, reported)
		}
	})
}

// A model that the server does not have ends the listener, and what else it refuses does not.
func TestRealtimeRefuses(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		for {
			_, raw, err := conn.ReadMessage()
			if err != nil {
				return
			}
			refuses := map[string]any{"type": "error", "error": map[string]any{"type": "invalid_request_error", "code": "model_not_found", "message": "no such model"}}
			if strings.Contains(string(raw), `"scribe"`) {
				refuses = map[string]any{"type": "session.updated"}
			}
			_ = conn.WriteJSON(refuses)
		}
	}))
	t.Cleanup(server.Close)
	url := "ws" + strings.TrimPrefix(server.URL, "http")
	if err := NewRealtime(RealtimeOptions{URL: url, Model: "nobody"}).Listen(t.Context(), nobody).Wait(); fault.CodeOf(err) != sdkapi.TranscriptionError {
		t.Errorf("a model that is not there: %v", err)
	}
	if err := NewRealtime(RealtimeOptions{URL: url, Model: "nobody"}).Ready(t.Context()); fault.CodeOf(err) != sdkapi.TranscriptionError {
		t.Errorf("a model that is not there is ready: %v", err)
	}
	if err := NewRealtime(RealtimeOptions{URL: url, Model: "scribe"}).Ready(t.Context()); err != nil {
		t.Errorf("a model that is there: %v", err)
	}
	failed := make(chan Event, 1)
	l := NewRealtime(RealtimeOptions{URL: url, Model: "scribe"}).Listen(t.Context(), func(e Event) { failed <- e })
	time.AfterFunc(100*time.Millisecond, l.StartOver) // which this server does not know
	if e, ok := (<-failed).(Failed); !ok || e.Err.Code != sdkapi.TranscriptionError {
		t.Errorf("the client hears %#v", e)
	}
}

// The session of a model for conversations is one, and what was forgotten is not sent; languages are.
func TestRealtimeSession(t *testing.T) {
	t.Parallel()
	came := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		came <- r.URL.RawQuery
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		for {
			var m struct {
				Type    string
				Session struct {
					Type  string
					Audio struct {
						Input struct{ Transcription json.RawMessage }
					}
				}
			}
			if conn.ReadJSON(&m) != nil {
				return
			}
			came <- m.Type + " " + m.Session.Type + " " + string(m.Session.Audio.Input.Transcription)
		}
	}))
	t.Cleanup(server.Close)
	l := NewRealtime(RealtimeOptions{URL: "ws" + strings.TrimPrefix(server.URL, "http"), Model: "scribe", SessionModel: "gpt-realtime"}).Listen(t.Context(), nobody)
	l.Speak(Languages{Source: "de"})
	l.StartOver()
	for _, want := range []string{"model=gpt-realtime", `session.update realtime {"language":"de","model":"scribe"}`, "input_audio_buffer.clear  "} {
		got := <-came
		if strings.HasPrefix(got, "session.update") && !strings.Contains(got, "de") {
			got = <-came // it went before the language was known
		}
		if got != want {
			t.Errorf("it gets %q, not %q", got, want)
		}
	}
}

// What a server still says of utterances that are forgotten is of no other utterance.
func TestRealtimeStartOver(t *testing.T) {
	t.Parallel()
	committed := make(chan bool, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		var late []string // utterances that it makes text of only when the next one begins
		said := 0
		answer := func(name string) {
			_ = conn.WriteJSON(map[string]any{"type": "input_audio_buffer.committed", "item_id": name})
			_ = conn.WriteJSON(map[string]any{"type": "conversation.item.input_audio_transcription.completed", "item_id": name, "transcript": name})
		}
		for {
			var m struct{ Type string }
			if conn.ReadJSON(&m) != nil {
				return
			}
			switch m.Type {
			case "input_audio_buffer.commit":
				late = append(late, fmt.Sprint("utterance ", said))
				if said++; said == 3 {
					for _, name := range late {
						answer(name)
					}
				}
				committed <- true
			}
		}
	}))
	t.Cleanup(server.Close)
	texts := make(chan Event, 10)
	l, ok := NewRealtime(RealtimeOptions{URL: "ws" + strings.TrimPrefix(server.URL, "http"), Model: "scribe"}).Listen(t.Context(), func(e Event) { texts <- e }).(*realtimeListener)
	if !ok {
		t.Fatal("it is another listener")
	}
	say := func() {
		l.begun()
		l.heard(make([]int16, realtimeRate))
		l.finished()
		<-committed
	}
	say()
	say()
	l.begun() // and is not over
	l.StartOver()
	say()
	if e, ok := (<-texts).(Text); !ok || e.Text != "utterance 2" {
		t.Errorf("the client hears %#v", e)
	}
}

// The backlog keeps what is on its way, bounded, and forgets what it may.
func TestBacklog(t *testing.T) {
	t.Parallel()
	b, first, second := newBacklog(), new(utterance), new(utterance)
	for _, i := range []item{{data: []byte("a"), of: first}, {data: []byte("b"), of: second}, {data: make([]byte, maxKept), of: second}} {
		b.add(i)
	}
	take := func(want string) {
		t.Helper()
		if i, ok := b.next(t.Context(), nil); !ok || !strings.HasPrefix(string(i.data), want) {
			t.Errorf("it sends %.5q, not %q", i.data, want)
		}
	}
	take("a")
	take("b")
	room := make(chan error)
	go func() { room <- b.wait(t.Context()) }()
	b.drop(first)
	select {
	case <-room:
		t.Error("there is room while it is full")
	case <-time.After(20 * time.Millisecond):
	}
	b.rewind("")
	take("b")
	b.drop(second)
	testkit.Eventually(t, "room", func() (any, bool) {
		select {
		case err := <-room:
			return err, err == nil
		default:
			return nil, false
		}
	})
	for n := range 5 {
		b.add(item{data: []byte{byte('0' + n)}, lasts: time.Second})
	}
	for range 4 {
		b.next(t.Context(), nil)
	}
	b.keepLast(2 * time.Second)
	b.rewind("")
	take("2")
	b.clear()
	if b.bytes != 0 || len(b.items) != 0 || b.sent != 0 {
		t.Errorf("after clear %d bytes, %d items, %d sent", b.bytes, len(b.items), b.sent)
	}
}

// Orders are sent once, the last one of each kind, and starting over forgets none: a client that says again and again which
// languages are spoken fills nothing, and does not lose them.
func TestOrders(t *testing.T) {
	t.Parallel()
	for name, listen := range map[string]func() (Listener, *backlog){
		"realtime": func() (Listener, *backlog) {
			l := NewRealtime(RealtimeOptions{}).listener(nobody)
			return l, l.out
		},
		"nova": func() (Listener, *backlog) {
			l := &novaListener{out: newBacklog(), tell: nobody}
			return l, l.out
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, out := listen()
			for range 3 {
				l.Speak(Languages{Source: "de"})
				if _, ok := out.next(t.Context(), nil); !ok || len(out.items) != 0 || out.bytes != 0 || out.sent != 0 {
					t.Errorf("after it was sent %d items of %d bytes are kept, %d sent", len(out.items), out.bytes, out.sent)
				}
			}
			for _, language := range []string{"de", "en", "fr"} { // to a server that is away
				l.Speak(Languages{Source: language})
			}
			l.StartOver()
			l.StartOver()
			if len(out.items) != 2 || !strings.Contains(string(out.items[0].data), `"fr"`) {
				t.Errorf("what is to be sent is %d items: %+v", len(out.items), out.items)
			}
		})
	}
}

// No frame of bytes makes a panic, and what is read is what came.
func FuzzParseFrame(f *testing.F) {
	f.Add([]byte("\x14\x00\x00\x00{\"sampleRate\":16000}\x01\x02"))
	f.Add([]byte("\xff\xff\xff\xff{}"))
	f.Add([]byte("\x02\x00\x00\x00{}\x01"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		frame, err := ParseFrame(raw)
		if err != nil {
			if fault.CodeOf(err) != sdkapi.ValidationError {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		if len(frame.PCM)%2 != 0 || frame.Rate < 8000 || !strings.HasSuffix(string(raw), string(frame.PCM)) {
			t.Errorf("%q: %+v", raw, frame)
		}
	})
}
