package models

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// Wire sends a provider's requests. The provider's library builds the requests and reads the
// events. Wire does the parts that are too critical for a library: it adds the key, refuses
// redirects, limits sizes and classifies failures.
type Wire struct {
	Provider   string       // kind of the provider's server, as in Thought.Provider
	Name       string       // id of the provider in the catalogue, for messages; default: Provider
	BaseURL    string       // URL of the server; it never appears in a message
	KeyHeader  string       // name of the header with the key
	KeyPrefix  string       // text before the key in the header, for example "Bearer "
	Key        Secret       // key of the server; zero if the server needs no key
	HTTPClient *http.Client // HTTP client whose transport is used; default: a new transport
}

// name returns the provider's name for messages.
func (w Wire) name() string { return cmp.Or(w.Name, w.Provider) }

// Check returns a VALIDATION_ERROR if BaseURL is invalid or unsafe.
func (w Wire) Check() error {
	u, err := url.Parse(w.BaseURL)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return nil
	}
	return fault.New("models.Open", sdkapi.ValidationError, "invalid base URL of %s", w.name()).
		At("base_url", "expected http or https, a host and a path, without a password or a query")
}

// Client returns the HTTP client for the provider's library. The client works only during a call of
// Stream or Document.
func (w Wire) Client() *http.Client {
	client := clientOf(w.HTTPClient)
	client.Transport = &transport{wire: w, base: client.Transport}
	client.Timeout = 0 // Retry has the time limits; this one would end long answers
	return client
}

// clientOf returns a copy of given that follows no redirects, because a redirect would send the key and the
// conversation to another server. If given is nil, it returns a new client.
func clientOf(given *http.Client) *http.Client {
	client := *cmp.Or(given, &http.Client{})
	if client.Transport == nil {
		client.Transport = defaultTransport()
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// request returns a request to path, below BaseURL. header has the headers other than the key; it
// may be nil.
func (w Wire) request(ctx context.Context, method, path string, header http.Header, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(w.BaseURL, "/")+path, body)
	if err == nil {
		maps.Copy(req.Header, header)
	}
	return req, err
}

// defaultTransport returns a transport with time limits for connecting. Retry limits the time of an
// answer.
func defaultTransport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        64,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
	}
}

// Stream returns the normalised events of one request. The function ask sends the request with the Client
// and puts the response into the Answer. If ask returns an error that is not a fault, the caller gets a
// fault with this error as its private cause. If the wire has found a more precise reason for the failure,
// the caller gets a fault with this reason instead.
func (w Wire) Stream(ctx context.Context, req Request, ask func(context.Context, Request, *Answer) error) iter.Seq2[Event, error] {
	return Scripted(ctx, w.Provider, req, func(ctx context.Context, a *Answer) error {
		x := &exchange{}
		req.Messages = Normalise(req.Messages, w.Provider)
		if len(req.Messages) == 0 {
			return fault.New("models.Stream", sdkapi.ValidationError, "the request for the model has no messages").At("messages", "expected a message that is not empty")
		}
		req.Tools = slices.Clone(req.Tools)
		for i := range req.Tools {
			if len(req.Tools[i].Schema) == 0 {
				req.Tools[i].Schema = json.RawMessage(`{"type":"object","properties":{}}`)
			}
		}
		err := w.guarded(a, func() error { return ask(context.WithValue(ctx, exchangeKey{}, x), req, a) })
		if errors.Is(err, errLeft) {
			return err
		}
		return w.outcome(ctx, x, err)
	})
}

// MaxDocument is the maximum size of a response that is not a stream, in bytes.
const MaxDocument = 16 << 20

// Document makes one request whose response is a JSON document. The function ask sends the request with the
// Client and reads the response. If ask returns an error that is not a fault, the caller gets a fault with
// this error as its private cause.
func (w Wire) Document(ctx context.Context, ask func(context.Context) error) error {
	x := &exchange{document: true}
	return w.outcome(ctx, x, ask(context.WithValue(ctx, exchangeKey{}, x)))
}

// outcome returns the error for the caller of a request that ended with err.
func (w Wire) outcome(ctx context.Context, x *exchange, err error) error {
	var known *fault.Error
	switch failed := x.failure(); {
	case ctx.Err() != nil:
		return ctx.Err()
	case failed != nil:
		return failed
	case err == nil || errors.As(err, &known):
		return err
	}
	return fault.New("models.Stream", sdkapi.ModelError, "the request to the model's provider (%s) failed, or its response is invalid; the log has the reason", w.name()).
		Because(errors.New(w.private(err.Error())))
}

