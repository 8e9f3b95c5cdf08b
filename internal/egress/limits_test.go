package egress_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/egress"
)

// zipped returns n zero bytes in gzip.
func zipped(n int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(make([]byte, n))
	_ = w.Close()
	return b.Bytes()
}

// TestBodiesAtTheLimit reads bodies of just as many bytes as may be, and of one
// more, as they are and compressed, with the length stated beforehand and not.
func TestBodiesAtTheLimit(t *testing.T) {
	t.Parallel()
	const limit = 100_000
	empties := bytes.Repeat(zipped(0), 5000) // each of them decompresses to nothing
	tail := zipped(10)
	bodies := map[string][]byte{
		"/plain": make([]byte, limit), "/plain+1": make([]byte, limit+1), "/flushed": make([]byte, limit), "/flushed+1": make([]byte, limit+1),
		"/gzip": zipped(limit), "/gzip+1": zipped(limit + 1), "/bomb": zipped(4 << 20), "/empties": append(empties, tail...),
		"/none": nil, "/cut": tail[:len(tail)-5], "/wrong": []byte("no gzip at all"), "/sum": append(tail[:len(tail)-8:len(tail)-8], make([]byte, 8)...),
		"/twice": tail, "/br": tail, "/identity": tail, "/more": append(zipped(10), "more than one gzip"...),
	}
	host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		encoding := map[string]string{"/plain": "", "/plain+1": "", "/flushed": "", "/flushed+1": "", "/twice": "gzip, gzip", "/br": "br", "/identity": "Identity"}
		if e, ok := encoding[r.URL.Path]; !ok {
			w.Header().Set("Content-Encoding", "GZIP")
		} else if e != "" {
			w.Header().Set("Content-Encoding", e)
		}
		if strings.HasPrefix(r.URL.Path, "/flushed") {
			w.(http.Flusher).Flush()
		}
		if r.Method == http.MethodHead {
			w.Header().Set("Content-Length", fmt.Sprint(len(bodies[r.URL.Path])))
		}
		_, _ = w.Write(bodies[r.URL.Path])
	})
	client := newClient(t, egress.Config{Rules: []egress.Rule{inside(host)}, Limits: egress.Limits{ResponseBytes: limit}})
	for _, tt := range []struct {
		path string
		want egress.Reason
		size int
	}{
		{"/plain", egress.Allowed, limit},
		{"/plain+1", egress.TooLarge, 0},
		{"/flushed", egress.Allowed, limit},
		{"/flushed+1", egress.TooLarge, 0},
		{"/gzip", egress.Allowed, limit},
		{"/gzip+1", egress.TooLarge, 0},
		{"/bomb", egress.TooLarge, 0},
		{"/empties", egress.TooLarge, 0},
		{"/none", egress.Allowed, 0},
		{"/cut", egress.Unreachable, 0},
		{"/wrong", egress.BadResponse, 0},
		{"/more", egress.BadResponse, 0},
		{"/sum", egress.BadResponse, 0},
		{"/twice", egress.BadResponse, 0},
		{"/br", egress.BadResponse, 0},
		{"/identity", egress.Allowed, len(tail)},
	} {
		t.Run(tt.path, func(t *testing.T) {
			session := client.Session()
			resp, err := session.Do(t.Context(), egress.Request{URL: "http://" + host + tt.path})
			wantReason(t, tt.path, err, tt.want)
			if len(resp.Body) != tt.size || resp.Header.Get("Content-Encoding") != "" && tt.path != "/identity" {
				t.Errorf("%s: %d bytes, %v", tt.path, len(resp.Body), resp.Header)
			}
			// What was counted is what was kept: little more than the limit, however much there was.
			if got := session.Usage().BytesReceived; got < int64(tt.size) || got > limit+1000 {
				t.Errorf("%s: %d bytes counted", tt.path, got)
			}
		})
	}
	head, err := client.Do(t.Context(), egress.Request{Method: "HEAD", URL: "http://" + host + "/plain+1"})
	if err != nil || head.Header.Get("Content-Length") != fmt.Sprint(limit+1) {
		t.Errorf("HEAD: %v %v", head.Header, err)
	}
}

