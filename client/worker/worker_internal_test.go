package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// stubborn plays a gateway that takes a run as not begun however it ended, and gives it again with each heartbeat.
type stubborn struct {
	refuse bool // whatever is relayed
	run    sdkapi.AssignedRun

	mu      sync.Mutex
	beats   int
	fetched int
	relayed []sdkapi.RunRelay
}

func (s *stubborn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.URL.Path == sdkapi.RunHeartbeatPath:
		s.beats++
		_ = json.NewEncoder(w).Encode(sdkapi.RunHeartbeatAnswer{AssignedRun: &s.run, NextHeartbeatMs: 1, LeaseMs: 30_000})
	case strings.HasSuffix(r.URL.Path, "/events"):
		var in sdkapi.RunRelay
		_ = json.NewDecoder(r.Body).Decode(&in)
		s.relayed = append(s.relayed, in)
		if s.refuse {
			w.WriteHeader(http.StatusBadRequest)
		}
		_ = json.NewEncoder(w).Encode(sdkapi.RunRelayed{})
	default:
		s.fetched++
		_, _ = io.WriteString(w, "a file")
	}
}

// seen returns how often the worker has said that it is there, and how often it has taken the run.
func (s *stubborn) seen() (beats, taken int, relayed []sdkapi.RunRelay) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.beats, s.fetched, s.relayed
}

// A run whose failure has odd characters is failed. If the gateway gives it again all the same, or refuses to hear of
// the failure, the run is not begun again at once.
func TestRunThatCannotBegin(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]bool{"the failure is heard": false, "the failure is refused": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gateway := &stubborn{refuse: refuse, run: sdkapi.AssignedRun{RunID: "run-1", LeaseEpoch: 1, Files: []sdkapi.RunFile{{ArtifactID: "x", Filename: "a\x00b\a\U000e0001.pdf"}}}}
			server := httptest.NewServer(gateway)
			defer server.Close()
			w, err := New(Options{URL: server.URL, Tools: agent.NewRegistry().View(), Keep: func(name string, _ io.Reader) error {
				return fmt.Errorf("invalid name: %s", name)
			}})
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- w.Run(t.Context()) }()
			var relayed []sdkapi.RunRelay
			testkit.EventuallyWithin(t, 20*time.Second, "the failure is relayed, and the run is given again", func() (string, bool) {
				beats, taken, all := gateway.seen()
				relayed = all
				return fmt.Sprint(beats, " heartbeats, taken ", taken, " times, relayed: ", len(all)), len(all) > 0 && beats > 20
			})
			if _, taken, _ := gateway.seen(); taken != 1 {
				t.Errorf("the run was taken %d times", taken)
			}
			var p struct{ Payload sdkapi.WSErrorPayload }
			if err := json.Unmarshal(relayed[0].Payload, &p); err != nil || relayed[0].EventType != sdkapi.WSError || !strings.HasSuffix(p.Payload.Message, "a\x00b\a\U000e0001.pdf") {
				t.Errorf("relayed %+v, %v", relayed[0], err)
			}
		})
	}
}

// A worker whose heartbeats are refused ends with what a person can do, and sends no more; one that was too early or too much goes on.
func TestHeartbeatsThatAreRefused(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{400: "have the same version", 403: "check the keys", 404: "check the gateway's URL", 425: "", 429: "", 503: ""} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			beats := atomic.Int64{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				beats.Add(1)
				w.WriteHeader(status)
			}))
			defer server.Close()
			w, err := New(Options{URL: server.URL, Tools: agent.NewRegistry().View()})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ended := make(chan error, 1)
			go func() { ended <- w.Run(ctx) }()
			testkit.EventuallyWithin(t, 20*time.Second, "the worker ends, or beats again", func() (string, bool) {
				return fmt.Sprint(beats.Load()), len(ended) > 0 || beats.Load() > 1
			})
			stop()
			err = <-ended
			if refusal, ok := errors.AsType[*sdkapi.Error](err); want != "" && (!ok || refusal.Status != status || !strings.Contains(err.Error(), want) || beats.Load() != 1) || want == "" && err != nil {
				t.Errorf("after %d heartbeats: %v", beats.Load(), err)
			}
		})
	}
}

