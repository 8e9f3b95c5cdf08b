package conformance

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/fasthttp/websocket"
)

// maxBody bounds what the proxy keeps of a request or an answer, in bytes.
const maxBody = 64 << 20

// Exchange is a request that a client sent, and what it was answered.
type exchange struct {
	method string
	target string // escaped, with its query
	header http.Header
	body   []byte
	status int    // 0 for none
	answer []byte // but of streams
	sent   http.Header
	left   bool // the client went away before the end
}

// Proxy stands between a client and a gateway. It keeps what passes, refuses what is not expected, and breaks what a
// case says. It may be used from several goroutines.
type proxy struct {
	target    *url.URL
	forward   *httputil.ReverseProxy
	transport *http.Transport
	server    *http.Server
	url       string // where clients find it

	running sync.WaitGroup

	mu      sync.Mutex
	wire    *wire                  // of the next socket; nil: it is passed on as it is
	check   func(*exchange) string // says why a request is not expected, or nothing; nil: all are
	breaks  []*breakage
	seen    []*exchange
	wrong   []string // what check said
	changed chan struct{}
}

type exchangeKey struct{}

// newProxy starts a proxy before a gateway. Close it.
func newProxy(gateway string) (*proxy, error) {
	target, err := url.Parse(gateway)
	if err != nil {
		return nil, err
	}
	p := &proxy{target: target, changed: make(chan struct{})}
	p.transport = &http.Transport{}
	p.forward = &httputil.ReverseProxy{
		Transport:     p.transport,
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // as the gateway gives out URLs
		},
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ModifyResponse: p.keep,
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.url = "http://" + ln.Addr().String()
	p.server = &http.Server{Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: patience, ErrorLog: log.New(io.Discard, "", 0)}
	p.running.Go(func() { _ = p.server.Serve(ln) })
	return p, nil
}

// close breaks all connections.
func (p *proxy) close() {
	_ = p.server.Close()
	p.running.Wait()
	p.transport.CloseIdleConnections() // a gateway that stops waits for those that have asked nothing
}

// unheard is an answer that nobody gets.
type unheard struct{ header http.Header }

// Header implements http.ResponseWriter.
func (u unheard) Header() http.Header { return u.header }

// WriteHeader implements http.ResponseWriter.
func (u unheard) WriteHeader(int) {}

// Write implements io.Writer.
func (u unheard) Write(p []byte) (int, error) { return len(p), nil }

// serve passes a request on, or what a breakage makes of it.
func (p *proxy) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	x := &exchange{method: r.Method, target: r.URL.RequestURI(), header: r.Header.Clone(), body: body}
	breaks, refused := p.enter(x)
	defer p.leave(x, r)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
	socket := p.nextWire(r)
	switch {
	case refused != "":
		p.refuse(w, x, refused)
	case socket != nil:
		p.pass(w, r, socket)
	case breaks != nil && breaks.status != 0:
		breaks.answer(w, x)
	case breaks != nil && breaks.lose:
		p.forward.ServeHTTP(unheard{http.Header{}}, r)
		panic(http.ErrAbortHandler)
	case breaks != nil && breaks.frame != nil:
		p.pump(w, r, breaks.frame, alone)
	case breaks != nil && breaks.frames != nil:
		p.pump(w, r, goesOn, breaks.frames)
	case breaks != nil:
		broken := &breaking{ResponseWriter: w, of: breaks}
		p.forward.ServeHTTP(broken, r)
		broken.end()
	default:
		p.forward.ServeHTTP(w, r)
	}
}

// enter notes a request, and returns what goes wrong with it, and why it is refused.
func (p *proxy) enter(x *exchange) (*breakage, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	refused := ""
	if p.check != nil {
		if refused = p.check(x); refused != "" {
			p.wrong = append(p.wrong, refused)
		}
	}
	p.seen = append(p.seen, x)
	p.tell()
	path, _, _ := strings.Cut(x.target, "?")
	for _, b := range p.breaks {
		if b.method == x.method && (b.path == path || strings.HasSuffix(b.path, "*") && strings.HasPrefix(path, strings.TrimSuffix(b.path, "*"))) && b.done < b.times {
			b.done++
			return b, refused
		}
	}
	return nil, refused
}

// leave notes the end of a request, also one that the client broke off.
func (p *proxy) leave(x *exchange, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x.left = r.Context().Err() != nil
	p.tell()
}

