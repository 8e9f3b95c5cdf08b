//go:build system

package mcptools_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// A server that says nothing is ended when its time is over, and when the
// gateway stops before that.
func TestMuteServersAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"mute": upstream("mute", `"timeout":"100ms"`)})
	s.until("a start", "mute", func(st mcptools.Status) bool { return st.State == mcptools.Starting })
	begun := time.Now()
	s.Close()
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("closing took %v", took)
	}
}

// A server that takes nothing off its input holds up neither a call nor the end.
func TestDeafServers(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"deaf": upstream("deaf", `"timeout":"2s"`)})
	s.until("a server", "deaf", ready)
	large := `{"text":"` + strings.Repeat("x", 900<<10) + `"}` // more than a pipe holds
	var calls sync.WaitGroup
	begun := time.Now()
	for range 3 {
		calls.Go(func() {
			_, err := s.invoke("deaf.echo", large)
			wantCode(t, err, sdkapi.Timeout, "deaf")
		})
	}
	calls.Wait()
	if took := time.Since(begun); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
	s.until("the end of a server that does not read", "deaf", broken)
}

// One that begins and then says nothing is ended like one that is mute.
func TestServersThatStopHalfway(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"half": upstream("half")})
	testkit.Throughout(t, 300*time.Millisecond, "the server is starting", func() (mcptools.Status, bool) { // by then it was asked, and stays silent
		st := s.status("half")
		return st, st.State == mcptools.Starting
	})
	begun := time.Now()
	s.Close()
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("closing took %v", took)
	}
}

func TestURLsThatNeverAnswer(t *testing.T) {
	t.Parallel()
	inner := handler(t, true)
	var hang atomic.Bool
	url := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hang.Load() {
			_, _ = io.Copy(io.Discard, r.Body) // until then nobody sees that the client leaves
			<-r.Context().Done()
			return
		}
		inner.ServeHTTP(w, r)
	})).URL
	s := serve(t, t.TempDir(), map[string]string{"up": at(url, `"timeout":0.3`)})
	s.until("a server", "up", ready)
	hang.Store(true)
	_, err := s.invoke("up.echo", `{"text":"x"}`)
	wantCode(t, err, sdkapi.Timeout, "did not answer within 300ms")
	begun := time.Now()
	s.Close()
	if took := time.Since(begun); took > 8*time.Second {
		t.Errorf("closing took %v", took)
	}
}
