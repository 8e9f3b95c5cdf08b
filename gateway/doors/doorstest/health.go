package doorstest

import (
	"context"
	"database/sql"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/perception"
)

// FakeState is a database for tests. With the field Readiness, a test decides whether the database is ready. The
// field Asked counts the calls of Ready.
type FakeState struct {
	Asked     atomic.Int64
	Readiness func(context.Context) error
}

func (*FakeState) Name() string { return "SQLite" }

// Pools reports one pool with the name "read". It has at most 4 connections, of which 1 is idle.
func (*FakeState) Pools() map[string]sql.DBStats {
	return map[string]sql.DBStats{"read": {MaxOpenConnections: 4, Idle: 1}}
}

// Ready calls Readiness. The database is ready if Readiness is nil.
func (s *FakeState) Ready(ctx context.Context) error {
	s.Asked.Add(1)
	if s.Readiness == nil {
		return nil
	}
	return s.Readiness(ctx)
}

// Working returns the configuration of a gateway that is ready immediately.
func Working() gateway.App {
	return gateway.App{
		Store: new(storetest.Memory), Scenes: perception.NewScenes(NewSlowEngine(), perception.Options{}), State: new(FakeState),
	}
}

// ServeFor runs a gateway until the test calls stop. It then sends the result of Serve to the returned channel.
func ServeFor(t *testing.T, cfg gateway.App) (url string, stop func(), ended <-chan error) {
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

// Fresh requests a route on a new connection and returns the status.
func Fresh(t *testing.T, url string) (int, error) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: Patience}
	resp, err := client.Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}
