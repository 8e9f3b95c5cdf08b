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

// Wire is how a provider's library reaches its server. The library builds the requests and reads
// the events; Wire does what it should not be trusted with: the key, redirects, sizes, and the
// names of failures.
type Wire struct {
	Provider   string       // the kind of server, as in Thought.Provider
	Name       string       // as messages name it, which is the catalogue's id; empty for Provider
	BaseURL    string       // of the server; never in a message
	KeyHeader  string       // where the key goes
	KeyPrefix  string       // what stands before it, as "Bearer "
	Key        Secret       // none for a server without keys
	HTTPClient *http.Client // whose transport is used; nil for one of its own
}

func (w Wire) name() string { return cmp.Or(w.Name, w.Provider) }

// Check returns a fault for a base URL that no request should go to.
func (w Wire) Check() error {
	u, err := url.Parse(w.BaseURL)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return nil
	}
	return fault.New("models.Open", sdkapi.ValidationError, "invalid base URL of %s", w.name()).
		At("base_url", "expected http or https, a host and a path, without a password or a query")
}

// Client returns what the library sends its requests with.
func (w Wire) Client() *http.Client {
	client := clientOf(w.HTTPClient)
	client.Transport = &transport{wire: w, base: client.Transport}
	client.Timeout = 0 // Retry has the time limits; this one would end long answers
	return client
}

// clientOf returns a copy of given, nil for a new client, that follows no
// redirect: one would take the key, and the conversation, to another server.
func clientOf(given *http.Client) *http.Client {
	client := *cmp.Or(given, &http.Client{})
	if client.Transport == nil {
		client.Transport = defaultTransport()
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// request returns a request to path, below BaseURL. Header holds what the server
// wants besides the key; nil for nothing.
func (w Wire) request(ctx context.Context, method, path string, header http.Header, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(w.BaseURL, "/")+path, body)
	if err == nil {
		maps.Copy(req.Header, header)
	}
	return req, err
}

// defaultTransport returns a transport that gives up on a server which is not
// there. How long an answer may take is for Retry to say.
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

// Stream returns the events of one request, normalised, which ask sends with the Client and puts
// into the Answer. What ask returns is private and becomes a fault's cause, unless the wire knows
// better.
func (w Wire) Stream(ctx context.Context, req Request, ask func(context.Context, Request, *Answer) error) iter.Seq2[Event, error] {
	return Scripted(ctx, w.Provider, req, func(ctx context.Context, a *Answer) error {
		x := &exchange{}
		req.Messages = Normalise(req.Messages, w.Provider)
		if len(req.Messages) == 0 {
			return fault.New("models.Stream", sdkapi.ValidationError, "there is nothing to ask the model").At("messages", "expected a message that says something")
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

// MaxDocument bounds an answer that is one document, in bytes.
const MaxDocument = 16 << 20

// Document makes one request whose answer is a document of JSON, which ask sends with the Client
// and reads. What ask returns is private, as with Stream.
func (w Wire) Document(ctx context.Context, ask func(context.Context) error) error {
	x := &exchange{document: true}
	return w.outcome(ctx, x, ask(context.WithValue(ctx, exchangeKey{}, x)))
}

// outcome returns the error of a request that ended with err.
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
	return fault.New("models.Stream", sdkapi.ModelError, "the model's provider (%s) could not be asked, or what it answered could not be read", w.name()).
		Because(errors.New(w.private(err.Error())))
}

// guarded calls ask. Libraries panic on some answers of the wrong shape, which must not end the
// gateway. A panic of the reader of the events is not caught.
func (w Wire) guarded(a *Answer, ask func() error) (err error) {
	defer func() {
		if a.inYield {
			return
		}
		if p := recover(); p != nil {
			err = fault.New("models.Stream", sdkapi.ModelError, "the model's provider (%s) answered with something of the wrong shape", w.name()).
				Because(fmt.Errorf("panic: %.200v", p))
		}
	}()
	return ask()
}

// maxPrivate bounds what is kept of a message for the log, in bytes.
const maxPrivate = 1 << 10

// private returns a message without the key, for the log.
func (w Wire) private(message string) string { return plain.OneLine(w.Key.hideIn(message), maxPrivate) }

// exchange is what the transport finds out about one request.
type exchange struct {
	document bool // the answer is one, and no stream

	mu     sync.Mutex
	failed error
}

// exchangeKey is where a request's context has its exchange.
type exchangeKey struct{}

// fail records why the request failed, unless that is known already.
func (x *exchange) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed == nil {
		x.failed = err
	}
}

func (x *exchange) failure() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.failed
}

// transport is the way from a library to the network and back.
type transport struct {
	wire Wire
	base http.RoundTripper
}

// RoundTrip puts the key in, and looks at what comes back before the library does.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x, _ := req.Context().Value(exchangeKey{}).(*exchange)
	if x == nil {
		return nil, errors.New("models: a request outside of Wire.Stream and Wire.Document")
	}
	sent := req.Clone(req.Context())
	sent.Header.Del(t.wire.KeyHeader)
	if t.wire.Key.Known() {
		sent.Header.Set(t.wire.KeyHeader, t.wire.KeyPrefix+t.wire.Key.Reveal())
	}
	resp, err := t.base.RoundTrip(sent)
	if err != nil {
		x.fail(fault.New("models.Stream", sdkapi.ModelUnavailable, "the model's provider (%s) cannot be reached", t.wire.name()).
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

// CloseIdleConnections lets the client's method of that name reach the network.
func (t *transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// Events posts body as JSON to path, below BaseURL, and calls take with the data of each event of
// the answer, valid JSON that take may not keep, until take fails. It is for providers without a
// library, within Stream; client is the wire's, and header holds what the server wants besides the
// key.
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
		return errors.New(resp.Status) // the wire knows more
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, 16<<10), MaxLine+1) // no longer line comes through
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

// Reacher is a Model whose server can be asked whether it is there and takes the
// key, without asking a model anything, which costs money at some.
type Reacher interface {
	// Reach returns nil, or the fault that Stream would end with.
	Reach(ctx context.Context) error
}

// Reach asks the server for the list of its models at path, below BaseURL. The list must be JSON,
// as another server may answer in its place.
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
			return errors.Join(errors.New("the list of models is no JSON object"), err)
		}
		return nil
	})
}
