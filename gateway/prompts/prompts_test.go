package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// TestPromptApproval checks that the first answer decides, through any route, and that the stream
// continues.
func TestPromptApproval(t *testing.T) {
	t.Parallel()
	const plain, edited = `{"command":"ls"}`, `{"command":"ls -la"}`
	approve := `{"toolCallId":"call-1"}`
	for name, tt := range map[string]struct {
		cluster bool
		decide  func(t *testing.T, p doorstest.Prompting, l *doorstest.Listener, asked sdkapi.PromptApproval)
		want    string // that the tool was called with; empty: it was not called
	}{
		"by its route": {want: plain, decide: func(t *testing.T, p doorstest.Prompting, l *doorstest.Listener, _ sdkapi.PromptApproval) {
			if status := l.Answer(p.Urls[0], "approve", approve); status != http.StatusOK {
				t.Errorf("it is answered with %d", status)
			}
		}},
		"rejected": {decide: func(t *testing.T, p doorstest.Prompting, l *doorstest.Listener, _ sdkapi.PromptApproval) {
			if status := l.Answer(p.Urls[0], "reject", `{"toolCallId":"call-1","reason":"no"}`); status != http.StatusOK {
				t.Errorf("it is answered with %d", status)
			}
		}},
		"edited": {want: edited, decide: func(t *testing.T, p doorstest.Prompting, l *doorstest.Listener, _ sdkapi.PromptApproval) {
			if status := l.Answer(p.Urls[0], "approve", `{"toolCallId":"call-1","input":`+edited+`}`); status != http.StatusOK {
				t.Errorf("it is answered with %d", status)
			}
		}},
		"twice, and then otherwise": {want: plain, decide: func(t *testing.T, p doorstest.Prompting, l *doorstest.Listener, _ sdkapi.PromptApproval) {
			for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusConflict} {
				body := []string{approve, approve, `{"toolCallId":"call-1","input":` + edited + `}`}[i]
				if status := l.Answer(p.Urls[0], "approve", body); status != want {
					t.Errorf("the %d. answer got %d, want %d", i+1, status, want)
				}
			}
			if status := l.Answer(p.Urls[0], "reject", approve); status != http.StatusConflict {
				t.Errorf("a late no got %d", status)
			}
		}},
		"by a WebSocket": {want: plain, decide: func(t *testing.T, p doorstest.Prompting, _ *doorstest.Listener, asked sdkapi.PromptApproval) {
			doorstest.Dial(t, p.Urls[0], doorstest.Hello).Send(sdkapi.WSApprovalDecision, fmt.Sprintf(`{"request_id":%q,"approved":true}`, asked.DecisionID))
		}},
		"at another gateway": {cluster: true, want: plain, decide: func(t *testing.T, p doorstest.Prompting, l *doorstest.Listener, _ sdkapi.PromptApproval) {
			if status := l.Answer(p.Urls[1], "approve", approve); status != http.StatusOK {
				t.Errorf("it is answered with %d", status)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deployed := doorstest.Alone
			if tt.cluster {
				deployed = func(t *testing.T) doorstest.Prompting {
					return doorstest.Deploy(t, database.Config{URL: pgtest.Start(t)}, 2)
				}
			}
			p := deployed(t)
			l := doorstest.Prompted(t, p.Urls[0], `{"input":"What is here?"}`)
			asked := l.Asked(p.Urls[0])
			tt.decide(t, p, l, asked)
			l.Until(p.Urls[0], sdkapi.EventPromptCompleted)
			var want []string
			if tt.want != "" {
				want = strings.Fields(tt.want)
			}
			if got := doorstest.Calls(t, p.Dir); !slices.Equal(got, want) {
				t.Errorf("the tool was called with %v, want %v", got, want)
			}
		})
	}
}

// TestPromptApprovalExpires checks that an approval request without an answer is denied when it
// expires. A late answer must fail with the reason.
func TestPromptApprovalExpires(t *testing.T) {
	t.Parallel()
	script := agenttest.NewScript(agenttest.Calling("call-1", "shell_exec", `{}`), agenttest.Saying("Then not."))
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), script, doorstest.Hasty{Journal: journaltest.NewMemory()})
	doorstest.WithRisks(t, cfg.Tools)
	url := gatewaytest.Start(t, cfg)
	l := doorstest.Prompted(t, url, `{"input":"What is here?"}`)
	l.Asked(url)
	l.Until(url, sdkapi.EventPromptCompleted)
	if status := l.Answer(url, "approve", `{"toolCallId":"call-1"}`); status != http.StatusGone {
		t.Errorf("a late yes got %d", status)
	}
}

// TestPromptStreamBreaks checks that a client gets every event once, although the stream breaks
// often.
func TestPromptStreamBreaks(t *testing.T) {
	t.Parallel()
	const wanted = 1000
	p := doorstest.Alone(t)
	var breaks atomic.Int64
	var all sync.WaitGroup
	for n := range 10 {
		all.Go(func() {
			chance := rand.New(rand.NewPCG(uint64(n), 1))
			for breaks.Load() < wanted {
				l := doorstest.Prompted(t, p.Urls[0], `{"input":"What is here?","deltas":true}`)
				l.Asked(p.Urls[0])
				l.Answer(p.Urls[0], "approve", `{"toolCallId":"call-1"}`)
				for l.Last().Kind != sdkapi.EventPromptCompleted {
					left := chance.IntN(2)
					l.On(p.Urls[0], func(doorstest.Event) bool { left--; return left >= 0 })
					breaks.Add(1)
				}
				whole := &doorstest.Listener{T: t, Prompt: l.Prompt, Heard: []doorstest.Event{{}}}
				whole.On(p.Urls[0], func(doorstest.Event) bool { return true })
				if !slices.Equal(doorstest.Unmarked(whole.Heard[1:]), doorstest.Unmarked(l.Heard)) {
					t.Errorf("in pieces\n%v, and whole\n%v", l.Heard, whole.Heard[1:])
				}
			}
		})
	}
	all.Wait()
}

// TestPromptIsKnown checks that a client without a stream can read the open approvals of a prompt.
func TestPromptIsKnown(t *testing.T) {
	t.Parallel()
	p := doorstest.Alone(t)
	l := doorstest.Prompted(t, p.Urls[0], `{"input":"What is here?"}`)
	asked := l.Asked(p.Urls[0])
	var known sdkapi.Prompt
	_, body := doorstest.Ask(t, http.MethodGet, p.Urls[0]+sdkapi.PromptsPath+"/"+l.Prompt, "ada", nil)
	if err := json.Unmarshal([]byte(body), &known); err != nil || known.Status != sdkapi.PromptWaiting || len(known.Approvals) != 1 ||
		known.Approvals[0].DecisionID != asked.DecisionID {
		t.Errorf("it is %s, %v", body, err)
	}
}

// TestStreamEndsWithTheServer checks that a stream ends soon after its server must stop, without a
// last event, and that no goroutine is left.
func TestStreamEndsWithTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	cfg, closeAll, err := doorstest.PromptGateway(db, dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- doors.New(cfg).Serve(ctx, ln) }()
	url := "http://" + ln.Addr().String()
	l := doorstest.Prompted(t, url, `{"input":"What is here?"}`)
	l.On(url, func(e doorstest.Event) bool {
		if e.Kind == sdkapi.EventPromptApproval {
			stop()
		}
		return true
	})
	if l.Last().Kind != sdkapi.EventPromptApproval {
		t.Errorf("the last event is %v", l.Last())
	}
	if err := <-ended; err != nil {
		t.Errorf("the server did not end well: %v", err)
	}
}