// guarded calls ask and converts a panic to a fault. Libraries panic on some malformed responses, and such a
// panic must not end the gateway. guarded does not recover a panic of the reader of the events.
func (w Wire) guarded(a *Answer, ask func() error) (err error) {
	defer func() {
		if a.inYield {
			return
		}
		if p := recover(); p != nil {
			err = fault.New("models.Stream", sdkapi.ModelError, "the response of the model's provider (%s) is malformed; try again, or choose another model", w.name()).
				Because(fmt.Errorf("panic: %.200v", p))
		}
	}()
	return ask()
}

// maxPrivate limits the length of a message in the log, in bytes.
const maxPrivate = 1 << 10

// private returns a message for the log, without the key.
func (w Wire) private(message string) string { return plain.OneLine(w.Key.hideIn(message), maxPrivate) }

// exchange has the failure that the transport finds in one request.
type exchange struct {
	document bool // the response is a document, not a stream

	mu     sync.Mutex
	failed error
}

// exchangeKey is the context key of the exchange.
type exchangeKey struct{}

// fail records the reason for a failure. The first reason stays.
func (x *exchange) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed == nil {
		x.failed = err
	}
}

// failure returns the recorded reason, or nil if there is none.
func (x *exchange) failure() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.failed
}

// transport is the HTTP transport of a library. It adds the key and checks responses.
type transport struct {
	wire Wire
	base http.RoundTripper
}

// RoundTrip adds the key to a request, and checks the response before the library gets it.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x, _ := req.Context().Value(exchangeKey{}).(*exchange)
	if x == nil {
		return nil, errors.New("models: the request was not made by Wire.Stream or Wire.Document")
	}
	sent := req.Clone(req.Context())
	sent.Header.Del(t.wire.KeyHeader)
	if t.wire.Key.Known() {
		sent.Header.Set(t.wire.KeyHeader, t.wire.KeyPrefix+t.wire.Key.Reveal())
	}
	resp, err := t.base.RoundTrip(sent)
	if err != nil {
		x.fail(fault.New("models.Stream", sdkapi.ModelUnavailable, "the gateway cannot reach the model's provider (%s); check that it runs, and check its base URL", t.wire.name()).
			Because(errors.New(t.wire.private(err.Error()))))
		return nil, err
	}
	if x.document && resp.StatusCode == http.StatusOK {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, MaxDocument), resp.Body}
		return resp, nil
	}
	if !streams(resp) {
		x.fail(t.wire.refused(resp))
		return resp, nil
	}
	resp.Body = newEvents(resp.Body, t.wire, x)
	return resp, nil
}

// CloseIdleConnections closes the idle connections of the wrapped transport.
// http.Client.CloseIdleConnections calls it.
func (t *transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// Events sends body as JSON in a POST request to path, which is relative to BaseURL. It calls the function
// take with the data of each event in the response, and stops if take fails. The data is valid JSON, and
// take must not retain the data. Events is for providers without a library, and works only during Stream.
// client is the wire's Client. header has all headers except the key.
func (w Wire) Events(ctx context.Context, client *http.Client, path string, header http.Header, body any, take func(data []byte) error) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := w.request(ctx, http.MethodPost, path, header, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status) // the exchange has the details
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, 16<<10), MaxLine+1) // longer lines were refused before
	for lines.Scan() {
		data, isData := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !isData {
			continue
		}
		if err := take(bytes.TrimSpace(data)); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Reacher is a Model that can check its server and its key. The check does not call a model,
// because some providers charge for each call.
type Reacher interface {
	// Reach returns nil, or the fault with which Stream would fail.
	Reach(ctx context.Context) error
}

// Reach requests the list of the server's models at path, which is relative to BaseURL. It fails if
// the response is not JSON, because then the response may come from a wrong server.
func (w Wire) Reach(ctx context.Context, path string, header http.Header) error {
	return w.Document(ctx, func(ctx context.Context) error {
		req, err := w.request(ctx, http.MethodGet, path, header, http.NoBody)
		if err != nil {
			return err
		}
		resp, err := w.Client().Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		var list map[string]json.RawMessage
		if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
			return errors.Join(errors.New("the list of models is not a JSON object"), err)
		}
		return nil
	})
}