func TestRequestsAtTheLimit(t *testing.T) {
	t.Parallel()
	host := serve(t, nil)
	client := newClient(t, egress.Config{Rules: []egress.Rule{inside(host)}, Limits: egress.Limits{RequestBytes: 1000, HeaderBytes: 2000}})
	for _, tt := range []struct {
		what string
		req  egress.Request
		want egress.Reason
	}{
		{"a body", egress.Request{Body: make([]byte, 1000)}, egress.Allowed},
		{"a larger body", egress.Request{Body: make([]byte, 1001)}, egress.TooLarge},
		{"a header", egress.Request{Header: http.Header{"X": {strings.Repeat("x", 1800)}}}, egress.Allowed},
		{"a larger header", egress.Request{Header: http.Header{"X": {strings.Repeat("x", 2000)}}}, egress.TooLarge},
		{"a URL", egress.Request{URL: "/" + strings.Repeat("x", 1800)}, egress.Allowed},
		{"a longer URL", egress.Request{URL: "/" + strings.Repeat("x", 2000)}, egress.TooLarge},
	} {
		tt.req.Method, tt.req.URL = "POST", "http://"+host+tt.req.URL
		_, err := client.Do(t.Context(), tt.req)
		wantReason(t, tt.what, err, tt.want)
	}
}

// TestTheBudgetOfASession spends one, on requests and on bytes.
func TestTheBudgetOfASession(t *testing.T) {
	t.Parallel()
	host := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(make([]byte, 1000)) })
	client := newClient(t, egress.Config{Rules: []egress.Rule{inside(host)}, Limits: egress.Limits{Requests: 3, SessionBytes: 5000}})
	session := client.Session()
	do := func(url string, body int) error {
		_, err := session.Do(t.Context(), egress.Request{Method: "POST", URL: url, Body: make([]byte, body)})
		return err
	}
	wantReason(t, "the first", do("http://"+host, 0), egress.Allowed)
	wantReason(t, "one refused counts", do("https://a.example", 0), egress.Denied)
	wantReason(t, "the last", do("http://"+host, 100), egress.Allowed)
	for range 3 {
		wantReason(t, "one more", do("http://"+host, 0), egress.TooManyRequests)
	}
	usage, attempts := session.Usage(), session.Attempts()
	if usage.Requests != 3 || usage.BytesSent < 100 || usage.BytesSent > 600 || usage.BytesReceived < 2000 || usage.BytesReceived > 2500 || len(attempts) != 4 {
		t.Errorf("%+v %+v", usage, attempts)
	}
	if a := attempts[2]; a.Method != "POST" || a.Host != host || a.Path != "/" || a.Status != 200 || a.BytesSent < 100 || a.BytesReceived < 1000 || a.Decision != egress.Allowed {
		t.Errorf("%+v", a)
	}
	session = client.Session()
	wantReason(t, "bytes sent", do("http://"+host, 5000), egress.TooLarge)
	session = client.Session()
	wantReason(t, "bytes received", do("http://"+host, 3900), egress.TooLarge)
	if a := session.Attempts()[0]; a.Status != 200 || a.Decision != egress.TooLarge {
		t.Errorf("%+v", a)
	}
	session = client.Session()
	wantReason(t, "a new one", do("http://"+host, 3000), egress.Allowed)
}

// TestTheLogHasNoQuery looks at what the operator sees of a request.
func TestTheLogHasNoQuery(t *testing.T) {
	t.Parallel()
	host := serve(t, nil)
	var recorded []egress.Attempt
	client := newClient(t, egress.Config{Rules: []egress.Rule{inside(host)}, Record: func(a egress.Attempt) { recorded = append(recorded, a) }})
	for _, u := range []string{"http://" + host + "/a%20b?token=mine", "https://a.example/" + strings.Repeat("x", 5000) + "?token=mine", "http://" + strings.Repeat("１", 5000)} {
		_, _ = client.Do(t.Context(), egress.Request{URL: u})
	}
	if len(recorded) != 3 || recorded[0].Path != "/a%20b" || len(recorded[1].Path) != 512 || len(recorded[2].Host) != 512 || strings.Contains(fmt.Sprint(recorded), "mine") {
		t.Errorf("%+v", recorded)
	}
}

