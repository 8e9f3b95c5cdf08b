package transcription

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"
)

// DefaultNova is the default address of a Nova gateway.
const DefaultNova = "ws://127.0.0.1:5026"

// Nova is a Nova gateway. Windie sends each frame to it unchanged, and the Nova gateway detects the
// utterances. Create a Nova with NewNova.
type Nova struct{ url string }

// NewNova returns the Nova gateway at a URL. An empty URL means DefaultNova. NewNova sends no
// request.
func NewNova(url string) *Nova {
	if url == "" {
		url = DefaultNova
	}
	return &Nova{url}
}

// Name implements Transcriber.
func (n *Nova) Name() string { return "a Nova gateway" }

// Ready implements Transcriber.
func (n *Nova) Ready(ctx context.Context) error {
	conn, err := dial(ctx, n.url, nil)
	if err != nil {
		return err
	}
	return conn.Close()
}

// Duration of the sent sound that the backlog keeps in case the connection breaks. The Nova gateway ends
// an utterance after two seconds of silence, and at the latest after 30 s.
const (
	keptOfOpen  = 32 * time.Second // during an utterance
	keptOfEnded = time.Second      // after the end of an utterance: silence, or the start of the next
)

// novaListener is Nova's Listener.
type novaListener struct {
	*life
	out       *backlog
	languages atomic.Pointer[Languages]
	tell      func(Event)
}

// Listen implements Transcriber.
func (n *Nova) Listen(ctx context.Context, tell func(Event)) Listener {
	l := &novaListener{out: newBacklog(), tell: tell}
	to := &line{dial: dialer(n.url, nil), out: l.out, begin: l.begin, hear: l.hear, look: l.look, tell: tell, patience: patience}
	l.life = live(ctx, to.stay)
	return l
}

// Hear implements Listener.
func (l *novaListener) Hear(frame Frame) error {
	if err := l.until(l.out.wait); err != nil {
		return err
	}
	l.out.add(item{binary: true, data: frame.Raw, lasts: frame.Time()})
	return nil
}

// setLanguages is the order that sets the spoken languages.
const setLanguages = "set_langs"

// Speak implements Listener.
func (l *novaListener) Speak(languages Languages) {
	l.languages.Store(&languages)
	l.out.add(item{data: novaLanguages(languages), order: setLanguages}) // begin sends it again
}

// novaLanguages returns the message that sets the spoken languages.
func novaLanguages(languages Languages) []byte {
	text, err := json.Marshal(map[string]string{"type": setLanguages, "source_language": languages.Source, "target_language": languages.Target})
	if err != nil {
		panic(err) // strings always marshal
	}
	return text
}

// StartOver implements Listener.
func (l *novaListener) StartOver() {
	l.out.clear()
	l.out.add(item{data: []byte(`{"type":"start_over"}`), order: "start_over"})
}

// begin returns the message that sets the spoken languages on a new connection.
func (l *novaListener) begin() []item {
	l.out.rewind(setLanguages)
	if spoken := l.languages.Load(); spoken != nil {
		return []item{{data: novaLanguages(*spoken)}}
	}
	return nil
}

// look drops sound whose utterance has certainly ended.
func (l *novaListener) look() error {
	l.out.keepLast(keptOfOpen)
	return nil
}

// hear reports the texts in the Nova gateway's messages. It ignores unknown messages.
func (l *novaListener) hear(text []byte) error {
	var m struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Translation string `json:"translation"`
		IsFinal     bool   `json:"is_final"`
	}
	if json.Unmarshal(text, &m) != nil {
		return nil //nolint:nilerr // an unknown message
	}
	switch m.Type {
	case "realtime":
		l.tell(Text{m.Text, m.Translation, m.IsFinal})
	case "utterance_end":
		l.out.keepLast(keptOfEnded)
		l.tell(Ended{})
	}
	return nil
}
