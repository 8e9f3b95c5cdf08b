package browser

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"time"

	"github.com/windieos/windie/internal/egress"
)

// gate is the proxy for all requests of the browser, from every tab, worker and frame. It connects
// only to allowed addresses. It checks the very address to which it then connects.
type gate struct {
	server    *http.Server
	address   string
	transport *http.Transport
	rules     *egress.Client // nil: any host
	serving   sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]struct{} // connections of tunnels; nil if the gate is closed
}

// openGate starts a gate on the loopback interface.
func openGate(r Rules) (*gate, error) {
	g := &gate{transport: egress.NewTransport(egress.Limits{}, r.Private), conns: map[net.Conn]struct{}{}}
	if len(r.Hosts) > 0 {
		rules := make([]egress.Rule, len(r.Hosts))
		for i, host := range r.Hosts {
			rules[i] = egress.Rule{Host: host, Schemes: []string{"https", "http"}, Private: r.Private}
		}
		var err error
		if g.rules, err = egress.New(egress.Config{Rules: rules}); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g.address = listener.Addr().String()
	g.server = &http.Server{Handler: g, ReadHeaderTimeout: 30 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	g.serving.Go(func() { _ = g.server.Serve(listener) }) // ends with close
	return g, nil
}

// close closes all connections, and waits until the gate's goroutines have ended.
func (g *gate) close() {
	g.mu.Lock()
	for c := range g.conns {
		_ = c.Close()
	}
	g.conns = nil
	g.mu.Unlock()
	_ = g.server.Close()
	g.serving.Wait()
	g.transport.CloseIdleConnections()
	if g.rules != nil {
		_ = g.rules.Close()
	}
}

// keep records connections, so that close closes them. It returns false if the gate is closed
// already.
func (g *gate) keep(conns ...net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range conns {
		if g.conns != nil {
			g.conns[c] = struct{}{}
		}
	}
	return g.conns != nil
}

// drop closes connections, and removes them from the record.
func (g *gate) drop(conns ...net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(g.conns, c)
	}
}

// allowed returns an error if the rules forbid a host.
func (g *gate) allowed(scheme, host string) error {
	if g.rules == nil {
		return nil
	}
	err := g.rules.Allowed(http.MethodGet, scheme+"://"+host+"/")
	var refused *egress.Error
	if errors.As(err, &refused) {
		return refused.Fault
	}
	return err
}

// ServeHTTP implements http.Handler.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.Method == http.MethodConnect {
		scheme = "https"
	}
	if err := g.allowed(scheme, r.Host); err != nil {
		http.Error(w, "windie blocks this page: "+err.Error(), http.StatusForbidden)
		return
	}
	if r.Method == http.MethodConnect {
		g.tunnel(w, r)
		return
	}
	(&httputil.ReverseProxy{
		Transport: g.transport,
		ErrorLog:  g.server.ErrorLog,
		Rewrite:   func(p *httputil.ProxyRequest) { p.Out.Header.Del("Proxy-Connection") },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, "windie cannot reach this server: "+err.Error(), http.StatusBadGateway)
		},
	}).ServeHTTP(w, r)
}

// tunnel copies bytes between the browser and a server, until one of them closes.
func (g *gate) tunnel(w http.ResponseWriter, r *http.Request) {
	server, err := g.transport.DialContext(r.Context(), "tcp", r.Host)
	if err != nil {
		http.Error(w, "windie cannot reach this server: "+err.Error(), http.StatusBadGateway)
		return
	}
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = server.Close()
		return
	}
	defer g.drop(server, client)
	if !g.keep(server, client) {
		return
	}
	if _, err := fmt.Fprint(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var copying sync.WaitGroup
	copying.Go(func() {
		_, _ = io.Copy(server, buffered) // an error ends the tunnel like an end of the stream
		_ = server.Close()
	})
	_, _ = io.Copy(client, server)
	_ = client.Close()
	copying.Wait()
}