// While a stop waits for a connection that takes nothing, the worker's lock is free: hold needs it to end the calls of a run
// that another worker may own.
func TestStopOnAStuckConnection(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if conn, err := new(websocket.Upgrader).Upgrade(rw, r, nil); err == nil {
			_, _, _ = conn.ReadMessage() // until the worker closes it
			_ = conn.Close()
		}
	}))
	defer server.Close()
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	w, err := New(Options{URL: server.URL, Tools: agent.NewRegistry().View()})
	if err != nil {
		t.Fatal(err)
	}
	j := newJob(t.Context(), w, &sdkapi.AssignedRun{RunID: "run-1", LeaseEpoch: 1})
	w.job, j.socket = j, &socket{conn: conn}
	j.socket.mu.Lock() // as a write does that waits for the gateway
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.take(t.Context(), nil, &sdkapi.RunHeartbeatAnswer{ControlCommands: []sdkapi.RunCommand{{CommandID: "c1", RunID: "run-1", LeaseEpoch: 1, Action: sdkapi.RunStop}}}, time.Now())
	}()
	testkit.Eventually(t, "the run is being stopped", func() (string, bool) { return "not yet", j.isStopping() })
	if w.mu.TryLock() {
		w.mu.Unlock()
	} else {
		t.Error("the stop holds the worker's lock")
	}
	j.socket.close()
	j.socket.mu.Unlock()
	<-done
}

// The pause after the end of a run is for that run alone, and only under that lease.
func TestPauseAfterARun(t *testing.T) {
	t.Parallel()
	now := time.Now()
	w := &Worker{last: sdkapi.RunLease{RunID: "run-1", LeaseEpoch: 2}, ended: now}
	for name, tt := range map[string]struct {
		run   string
		epoch int64
		after time.Duration
		rests bool
	}{
		"at once":         {"run-1", 2, 0, true},
		"before the time": {"run-1", 2, restTime - 1, true},
		"after the time":  {"run-1", 2, restTime, false},
		"another lease":   {"run-1", 3, 0, false},
		"another run":     {"run-2", 2, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := w.rests(&sdkapi.AssignedRun{RunID: tt.run, LeaseEpoch: tt.epoch}, now.Add(tt.after)); got != tt.rests {
				t.Errorf("rests: %v", got)
			}
			w := &Worker{last: w.last, ended: w.ended, unheard: true} // the gateway refuses to hear that it has ended
			if got := w.rests(&sdkapi.AssignedRun{RunID: tt.run, LeaseEpoch: tt.epoch}, now.Add(tt.after)); got != (w.last == sdkapi.RunLease{RunID: tt.run, LeaseEpoch: tt.epoch}) {
				t.Errorf("rests with an end that is not heard: %v", got)
			}
		})
	}
}

// A request that the gateway refuses is made again where that can help, and is else an error that says what to do.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		400: "have the same version", 401: "check the keys", 403: "check the keys", 404: "check the gateway's URL", 409: "stop it", 413: "1 MiB", 415: "have the same version",
		422: "have the same version", 426: "WebSockets", 408: "", 425: "", 429: "", 500: "", 502: "", 503: "", 507: "",
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				j := &job{ctx: t.Context()}
				err := j.insist("to note it", func() error {
					if tries++; tries == 3 {
						return nil
					}
					return &sdkapi.Error{Status: status, Code: "SOME_CODE", Message: "why"}
				})
				if want == "" && (err != nil || tries != 3) || want != "" && (tries != 1 || !lasting(err) || !strings.Contains(err.Error(), "refuses to note it: SOME_CODE: why; ") || !strings.Contains(err.Error(), want)) {
					t.Errorf("%v after %d tries", err, tries)
				}
			})
		})
	}
}
