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

// gate is the proxy that all requests of the browser go through, of each tab, worker and frame: it connects to what the
// rules allow. The address that it checks is the one that it connects to.
type gate struct {
	server    *http.Server
	address   string
	transport *http.Transport
	rules     *egress.Client // nil: any host
	serving   sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]struct{} // of tunnels; nil when the gate is closed
}

// openGate starts a gate on this machine alone.
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

// close ends all connections, and returns when nothing of the gate runs.
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

// keep notes connections that end with the gate, and reports whether it is open. drop forgets and closes them.
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

func (g *gate) drop(conns ...net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(g.conns, c)
	}
}

// allowed returns why a host may not be reached.
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

// tunnel passes bytes between the browser and a server, until one of them ends.
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
		_, _ = io.Copy(server, buffered) // an end like any other
		_ = server.Close()
	})
	_, _ = io.Copy(client, server)
	_ = client.Close()
	copying.Wait()
}