// TestSlowServers is answered by servers that take their time at each point.
func TestSlowServers(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/header" {
			<-ended
		}
		if r.URL.Path == "/redirect" {
			w.Header().Set("Location", "/redirect")
			w.WriteHeader(http.StatusFound)
		}
		for { // a byte now and then, so that there is always something to wait for
			_, _ = io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			select {
			case <-ended:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	t.Cleanup(func() { close(ended) })
	limits := egress.Limits{Timeout: 200 * time.Millisecond}
	for _, tt := range []struct {
		path   string
		limits egress.Limits
		ctx    func(context.Context) (context.Context, context.CancelFunc)
		want   egress.Reason
	}{
		{"/header", egress.Limits{HeaderTimeout: 50 * time.Millisecond}, nil, egress.Timeout},
		{"/header", limits, nil, egress.Timeout},
		{"/body", limits, nil, egress.Timeout},
		{"/redirect", egress.Limits{}, nil, egress.TooManyRedirects}, // its body is not waited for
		{"/body", egress.Limits{}, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		}, egress.Timeout},
		{"/body", egress.Limits{}, func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(50*time.Millisecond, cancel)
			return ctx, cancel
		}, egress.Canceled},
	} {
		t.Run(fmt.Sprint(tt.path, " ", tt.want, " ", tt.limits.HeaderTimeout), func(t *testing.T) {
			ctx, cancel := t.Context(), context.CancelFunc(func() {})
			if tt.ctx != nil {
				ctx, cancel = tt.ctx(ctx)
			}
			_, err := newClient(t, egress.Config{Rules: []egress.Rule{inside(host)}, Limits: tt.limits}).Do(ctx, egress.Request{URL: "http://" + host + tt.path})
			cancel()
			wantReason(t, tt.path, err, tt.want)
		})
	}
}

// TestOverTLS speaks HTTP/2 to a server whose certificate is trusted, and
// nothing to one whose is not.
func TestOverTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/large" {
			w.Header().Set("X-Large", strings.Repeat("x", 100<<10))
		}
		if r.URL.Path == "/many" {
			w.Header()["X-Many"] = slices.Repeat([]string{"some text"}, 5000)
		}
		_, _ = io.WriteString(w, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = quiet
	server.StartTLS()
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	rules := []egress.Rule{{Host: "*.example.com:" + port, Private: true}, {Host: "other.test:" + port, Private: true}}
	trusting := newClient(t, egress.Config{Rules: rules, Roots: roots})
	for _, tt := range []struct {
		client *egress.Client
		url    string
		want   egress.Reason
	}{
		{trusting, "https://api.example.com:" + port, egress.Allowed},
		{trusting, "https://api.example.com:" + port + "/large", egress.TooLarge},
		{trusting, "https://api.example.com:" + port + "/many", egress.TooLarge},
		{trusting, "https://other.test:" + port, egress.Unreachable},
		{newClient(t, egress.Config{Rules: rules}), "https://api.example.com:" + port, egress.Unreachable},
	} {
		t.Run(fmt.Sprint(tt.url, " ", tt.want), func(t *testing.T) {
			resp, err := tt.client.Do(t.Context(), egress.Request{URL: tt.url})
			wantReason(t, tt.url, err, tt.want)
			if err == nil && string(resp.Body) != "HTTP/2.0" {
				t.Errorf("%s", resp.Body)
			}
		})
	}
}

// TestStrangeReplies is answered by servers that do not quite speak HTTP.
func TestStrangeReplies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reply string
		want        egress.Reason
	}{
		{"a header too large", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 100<<10) + "\r\n\r\n", egress.TooLarge},
		{"a header without end", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: x\r\n", 100<<10), egress.TooLarge},
		{"news without end", strings.Repeat("HTTP/1.1 103 Early Hints\r\nX: x\r\n\r\n", 100<<10), egress.TooLarge},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", egress.BadResponse},
		{"no HTTP", "SSH-2.0-OpenSSH\r\n", egress.Unreachable},
		{"nothing", "", egress.Unreachable},
		{"much of it", "HTTP/1.1 " + strings.Repeat("x", 10_000) + "\r\n\r\n", egress.Unreachable},
		{"less than it says", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", egress.Unreachable},
		{"more than may be", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nhello", egress.TooLarge},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", egress.Unreachable},
		{"no length", "HTTP/1.0 200 OK\r\n\r\nhello", egress.Allowed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = listener.Close() })
			go func() {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 4096))
				_, _ = io.WriteString(conn, tt.reply)
			}()
			_, port, _ := net.SplitHostPort(listener.Addr().String())
			client := newClient(t, egress.Config{Rules: []egress.Rule{inside("api.test:" + port)}})
			_, err = client.Do(t.Context(), egress.Request{URL: "http://api.test:" + port})
			wantReason(t, tt.name, err, tt.want)
			if text := fmt.Sprint(err); len(text) > 1000 {
				t.Errorf("%s: %d bytes in the log", tt.name, len(text))
			}
		})
	}
}
