package modelstest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Asked is a request that a Server received.
type Asked struct {
	Path   string
	Header http.Header
	Body   string
}

// Server is a provider's server for tests.
type Server struct {
	URL string // URL of the server, for the provider's BaseURL

	protocol Protocol
	server   *httptest.Server
	mu       sync.Mutex
	reply    func(n int, asked Asked) Reply
	asked    []Asked
}

// maxAsked is the maximum size of a request, in bytes.
const maxAsked = 64 << 20

// Serve starts a server that closes at the end of the test. The server gives the replies in order,
// and repeats the last reply for all later requests.
func Serve(t testing.TB, protocol Protocol, replies ...Reply) *Server {
	t.Helper()
	return serve(t, protocol, func(n int, _ Asked) Reply { return replies[min(n, len(replies)-1)] })
}

// ServeBy starts a server that closes at the end of the test. For each request the server calls
// reply, and sends the Reply that the function returns. The calls may be concurrent.
func ServeBy(t testing.TB, protocol Protocol, reply func(Asked) Reply) *Server {
	t.Helper()
	return serve(t, protocol, func(_ int, asked Asked) Reply { return reply(asked) })
}

// serve starts a server that calls reply with the number of earlier requests and the request.
func serve(t testing.TB, protocol Protocol, reply func(int, Asked) Reply) *Server {
	t.Helper()
	s := &Server{protocol: protocol, reply: reply}
	s.server = httptest.NewServer(s)
	s.URL = s.server.URL
	t.Cleanup(s.Close)
	return s
}

// Close ends running answers and closes the server. Close may be called twice.
func (s *Server) Close() {
	s.server.CloseClientConnections()
	s.server.Close()
}

// Asked returns all recorded requests, oldest first.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// ServeHTTP answers a request with the next reply.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxAsked))
	asked := Asked{Path: r.URL.Path, Header: r.Header.Clone(), Body: string(body)}
	s.mu.Lock()
	n := len(s.asked)
	s.asked = append(s.asked, asked)
	s.mu.Unlock()
	if err != nil || r.Method != http.MethodPost || !s.protocol.Asked(r.URL.Path) {
		http.Error(w, "no such route", http.StatusNotFound)
		return
	}
	reply := s.reply(n, asked)
	reply.Fault.serve(s.protocol, reply, w, r)
}

// stream is an answer that is being written.
type stream struct {
	w http.ResponseWriter
	r *http.Request
}

// begin sends the head of a stream of events, with status 200.
func begin(w http.ResponseWriter, r *http.Request) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return stream{w, r}
}

// write sends a piece at once. It returns false when the client has left.
func (s stream) write(piece string) bool {
	if _, err := io.WriteString(s.w, piece); err != nil {
		return false
	}
	return http.NewResponseController(s.w).Flush() == nil && s.r.Context().Err() == nil
}

// normal sends a reply without a fault.
func (s stream) normal(p Protocol, reply Reply) {
	if reply.Raw != "" {
		s.write(reply.Raw)
		return
	}
	for _, f := range p.frames(reply) {
		if pause(s.r.Context(), reply.Delay) != nil || !s.write(f) {
			return
		}
	}
}

// Protocol describes a provider's protocol: how its server answers, and which requests the suite
// expects.
type Protocol struct {
	Kind   models.Kind
	Asked  func(path string) bool // reports whether path is the path of a request for an answer
	Reply  func(Reply) []Object   // returns the events of a reply, in order
	Last   string                 // exact text after the last event; empty: no text
	Named  bool                   // true if each event has a name, equal to its type
	Pieces func(index int) Pieces // returns the events that faults such as EndlessText repeat
	Full   string                 // error text with which the server refuses a conversation that is too long
	Codes  map[Fault]sdkapi.Code  // error codes that replace the codes from Faults for this protocol
	// Signed returns the signature of a thought in the form that it has in a request. It is nil if
	// thoughts are not sent back to the server.
	Signed func(sig string) string
	InPath bool // true if the model's name is in the path, not in the body
	NoUser bool // true if requests have no field for the user
	Caches bool // true if the server reports tokens that it wrote to the cache
	Counts bool // true if the server always reports usage
}

// Pieces has one event for each kind of content. A fault repeats such an event to make an answer
// that never ends. The events Text, Thought and Arguments have pieceLen bytes of content each.
type Pieces struct {
	Text, Thought, Arguments, Call Object
	More                           Object // event with further arguments of a call, which a fault repeats after Arguments; if nil, it repeats Arguments
}

// of returns the event that the fault repeats.
func (p Pieces) of(f Fault) Object {
	return map[Fault]Object{EndlessText: p.Text, EndlessThink: p.Thought, EndlessInput: p.Arguments, EndlessCalls: p.Call}[f]
}

// Object is a JSON object.
type Object = map[string]any

// Code returns the code of the model's error if a server of this protocol has the fault f.
func (p Protocol) Code(f Fault) sdkapi.Code {
	if code, other := p.Codes[f]; other {
		return code
	}
	return Faults()[f]
}

// frame returns one server-sent event with the JSON of value.
func (p Protocol) frame(value Object) string {
	name := ""
	if p.Named {
		name = fmt.Sprintf("event: %s\n", value["type"])
	}
	return name + "data: " + text(value) + "\n\n"
}

// text returns the JSON of value. It panics if value cannot be encoded.
func text(value Object) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// frames returns the server-sent events of a reply in order, with Last at the end.
func (p Protocol) frames(r Reply) []string {
	var out []string
	for _, value := range p.Reply(r) {
		out = append(out, p.frame(value))
	}
	if p.Last != "" {
		out = append(out, p.Last)
	}
	return out
}

// halves splits a text in two, because arguments arrive in pieces.
func halves(text string) []string { return []string{text[:len(text)/2], text[len(text)/2:]} }
