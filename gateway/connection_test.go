package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// Work that nobody waits for any longer stops at once.
func TestWorkEndsWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	engine := doorstest.NewSlowEngine()
	url := gatewaytest.Start(t, gateway.App{Scenes: perception.NewScenes(engine, perception.Options{})})
	ctx, leave := context.WithCancel(t.Context())
	answered := make(chan error, 1)
	go func() {
		_, err := doorstest.Client(t, url).OCR.Run(ctx, sdk.Inline(gatewaytest.Card()))
		answered <- err
	}()
	work := doorstest.Receive(t, engine.Started, "the work to start")
	leave()
	doorstest.Receive(t, work.Done(), "the work to end")
	if err := doorstest.Receive(t, answered, "the client"); !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v", err)
	}
}

// When too many screens wait already, one more is told to come back.
func TestOverload(t *testing.T) {
	t.Parallel()
	engine := doorstest.NewSlowEngine()
	scenes := perception.NewScenes(engine, perception.Options{Cores: fair.New(fair.Options{Name: "cores", Capacity: 1, Waiting: 1})})
	url := gatewaytest.Start(t, gateway.App{Scenes: scenes})
	c := doorstest.Client(t, url)
	answers := make(chan error, 3)
	for i := range 3 { // three different screens: one is read, one waits
		go func() {
			_, err := c.OCR.Run(t.Context(), sdk.Inline(append(slices.Clip(gatewaytest.Card()), byte(i))))
			answers <- err
		}()
	}
	doorstest.Receive(t, engine.Started, "the work to start")
	if err := doorstest.Receive(t, answers, "the one too many"); !errors.Is(err, &sdkapi.Error{Code: sdkapi.Overloaded}) {
		t.Errorf("got %v", err)
	}
	resp, err := http.Post(url+sdkapi.OCRRunPath, "application/json", strings.NewReader(fmt.Sprintf(`{"image":{"image_base64":%q}}`, base64.StdEncoding.EncodeToString(append(gatewaytest.Card(), 9))))) //nolint:noctx // the server ends it
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "5" {
		t.Errorf("%s, after %q", resp.Status, resp.Header.Get("Retry-After"))
	}
	close(engine.End)
	for range 2 {
		if err := doorstest.Receive(t, answers, "the others"); err != nil {
			t.Errorf("one that waited: %v", err)
		}
	}
}

// Watching for the client to leave must not spoil the connection for the
// requests that follow on it.
func TestConnectionServesManyRequests(t *testing.T) {
	t.Parallel()
	engine := doorstest.NewSlowEngine()
	close(engine.End)
	url := gatewaytest.Start(t, gateway.App{Scenes: perception.NewScenes(engine, perception.Options{})})
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	answers := bufio.NewReader(conn)
	for i := range 5 {
		body := `{"image":{"artifact_id":"shot.png"}}`
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", sdkapi.OCRRunPath, len(body), body)
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("request %d: %s", i, resp.Status)
		}
	}
}

// What a handler leaves unread of one body must never be taken for the next
// request.
func TestUnreadBodyIsNoRequest(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{})
	hidden := "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, head := range map[string]string{
		"known length": fmt.Sprintf("POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(hidden), hidden),
		"chunks":       fmt.Sprintf("POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(hidden), hidden),
		"refused upload": fmt.Sprintf("POST /api/artifacts/ HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s",
			len(hidden), hidden),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprint(conn, head+"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			_ = conn.SetReadDeadline(time.Now().Add(doorstest.Patience))
			all, err := io.ReadAll(conn)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(all, []byte("HTTP/1.1 ")); n != 2 || bytes.Contains(all, []byte("uptime_ms")) {
				t.Errorf("%d answers to 2 requests:\n%s", n, all)
			}
		})
	}
}

// After a body that cannot be read to its end nothing on the connection can be
// trusted to be a request.
func TestBrokenBodyClosesTheConnection(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{})
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n", sdkapi.OCRRunPath)
	_ = conn.SetReadDeadline(time.Now().Add(doorstest.Patience))
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(all, []byte("HTTP/1.1 ")); n != 1 || !bytes.Contains(all, []byte("Connection: close")) {
		t.Errorf("%d answers:\n%s", n, all)
	}
}

// A request that stops arriving is given up, and its sender learns why.
func TestStalledBody(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{StallTimeout: 200 * time.Millisecond})
	form := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n" + strings.Repeat("x", 20_000)
	for path, start := range map[string]string{
		sdkapi.OCRRunPath:    "Content-Type: application/json\r\n\r\n{\"image\":" + strings.Repeat(" ", 20_000),
		sdkapi.ArtifactsPath: "Content-Type: multipart/form-data; boundary=b\r\n\r\n" + form,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n%s", path, start)
			_ = conn.SetReadDeadline(time.Now().Add(doorstest.Patience))
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != http.StatusRequestTimeout || !bytes.Contains(body, []byte(sdkapi.RequestTimeout)) {
				t.Errorf("got %s %s", resp.Status, body)
			}
		})
	}
}

