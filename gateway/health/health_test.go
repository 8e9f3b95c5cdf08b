package health_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// healthAt asks one of the two routes.
func healthAt(t *testing.T, url string) (status int, h sdkapi.Health) {
	t.Helper()
	resp, body := doorstest.Get(t, url)
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
	cfg := doorstest.Working()
	cfg.State = &doorstest.FakeState{Readiness: func(context.Context) error {
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
	url = gatewaytest.Start(t, doorstest.Working())
	for _, path := range []string{sdkapi.HealthPath, sdkapi.ReadyPath} {
		if status, h := healthAt(t, url+path); status != 200 || !h.Healthy || checkOf(h, "state").Message != "SQLite answers" {
			t.Errorf("%s of a gateway that works: %d %+v", path, status, h)
		}
	}
}

// However often the routes are asked, a part is asked about once a second.
func TestHealthIsCheap(t *testing.T) {
	t.Parallel()
	cfg, state := doorstest.Working(), new(doorstest.FakeState)
	cfg.State = state
	url := gatewaytest.Start(t, cfg)
	start := time.Now()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				_, _ = doorstest.Get(t, url+sdkapi.ReadyPath)
			}
		})
	}
	wg.Wait()
	if asked, most := state.Asked.Load(), int64(time.Since(start)/time.Second)+1; asked < 1 || asked > most {
		t.Errorf("160 requests in %v asked %d times", time.Since(start), asked)
	}
	testkit.Eventually(t, "the part is asked again", func() (int64, bool) {
		_, _ = doorstest.Get(t, url+sdkapi.ReadyPath)
		return state.Asked.Load(), state.Asked.Load() >= 2
	})
}

// A part that hangs, and minds no context, is waited for so long and is asked
// no second time.
func TestPartThatHangs(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	defer close(end)
	cfg := doorstest.Working()
	state := &doorstest.FakeState{Readiness: func(context.Context) error { <-end; return nil }}
	cfg.State = state
	cfg.Times.Health = 50 * time.Millisecond
	url := gatewaytest.Start(t, cfg)
	for range 3 {
		status, h := healthAt(t, url+sdkapi.ReadyPath)
		if c := checkOf(h, "state"); status != 503 || !strings.Contains(c.Message, "has not answered") {
			t.Errorf("%d %+v", status, h)
		}
	}
	if asked := state.Asked.Load(); asked != 1 {
		t.Errorf("it was asked %d times while it hung", asked)
	}
}

// While requests that were open finish, /ready sends others elsewhere at once,
// /health says that nothing is to be restarted, and who comes all the same is
// served.
func TestReadyWhileDraining(t *testing.T) {
	t.Parallel()
	engine, cfg := doorstest.NewSlowEngine(), doorstest.Working()
	cfg.Scenes, cfg.DrainTimeout = perception.NewScenes(engine, perception.Options{}), doorstest.Patience
	url, stop, ended := doorstest.ServeFor(t, cfg)
	answered := make(chan error, 1)
	go func() {
		_, err := doorstest.Client(t, url).OCR.Run(t.Context(), sdk.Inline(gatewaytest.Card()))
		answered <- err
	}()
	doorstest.Receive(t, engine.Started, "the work to start")
	if status, err := doorstest.Fresh(t, url+sdkapi.ReadyPath); status != 200 || err != nil {
		t.Errorf("before: %d, %v", status, err)
	}
	stop()
	notReady(t, url)
	for _, path := range []string{sdkapi.HealthPath, "/docs"} {
		if status, err := doorstest.Fresh(t, url+path); status != 200 || err != nil {
			t.Errorf("%s of a gateway that stops: %d, %v", path, status, err)
		}
	}
	close(engine.End)
	if err := doorstest.Receive(t, answered, "the answer"); err != nil {
		t.Errorf("the request that was running: %v", err)
	}
	if err := doorstest.Receive(t, ended, "Serve"); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if status, err := doorstest.Fresh(t, url+sdkapi.HealthPath); err == nil {
		t.Errorf("it still answers: %d", status)
	}
}

// notReady waits until a gateway that stops says so.
func notReady(t *testing.T, url string) {
	t.Helper()
	testkit.Eventually(t, "/ready of a gateway that stops is 503", func() (int, bool) {
		status, err := doorstest.Fresh(t, url+sdkapi.ReadyPath)
		if err != nil {
			t.Fatalf("/ready of a gateway that stops: %v", err)
		}
		return status, status == 503
	})
}

// With a drain delay an idle gateway, too, gives time to notice.
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	cfg := doorstest.Working()
	cfg.DrainTimeout, cfg.DrainDelay = doorstest.Patience, 500*time.Millisecond
	url, stop, ended := doorstest.ServeFor(t, cfg)
	if status, err := doorstest.Fresh(t, url+sdkapi.ReadyPath); status != 200 || err != nil {
		t.Fatal(status, err)
	}
	start := time.Now()
	stop()
	notReady(t, url)
	if err := doorstest.Receive(t, ended, "Serve"); err != nil || time.Since(start) < cfg.DrainDelay {
		t.Errorf("Serve: %v after %v", err, time.Since(start))
	}
}

// The client's way to ask.
func TestReadyOfTheClient(t *testing.T) {
	t.Parallel()
	h, err := doorstest.Client(t, gatewaytest.Start(t, doorstest.Working())).Ready(t.Context())
	if err != nil || !h.Healthy || !checkOf(*h, "serving").OK {
		t.Errorf("%+v, %v", h, err)
	}
}
