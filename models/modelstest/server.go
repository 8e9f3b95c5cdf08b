package modelstest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Asked is a request that a Server got.
type Asked struct {
	Path   string
	Header http.Header
	Body   string
}

// Server is a provider's server. It gives its replies in order, and the last
// one again and again.
type Server struct {
	URL string // what a provider's BaseURL is

	protocol Protocol
	server   *httptest.Server
	mu       sync.Mutex
	replies  []Reply
	asked    []Asked
}

// maxAsked bounds what a Server reads of a request, in bytes.
const maxAsked = 64 << 20

// Serve starts a server, which is closed with the test.
func Serve(t testing.TB, protocol Protocol, replies ...Reply) *Server {
	t.Helper()
	s := &Server{protocol: protocol, replies: replies}
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
	s.mu.Lock()
	s.asked = append(s.asked, Asked{Path: r.URL.Path, Header: r.Header.Clone(), Body: string(body)})
	reply := s.replies[min(len(s.asked), len(s.replies))-1]
	s.mu.Unlock()
	if err != nil || r.Method != http.MethodPost || !s.protocol.Asked(r.URL.Path) {
		http.Error(w, "no such route", http.StatusNotFound)
		return
	}
	reply.Fault.serve(s.protocol, reply, w, r)
}

// stream is an answer being written.
type stream struct {
	w http.ResponseWriter
	r *http.Request
}

// begin starts an answer.
func begin(w http.ResponseWriter, r *http.Request) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return stream{w, r}
}

// write sends a piece, and reports whether anyone still reads.
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