// A stopping gateway finishes what it has begun.
func TestDrain(t *testing.T) {
	t.Parallel()
	engine := doorstest.NewSlowEngine()
	store, err := dirstore.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := doors.New(gateway.App{Store: store, Scenes: perception.NewScenes(engine, perception.Options{}), DrainTimeout: doorstest.Patience})
	ctx, stop := context.WithCancel(t.Context())
	ended, answered := make(chan error, 1), make(chan error, 1)
	go func() { ended <- server.Serve(ctx, ln) }()
	go func() {
		_, err := doorstest.Client(t, "http://"+ln.Addr().String()).OCR.Run(t.Context(), sdk.Inline(gatewaytest.Card()))
		answered <- err
	}()
	doorstest.Receive(t, engine.Started, "the work to start")
	stop()
	select {
	case err := <-ended:
		t.Fatalf("Serve returned with a request running: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	close(engine.End)
	if err := doorstest.Receive(t, answered, "the answer"); err != nil {
		t.Errorf("the request that was running: %v", err)
	}
	if err := doorstest.Receive(t, ended, "Serve"); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// A gateway that is told to stop before it has begun to accept connections stops.
func TestStopAtOnce(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	ended := make(chan error, 1)
	ln := &heldListener{Listener: inner, closed: make(chan struct{})}
	go func() { ended <- doors.New(gateway.App{Store: new(storetest.Memory)}).Serve(ctx, ln) }()
	if err := doorstest.Receive(t, ended, "Serve"); err != nil {
		t.Error(err)
	}
}

// heldListener holds up Fiber, which asks for the address before it accepts, until the listener is closed.
type heldListener struct {
	net.Listener
	closed chan struct{}
	once   sync.Once
}

func (l *heldListener) Addr() net.Addr {
	<-l.closed
	return l.Listener.Addr()
}

func (l *heldListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// A client that has connected and sent nothing does not hold up the drain for
// its whole length.
func TestDrainIgnoresSilentConnections(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- doors.New(gateway.App{Store: new(storetest.Memory)}).Serve(ctx, ln) }()
	silent, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if _, err := doorstest.Client(t, "http://"+ln.Addr().String()).StatArtifact(t.Context(), "shot.png"); err == nil {
		t.Fatal("there is no such artifact")
	}
	stop()
	if err := doorstest.Receive(t, ended, "Serve"); err != nil {
		t.Error(err)
	}
}

// A request that outlasts the drain is cut off, and Serve says so.
func TestDrainHasAnEnd(t *testing.T) {
	t.Parallel()
	engine := doorstest.NewSlowEngine()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := doors.New(gateway.App{
		Store: new(storetest.Memory), Scenes: perception.NewScenes(engine, perception.Options{}), DrainTimeout: 100 * time.Millisecond, Times: gateway.Times{Last: 100 * time.Millisecond},
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, ln) }()
	go func() {
		_, _ = doorstest.Client(t, "http://"+ln.Addr().String()).OCR.Run(t.Context(), sdk.Inline(gatewaytest.Card()))
	}()
	work := doorstest.Receive(t, engine.Started, "the work to start")
	stop()
	if err := doorstest.Receive(t, ended, "Serve"); err == nil {
		t.Error("Serve cut a request off and said nothing")
	}
	doorstest.Receive(t, work.Done(), "the work to end")
}

// panicStore fails in the worst way.
type panicStore struct{ *storetest.Memory }

func (panicStore) Ready(context.Context) error { panic("the secret is 42") }

// A panic is a 500 that gives the caller a request id and nothing else. The log
// has everything.
func TestPanic(t *testing.T) {
	t.Parallel()
	var log doorstest.LockedBuffer
	url := gatewaytest.Start(t, gateway.App{
		Store: panicStore{new(storetest.Memory)}, Scenes: perception.NewScenes(doorstest.NewSlowEngine(), perception.Options{}),
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+sdkapi.HealthPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Request-ID", "me-1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 500 || !bytes.Contains(body, []byte(`"request_id":"me-1"`)) || bytes.Contains(body, []byte("42")) {
		t.Errorf("got %s %s", resp.Status, body)
	}
	if text := log.String(); !strings.Contains(text, "the secret is 42") || !strings.Contains(text, "me-1") || !strings.Contains(text, "health.go") {
		t.Errorf("the log lacks the cause, the request id or the stack:\n%s", text)
	}
}

// Many clients at once get each their own answer.
func TestConcurrentClients(t *testing.T) {
	t.Parallel()
	c := doorstest.Client(t, gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory)}))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			content := bytes.Repeat([]byte{byte(i)}, 100_000+i)
			stored, err := c.UploadArtifact(t.Context(), "f", bytes.NewReader(content))
			if err != nil {
				t.Error(err)
				return
			}
			r, _, err := c.OpenArtifact(t.Context(), stored.ArtifactID)
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content) {
				t.Errorf("client %d got %d bytes of another's, %v", i, len(got), err)
			}
		})
	}
	wg.Wait()
}
