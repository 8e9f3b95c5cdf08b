package s3store_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// between starts a proxy in front of server, and returns the server with the proxy's address.
// meddle gets every request, and a handler that passes the request on.
func between(t *testing.T, server testkit.S3Server, meddle func(w http.ResponseWriter, r *http.Request, next http.Handler)) testkit.S3Server {
	t.Helper()
	target, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	next := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // the signature covers it
		},
		Transport:    transport,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     log.New(io.Discard, "", 0),
	}
	front := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { meddle(w, r, next) }))
	front.Listener = smallBuffers{front.Listener}
	front.Start()
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
		transport.CloseIdleConnections()
	})
	server.Endpoint = front.URL
	return server
}

// smallBuffers gives connections small buffers, so that the system does not accept megabytes before
// anyone reads them.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return c, c.(*net.TCPConn).SetReadBuffer(64 << 10)
}

// silent starts a server that accepts connections and never answers.
func silent(t *testing.T) testkit.S3Server {
	t.Helper()
	return raw(t, func(net.Conn) { <-t.Context().Done() })
}

// raw starts a server that serves connections with serve, and then closes them.
func raw(t *testing.T, serve func(net.Conn)) testkit.S3Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := smallBuffers{l}.Accept()
			if err != nil {
				return // the test is over
			}
			running.Go(func() {
				serve(c)
				_ = c.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		running.Wait()
	})
	server := nowhere
	server.Endpoint = "http://" + l.Addr().String()
	return server
}

// cutMidway reads a part of a request, and breaks the connection.
func cutMidway(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
	panic(http.ErrAbortHandler)
}

// busy responds like an overloaded server, without reading the request.
func busy(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusServiceUnavailable)
}

// busyMidway responds like busy, while the request still arrives.
func busyMidway(w http.ResponseWriter, r *http.Request) {
	_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
	busy(w, r)
	_ = http.NewResponseController(w).Flush()
	_, _ = io.CopyN(io.Discard, r.Body, 1<<19)
}

// stalling passes on the first bytes of a response, and then nothing until the other side has left.
// Without a context it breaks the connection.
type stalling struct {
	http.ResponseWriter
	left  int
	until context.Context
}

func (s *stalling) Write(p []byte) (int, error) {
	n := min(len(p), s.left)
	s.left -= n
	if n, err := s.ResponseWriter.Write(p[:n]); s.left > 0 || err != nil {
		return n, err
	}
	_ = http.NewResponseController(s.ResponseWriter).Flush()
	if s.until != nil {
		<-s.until.Done()
	}
	panic(http.ErrAbortHandler)
}

// zeros is a reader of zeros without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
