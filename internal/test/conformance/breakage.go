package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
)

// breakage is something that goes wrong with requests of a method at a path; one that ends in * means all below.
type breakage struct {
	method, path string
	times        int // how many requests it is for
	done         int

	// One of these happens.
	status int                                // it is answered with header and body, and does not reach the gateway
	lose   bool                               // the gateway answers, and the connection breaks before the client hears of it
	edit   func(object map[string]any)        // changes the JSON of the answer
	event  func(n int, event []byte) [][]byte // the pieces in which an event comes, the first is 0; one that is nil cuts the connection
	frames func(frame []byte) [][]byte        // the frames of a socket that come in place of one of the gateway's
	frame  func(frame []byte) (code int)      // a socket ends with a code behind a frame; -1: without it and without one

	header map[string]string
	body   string
}

// answer answers a request in the gateway's place.
func (b *breakage) answer(w http.ResponseWriter, x *exchange) {
	for name, value := range b.header {
		w.Header().Set(name, value)
	}
	x.status, x.answer = b.status, []byte(b.body)
	w.WriteHeader(b.status)
	_, _ = io.WriteString(w, b.body)
}

// breaking writes what a breakage makes of an answer.
type breaking struct {
	http.ResponseWriter
	of     *breakage
	stream bool
	status int
	held   bytes.Buffer // what has come, and is not written yet
	events int
}

// WriteHeader implements http.ResponseWriter.
func (b *breaking) WriteHeader(status int) {
	b.status, b.stream = status, strings.HasPrefix(b.Header().Get("Content-Type"), "text/event-stream")
	b.Header().Del("Content-Length")
	if b.stream {
		b.ResponseWriter.WriteHeader(status)
	}
}

// Write implements io.Writer.
func (b *breaking) Write(text []byte) (int, error) {
	b.held.Write(text)
	if !b.stream || b.of.event == nil {
		return len(text), nil
	}
	for {
		event, _, whole := bytes.Cut(b.held.Bytes(), []byte("\n\n"))
		if !whole {
			return len(text), nil
		}
		b.write(append(bytes.Clone(event), "\n\n"...))
		b.held.Next(len(event) + 2)
	}
}

// write writes an event in the pieces that the breakage cuts it into. Signs of life stay as they are.
func (b *breaking) write(event []byte) {
	pieces := [][]byte{event}
	if bytes.Contains(event, []byte("data:")) {
		pieces = b.of.event(b.events, event)
		b.events++
	}
	for _, piece := range pieces {
		if piece == nil {
			panic(http.ErrAbortHandler)
		}
		_, _ = b.ResponseWriter.Write(piece)
		_ = http.NewResponseController(b.ResponseWriter).Flush()
	}
}

// FlushError is for http.ResponseController.
func (b *breaking) FlushError() error {
	if !b.stream {
		return nil
	}
	return http.NewResponseController(b.ResponseWriter).Flush()
}

// end writes what is held.
func (b *breaking) end() {
	if b.stream {
		_, _ = b.ResponseWriter.Write(b.held.Bytes())
		return
	}
	text := b.held.Bytes()
	var object map[string]any
	if b.of.edit != nil && json.Unmarshal(text, &object) == nil {
		b.of.edit(object)
		text, _ = json.Marshal(object) // it was JSON
	}
	if b.status != 0 {
		b.ResponseWriter.WriteHeader(b.status)
	}
	_, _ = b.ResponseWriter.Write(text)
}

// always breaks all events alike.
func always(pieces func(event []byte) [][]byte) func(int, []byte) [][]byte {
	return func(_ int, event []byte) [][]byte { return pieces(event) }
}

// byBytes cuts after each byte, so also in characters.
func byBytes(event []byte) (pieces [][]byte) {
	for i := range event {
		pieces = append(pieces, event[i:i+1])
	}
	return pieces
}

// cutAfter breaks the connection behind n events.
func cutAfter(n int) func(int, []byte) [][]byte {
	return func(i int, event []byte) [][]byte {
		if i < n {
			return [][]byte{event}
		}
		return [][]byte{nil}
	}
}

// withField adds a field to an object and to each object in its lists.
func withField(object map[string]any) {
	for _, value := range maps.Clone(object) {
		if list, ok := value.([]any); ok {
			for _, item := range list {
				if inner, ok := item.(map[string]any); ok {
					inner["of_a_later_release"] = true
				}
			}
		}
	}
	object["of_a_later_release"] = map[string]any{"is": "new"}
}
