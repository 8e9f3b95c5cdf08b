// Package gatewaytest runs real gateways for tests: with a real socket, store and reader.
package gatewaytest

import (
	"bytes"
	"context"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/oauth"
	"github.com/windieos/windie/state/journal/sqljournal"
	"github.com/windieos/windie/state/once"
	"github.com/windieos/windie/state/responses"
	"github.com/windieos/windie/state/runs"
)

// Scenes returns the process's reader of screens, shared so that a test binary
// reads each picture once.
func Scenes(t testing.TB) *perception.Scenes {
	t.Helper()
	s := shared()
	if err := s.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

var shared = sync.OnceValue(func() *perception.Scenes {
	return perception.NewScenes(reader.New(reader.Config{Kernel: testkit.Kernel()}), perception.Options{})
})

// Identity returns users and installs, none yet, in a database that is there until the test ends.
func Identity(t testing.TB) *identity.Identity {
	t.Helper()
	return identity.Open(state(t))
}

// OAuth returns users, and what lets them connect MCP clients, in a database that is there until the
// test ends.
func OAuth(t testing.TB, cfg oauth.Config) (*identity.Identity, *oauth.Store) {
	t.Helper()
	db := state(t)
	ids := identity.Open(db)
	return ids, oauth.Open(db, ids, cfg)
}

// Once returns idempotency keys, none yet, in a database that is there until the test ends.
func Once(t testing.TB) *once.Keys {
	t.Helper()
	return once.Open(state(t), once.Options{})
}

// Responses returns a store of responses, none yet, in a database that is there until the test ends.
func Responses(t testing.TB) *responses.Store {
	t.Helper()
	return responses.Open(state(t), responses.Options{})
}

// Runs returns a control plane of runs, none yet, in a database that is there until the test ends.
func Runs(t testing.TB, opts runs.Options) *runs.Plane {
	t.Helper()
	db := state(t)
	log, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return runs.Open(db, log, opts)
}

// Audit returns a log of calls, none yet, which is closed when the test ends.
func Audit(t testing.TB) *audit.Log {
	t.Helper()
	log := audit.Open(state(t), audit.Options{})
	t.Cleanup(log.Close)
	return log
}

// Memory returns users' memories, none yet, in a folder that is there until the test ends.
func Memory(t testing.TB, opts memory.Options) *memory.Memory {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	m, err := memory.Open(state(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func state(t testing.TB) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// Store returns artifacts, none yet, in a folder that is there until the test
// ends. A hosted gateway's keeps them apart by users.
func Store(t testing.TB, hosted bool) artifacts.Store {
	t.Helper()
	store, err := dirstore.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if hosted {
		return owned.Open(store, state(t), owned.Options{})
	}
	return store
}

// Start runs a gateway until the test ends and returns its URL. By default it has a folder of its
// own, which a hosted gateway keeps apart by users, and the shared scenes.
func Start(t testing.TB, cfg gateway.App) string {
	t.Helper()
	return StartAt(t, func(string) gateway.App { return cfg })
}

// StartAt is Start for a gateway that knows its own URL, from which app makes it.
func StartAt(t testing.TB, app func(url string) gateway.App) string {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := app("http://" + ln.Addr().String())
	if cfg.Store == nil {
		cfg.Store = Store(t, cfg.Hosted)
	}
	if cfg.Scenes == nil {
		cfg.Scenes = shared()
	}
	if cfg.DrainTimeout == 0 {
		// Clients may have connected and sent nothing, as Go's do now and then:
		// fasthttp waits five seconds for those.
		cfg.DrainTimeout = 15 * time.Second
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- doors.New(cfg).Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections() // those which have sent nothing yet: the drain waits for them
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return "http://" + ln.Addr().String()
}

// Card is a small picture, as a PNG, whose text any reader reads: "Check out"
// once and "Add to cart" twice.
var Card = sync.OnceValue(func() []byte { return Screen("Check out", "Add to cart", "Add to cart") })

// Screen is a picture, as a PNG, that has lines of text one below the other.
func Screen(lines ...string) []byte {
	img := testkit.Canvas(360, 10+50*len(lines), color.White)
	for i, line := range lines {
		testkit.Pen{Em: 24}.Write(img, 20, 40+50*i, line)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err) // memory does not fail
	}
	return out.Bytes()
}
