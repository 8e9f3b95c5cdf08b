package gatewaytest

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Fault is something that goes wrong on the way to a gateway.
type Fault struct {
	Path   string            `json:"path"`  // of the requests that it is for
	Times  int               `json:"times"` // for how many; 0: all
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   string            `json:"body"`
	Lose   bool              `json:"lose"` // the gateway answers, and the connection breaks before the client hears of it
	Chop   bool              `json:"chop"` // the answer's body comes byte by byte, with \r\n for \n
}

// Seen is a request that came through.
type Seen struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Key    string `json:"key"`    // its Idempotency-Key
	Status int    `json:"status"` // of the answer; 0 for a socket, or for none
}

// Faults is a proxy before a gateway that tests of clients steer, at another address:
//
//	POST /faults   a list of Fault, in place of the one before
//	POST /cut      breaks all connections
//	GET /seen      the requests since the last time
type Faults struct {
	mu     sync.Mutex
	faults []Fault
	seen   []*Seen
	conns  map[net.Conn]bool
}

// Behind starts a proxy before the gateway at to. It is there until the test ends.
func Behind(t testing.TB, to string) (at, control string) {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	f := &Faults{conns: map[net.Conn]bool{}}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	front := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.serve(proxy, w, r) }))
	front.Listener = noting{front.Listener, f}
	front.Config.ErrorLog = nil
	front.Start()
	steering := httptest.NewServer(http.HandlerFunc(f.steer))
	t.Cleanup(func() {
		steering.Close()
		f.cut()
		front.Close()
	})
	return front.URL, steering.URL
}

// noting is a listener that notes its connections.
type noting struct {
	net.Listener
	faults *Faults
}

// Accept implements net.Listener.
func (n noting) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if err == nil {
		n.faults.mu.Lock()
		n.faults.conns[conn] = true
		n.faults.mu.Unlock()
	}
	return conn, err
}

func (f *Faults) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for conn := range f.conns {
		_ = conn.Close()
	}
	clear(f.conns)
}

func (f *Faults) steer(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/cut":
		f.cut()
	case "/faults":
		var faults []Fault
		if err := json.NewDecoder(r.Body).Decode(&faults); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		f.mu.Lock()
		f.faults = faults
		f.mu.Unlock()
	case "/seen":
		f.mu.Lock()
		defer f.mu.Unlock()
		_ = json.NewEncoder(w).Encode(append([]*Seen{}, f.seen...))
		f.seen = nil
	default:
		http.NotFound(w, r)
	}
}

// next returns what goes wrong with a request, nil for nothing.
func (f *Faults) next(path string) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.faults {
		fault := &f.faults[i]
		if fault.Path != path || fault.Times < 0 {
			continue
		}
		if fault.Times > 0 {
			if fault.Times--; fault.Times == 0 {
				fault.Times = -1
			}
		}
		now := *fault
		return &now
	}
	return nil
}

func (f *Faults) serve(proxy http.Handler, w http.ResponseWriter, r *http.Request) {
	fault, status := f.next(r.URL.Path), f.note(r)
	switch {
	case fault == nil:
		proxy.ServeHTTP(&counting{w, status}, r)
	case fault.Lose:
		proxy.ServeHTTP(&counting{httptest.NewRecorder(), status}, r)
		panic(http.ErrAbortHandler)
	case fault.Chop:
		proxy.ServeHTTP(&chopped{&counting{w, status}}, r)
	default:
		_, _ = io.Copy(io.Discard, r.Body)
		for name, value := range fault.Header {
			w.Header().Set(name, value)
		}
		status(fault.Status)
		w.WriteHeader(fault.Status)
		_, _ = io.WriteString(w, fault.Body)
	}
}

// note adds a request to those seen, before the client can hear of its answer, and returns what sets the answer's status.
func (f *Faults) note(r *http.Request) (status func(int)) {
	request := &Seen{Method: r.Method, Path: r.URL.Path, Key: r.Header.Get("Idempotency-Key")}
	f.mu.Lock()
	f.seen = append(f.seen, request)
	f.mu.Unlock()
	return func(status int) {
		f.mu.Lock()
		request.Status = status
		f.mu.Unlock()
	}
}

// counting notes the status of an answer.
type counting struct {
	http.ResponseWriter
	status func(int)
}

// WriteHeader implements http.ResponseWriter.
func (c *counting) WriteHeader(status int) {
	c.status(status)
	c.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController find the writer below.
func (c *counting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// chopped hands an answer on byte by byte, with other ends of lines.
type chopped struct{ http.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (c *chopped) WriteHeader(status int) {
	c.Header().Del("Content-Length")
	c.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (c *chopped) Write(text []byte) (int, error) {
	if strings.HasPrefix(c.Header().Get("Content-Type"), "text/event-stream") {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	for i := range text {
		if _, err := c.ResponseWriter.Write(text[i : i+1]); err != nil {
			return 0, err
		}
		if err := http.NewResponseController(c.ResponseWriter).Flush(); err != nil {
			return 0, err
		}
	}
	return len(text) - bytes.Count(text, []byte("\r\n")), nil
}

// Unwrap lets http.ResponseController find the writer below.
func (c *chopped) Unwrap() http.ResponseWriter { return c.ResponseWriter }