// tell wakes those who wait for requests. The caller holds mu.
func (p *proxy) tell() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// refuse answers a request that is not expected.
func (p *proxy) refuse(w http.ResponseWriter, x *exchange, why string) {
	w.Header().Set("Content-Type", "application/json")
	x.status = http.StatusTeapot
	w.WriteHeader(x.status)
	_, _ = io.WriteString(w, errorBody("CONFORMANCE", why))
}

// keep notes an answer; that of a stream is not kept.
func (p *proxy) keep(resp *http.Response) error {
	x, _ := resp.Request.Context().Value(exchangeKey{}).(*exchange)
	if x == nil {
		return nil
	}
	var body []byte
	stream := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	if !stream && resp.StatusCode != http.StatusSwitchingProtocols {
		var err error
		if body, err = io.ReadAll(io.LimitReader(resp.Body, maxBody)); err != nil {
			return err
		}
		resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(body))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	x.status, x.answer, x.sent = resp.StatusCode, body, resp.Header.Clone()
	p.tell()
	return nil
}

// expect sets what checks requests from now on, and forgets those that were seen.
func (p *proxy) expect(check func(*exchange) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.check, p.seen, p.wrong = check, nil, nil
}

// breakWith sets what goes wrong from now on.
func (p *proxy) breakWith(breaks ...*breakage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.breaks = breaks
}

// requests returns those that were seen of a method at a path.
func (p *proxy) requests(method, path string) (list []exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.seen {
		at, _, _ := strings.Cut(x.target, "?")
		if x.method == method && (at == path || strings.HasSuffix(path, "*") && strings.HasPrefix(at, strings.TrimSuffix(path, "*"))) {
			list = append(list, *x)
		}
	}
	return list
}

// complaints returns what was not expected.
func (p *proxy) complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.wrong)
}

// waitLeft waits until the client has broken a request off.
func (p *proxy) waitLeft(ctx context.Context, method, path string) bool {
	return p.waitFor(ctx, method, path, func(x exchange) bool { return x.left })
}

// waitAnswered waits until the gateway has begun to answer a request.
func (p *proxy) waitAnswered(ctx context.Context, method, path string) bool {
	return p.waitFor(ctx, method, path, func(x exchange) bool { return x.status != 0 })
}

// waitSeen waits for a request.
func (p *proxy) waitSeen(ctx context.Context, method, path string) bool {
	return p.waitFor(ctx, method, path, func(exchange) bool { return true })
}

func (p *proxy) waitFor(ctx context.Context, method, path string, is func(exchange) bool) bool {
	for {
		p.mu.Lock()
		changed := p.changed
		p.mu.Unlock()
		if slices.ContainsFunc(p.requests(method, path), is) {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

// both opens a socket to the gateway, and takes that of a client.
func (p *proxy) both(w http.ResponseWriter, r *http.Request) (up, down *websocket.Conn) {
	header := http.Header{}
	for _, name := range []string{"Authorization", "X-User-Id", "Origin"} {
		if value := r.Header.Get(name); value != "" {
			header.Set(name, value)
		}
	}
	up, resp, err := websocket.DefaultDialer.DialContext(r.Context(), "ws://"+p.target.Host+r.URL.RequestURI(), header)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	if down, err = upgrader.Upgrade(w, r, nil); err != nil {
		_ = up.Close()
		panic(http.ErrAbortHandler)
	}
	return up, down
}

// goesOn is the fate of a socket that nothing happens to.
func goesOn([]byte) int { return 0 }

// alone passes a frame on as it is.
func alone(frame []byte) [][]byte { return [][]byte{frame} }

// pump passes the frames of a socket on, those of the gateway as made says, until fate says that it ends.
func (p *proxy) pump(w http.ResponseWriter, r *http.Request, fate func(frame []byte) (code int), made func(frame []byte) [][]byte) {
	up, down := p.both(w, r)
	defer up.Close()
	defer down.Close()
	var both sync.WaitGroup
	both.Go(func() {
		defer up.Close()
		copyFrames(up, down, goesOn, alone)
	})
	copyFrames(down, up, fate, made)
	down.Close()
	both.Wait()
}

// copyFrames passes frames on until one side is gone, or fate says with which code this ends. -1 breaks the connection.
func copyFrames(to, from *websocket.Conn, fate func(frame []byte) int, made func(frame []byte) [][]byte) {
	for {
		kind, frame, err := from.ReadMessage()
		if err != nil {
			return
		}
		code := fate(frame)
		for _, f := range made(frame) {
			if code >= 0 && to.WriteMessage(kind, f) != nil {
				return
			}
		}
		if code > 0 {
			_ = to.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(code, "going away"))
		}
		if code != 0 {
			return
		}
	}
}
