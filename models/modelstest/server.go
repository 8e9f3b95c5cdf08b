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

// Asked is a request that a Server got.
type Asked struct {
	Path   string
	Header http.Header
	Body   string
}

// Server is a provider's server.
type Server struct {
	URL string // what a provider's BaseURL is

	protocol Protocol
	server   *httptest.Server
	mu       sync.Mutex
	reply    func(n int, asked Asked) Reply
	asked    []Asked
}

// maxAsked bounds what a Server reads of a request, in bytes.
const maxAsked = 64 << 20

// Serve starts a server, which is closed with the test. It gives its replies in order, and the last one again and again.
func Serve(t testing.TB, protocol Protocol, replies ...Reply) *Server {
	t.Helper()
	return serve(t, protocol, func(n int, _ Asked) Reply { return replies[min(n, len(replies)-1)] })
}

// ServeBy starts a server, which is closed with the test. What it answers to a request for an answer, reply says, which
// requests may call at once.
func ServeBy(t testing.TB, protocol Protocol, reply func(Asked) Reply) *Server {
	t.Helper()
	return serve(t, protocol, func(_ int, asked Asked) Reply { return reply(asked) })
}

func serve(t testing.TB, protocol Protocol, reply func(int, Asked) Reply) *Server {
	t.Helper()
	s := &Server{protocol: protocol, reply: reply}
	s.server = httptest.NewServer(s)
	s.URL = s.server.URL
	t.Cleanup(s.Close)
	return s
}

// Close ends what is being answered, and the server. It may be repeated.
func (s *Server) Close() {
	s.server.CloseClientConnections()
	s.server.Close()
}

// Asked returns the requests so far.
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

// stream is an answer being written.
type stream struct {
	w http.ResponseWriter
	r *http.Request
}

func begin(w http.ResponseWriter, r *http.Request) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return stream{w, r}
}

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

// Protocol is all that the suite and a Server know of a provider: how its server answers, and what
// the suite expects of its requests.
type Protocol struct {
	Kind   models.Kind
	Asked  func(path string) bool  // whether a request for an answer goes to this path
	Reply  func(Reply) []Object    // a reply's events, in order
	Last   string                  // what stands behind the events, as it is sent; empty for nothing
	Named  bool                    // events have names, which are their types
	Pieces func(index int) Pieces  // what Endless faults repeat
	Full   string                  // how it says that a conversation is too long
	Codes  map[Fault]sdkapi.Code   // of faults that end in another code than Faults says
	Signed func(sig string) string // a thought's signature in a request; nil if thoughts do not go back
	InPath bool                    // the model is named in the path, and not in the body
	NoUser bool                    // requests have no field for the user
	Caches bool                    // it counts what was put into the cache
	Counts bool                    // it always counts tokens
}

// Pieces are events that say more of an answer, the index being that of a call
// or a block. Each is as long as pieceLen, but More and Call.
type Pieces struct {
	Text, Thought, Arguments, Call Object
	More                           Object // arguments of a call that has begun; nil for Arguments again
}

// piece returns what the fault repeats.
func (p Pieces) of(f Fault) Object {
	return map[Fault]Object{EndlessText: p.Text, EndlessThink: p.Thought, EndlessInput: p.Arguments, EndlessCalls: p.Call}[f]
}

// Object is a JSON object.
type Object = map[string]any

// Code returns the code of a fault for the caller of a model that speaks the protocol.
func (p Protocol) Code(f Fault) sdkapi.Code {
	if code, other := p.Codes[f]; other {
		return code
	}
	return Faults()[f]
}

func (p Protocol) frame(value Object) string {
	name := ""
	if p.Named {
		name = fmt.Sprintf("event: %s\n", value["type"])
	}
	return name + "data: " + text(value) + "\n\n"
}

func text(value Object) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

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

// halves cuts a text in two, as arguments come in pieces.
func halves(text string) []string { return []string{text[:len(text)/2], text[len(text)/2:]} }
