package doors_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// fakeState is a database that does what a test says.
type fakeState struct {
	asked atomic.Int64
	ready func(context.Context) error
}

func (*fakeState) Name() string { return "SQLite" }
func (*fakeState) Pools() map[string]sql.DBStats {
	return map[string]sql.DBStats{"read": {MaxOpenConnections: 4, Idle: 1}}
}
func (s *fakeState) Ready(ctx context.Context) error {
	s.asked.Add(1)
	if s.ready == nil {
		return nil
	}
	return s.ready(ctx)
}

// working returns a gateway's settings in which all works at once.
func working() gateway.Config {
	return gateway.Config{
		Store: new(storetest.Memory), Scenes: perception.NewScenes(newSlowEngine(), perception.Options{}), State: new(fakeState),
	}
}

// healthAt asks one of the two routes.
func healthAt(t *testing.T, url string) (status int, h sdkapi.Health) {
	t.Helper()
	resp, body := get(t, url)
	if err := json.Unmarshal([]byte(body), &h); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return resp.StatusCode, h
}

// checkOf returns the check of that name.
func checkOf(h sdkapi.Health, name string) sdkapi.Check {
	for _, c := range h.Checks {
		if c.Name == name {
			return c
		}
	}
	return sdkapi.Check{Name: "none"}
}

// Both routes report a part that does not work, with its own words and without
// its cause; a restart would not mend it, so /health stays 200.
func TestPartThatDoesNotWork(t *testing.T) {
	t.Parallel()
	cfg := working()
	cfg.State = &fakeState{ready: func(context.Context) error {
		return fault.New("test", sdkapi.StateUnavailable, "the database is away").Because(errors.New("10.0.0.7 refused"))
	}}
	url := gatewaytest.Start(t, cfg)
	for path, want := range map[string]int{sdkapi.HealthPath: 200, sdkapi.ReadyPath: 503} {
		t.Run(path, func(t *testing.T) {
			status, h := healthAt(t, url+path)
			if c := checkOf(h, "state"); status != want || h.Healthy || c.OK || c.Message != "the database is away" {
				t.Errorf("%s: %d %+v", path, status, h)
			}
			if !checkOf(h, "artifacts").OK || !checkOf(h, "ocr").OK {
				t.Errorf("%s blames others too: %+v", path, h)
			}
		})
	}
	url = gatewaytest.Start(t, working())
	for _, path := range []string{sdkapi.HealthPath, sdkapi.ReadyPath} {
		if status, h := healthAt(t, url+path); status != 200 || !h.Healthy || checkOf(h, "state").Message != "SQLite answers" {
			t.Errorf("%s of a gateway that works: %d %+v", path, status, h)
		}
	}
}

// However often the routes are asked, a part is asked about once a second.
func TestHealthIsCheap(t *testing.T) {
	t.Parallel()
	cfg, state := working(), new(fakeState)
	cfg.State = state
	url := gatewaytest.Start(t, cfg)
	start := time.Now()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				_, _ = get(t, url+sdkapi.ReadyPath)
			}
		})
	}
	wg.Wait()
	if asked, most := state.asked.Load(), int64(time.Since(start)/time.Second)+1; asked < 1 || asked > most {
		t.Errorf("160 requests in %v asked %d times", time.Since(start), asked)
	}
	testkit.Eventually(t, "the part is asked again", func() (int64, bool) {
		_, _ = get(t, url+sdkapi.ReadyPath)
		return state.asked.Load(), state.asked.Load() >= 2
	})
}

// A part that hangs, and minds no context, is waited for so long and is asked
// no second time.
func TestPartThatHangs(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	defer close(end)
	cfg := working()
	state := &fakeState{ready: func(context.Context) error { <-end; return nil }}
	cfg.State = state
	cfg.Times.Health = 50 * time.Millisecond
	url := gatewaytest.Start(t, cfg)
	for range 3 {
		status, h := healthAt(t, url+sdkapi.ReadyPath)
		if c := checkOf(h, "state"); status != 503 || !strings.Contains(c.Message, "has not answered") {
			t.Errorf("%d %+v", status, h)
		}
	}
	if asked := state.asked.Load(); asked != 1 {
		t.Errorf("it was asked %d times while it hung", asked)
	}
}

// serveFor runs a gateway that the test stops.
func serveFor(t *testing.T, cfg gateway.Config) (url string, stop func(), ended <-chan error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- doors.New(cfg).Serve(ctx, ln) }()
	return "http://" + ln.Addr().String(), cancel, done
}

// fresh asks a route on a connection of its own.
func fresh(t *testing.T, url string) (int, error) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	resp, err := client.Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}

// While requests that were open finish, /ready sends others elsewhere at once,
// /health says that nothing is to be restarted, and who comes all the same is
// served.
func TestReadyWhileDraining(t *testing.T) {
	t.Parallel()
	engine, cfg := newSlowEngine(), working()
	cfg.Scenes, cfg.DrainTimeout = perception.NewScenes(engine, perception.Options{}), patience
	url, stop, ended := serveFor(t, cfg)
	answered := make(chan error, 1)
	go func() {
		_, err := client(t, url).OCR.Run(t.Context(), sdk.Inline(gatewaytest.Card()))
		answered <- err
	}()
	receive(t, engine.started, "the work to start")
	if status, err := fresh(t, url+sdkapi.ReadyPath); status != 200 || err != nil {
		t.Errorf("before: %d, %v", status, err)
	}
	stop()
	notReady(t, url)
	for _, path := range []string{sdkapi.HealthPath, "/docs"} {
		if status, err := fresh(t, url+path); status != 200 || err != nil {
			t.Errorf("%s of a gateway that stops: %d, %v", path, status, err)
		}
	}
	close(engine.end)
	if err := receive(t, answered, "the answer"); err != nil {
		t.Errorf("the request that was running: %v", err)
	}
	if err := receive(t, ended, "Serve"); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if status, err := fresh(t, url+sdkapi.HealthPath); err == nil {
		t.Errorf("it still answers: %d", status)
	}
}

// notReady waits until a gateway that stops says so.
func notReady(t *testing.T, url string) {
	t.Helper()
	testkit.Eventually(t, "/ready of a gateway that stops is 503", func() (int, bool) {
		status, err := fresh(t, url+sdkapi.ReadyPath)
		if err != nil {
			t.Fatalf("/ready of a gateway that stops: %v", err)
		}
		return status, status == 503
	})
}

// With a drain delay an idle gateway, too, gives time to notice.
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	cfg := working()
	cfg.DrainTimeout, cfg.DrainDelay = patience, 500*time.Millisecond
	url, stop, ended := serveFor(t, cfg)
	if status, err := fresh(t, url+sdkapi.ReadyPath); status != 200 || err != nil {
		t.Fatal(status, err)
	}
	start := time.Now()
	stop()
	notReady(t, url)
	if err := receive(t, ended, "Serve"); err != nil || time.Since(start) < cfg.DrainDelay {
		t.Errorf("Serve: %v after %v", err, time.Since(start))
	}
}

// The client's way to ask.
func TestReadyOfTheClient(t *testing.T) {
	t.Parallel()
	h, err := client(t, gatewaytest.Start(t, working())).Ready(t.Context())
	if err != nil || !h.Healthy || !checkOf(*h, "serving").OK {
		t.Errorf("%+v, %v", h, err)
	}
}
