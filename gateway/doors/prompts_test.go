package doors_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/pgtest"
	"github.com/windieos/windie/journal/journaltest"
	"github.com/windieos/windie/journal/sqljournal"
	"github.com/windieos/windie/sdkapi"
)

// withRisks adds a tool that is asked about before it is called, and one that
// is not.
func withRisks(t *testing.T, tools *agent.Registry) {
	t.Helper()
	input := json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`)
	for name, risk := range map[string]agent.Risk{"shell.exec": agent.Risky, "time.now": agent.Safe} {
		t.Run(name, func(t *testing.T) {
			err := tools.Register(agenttest.Tool{
				Described: agent.Descriptor{Name: name, Risk: risk, Input: input, Origin: agent.Origin{Kind: agent.Builtin}},
				Do: func(_ context.Context, c agent.Call) (agent.Result, error) {
					return agent.Result{Content: []agent.Part{agent.Text(name + " was given " + string(c.Arguments))}}, nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// prompting is a deployment for prompts: gateways over one database.
type prompting struct {
	dir  string // where shell.exec says that it was called
	urls []string
}

// deploy runs so many gateways over a database until the test ends.
func deploy(t *testing.T, config database.Config, n int, change ...func(*gateway.Config)) prompting {
	t.Helper()
	p := prompting{dir: t.TempDir()}
	for range n {
		db, err := database.Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		cfg, closeAll, err := promptGateway(db, p.dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			closeAll()
			_ = db.Close()
		})
		for _, change := range change {
			change(&cfg)
		}
		p.urls = append(p.urls, gatewaytest.Start(t, cfg))
	}
	return p
}

func alone(t *testing.T) prompting {
	t.Helper()
	return deploy(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")}, 1)
}

// patiently is alone for clients that hear each answer to its end, on connections that stay open.
func patiently(t *testing.T) prompting {
	t.Helper()
	return deploy(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")}, 1, func(cfg *gateway.Config) { cfg.ChatSettle = time.Millisecond })
}

// Whoever answers first decides, by whichever way, and the stream goes on.
func TestPromptApproval(t *testing.T) {
	t.Parallel()
	const plain, edited = `{"command":"ls"}`, `{"command":"ls -la"}`
	approve := `{"toolCallId":"call-1"}`
	for name, tt := range map[string]struct {
		cluster bool
		decide  func(t *testing.T, p prompting, l *listener, asked sdkapi.PromptApproval)
		want    string // that the tool was called with; empty: it was not called
	}{
		"by its route": {want: plain, decide: func(t *testing.T, p prompting, l *listener, _ sdkapi.PromptApproval) {
			if status := l.answer(p.urls[0], "approve", approve); status != http.StatusOK {
				t.Errorf("it is answered with %d", status)
			}
		}},
		"rejected": {decide: func(t *testing.T, p prompting, l *listener, _ sdkapi.PromptApproval) {
			if status := l.answer(p.urls[0], "reject", `{"toolCallId":"call-1","reason":"no"}`); status != http.StatusOK {
				t.Errorf("it is answered with %d", status)
			}
		}},
		"edited": {want: edited, decide: func(t *testing.T, p prompting, l *listener, _ sdkapi.PromptApproval) {
			if status := l.answer(p.urls[0], "approve", `{"toolCallId":"call-1","input":`+edited+`}`); status != http.StatusOK {
				t.Errorf("it is answered with %d", status)
			}
		}},
		"twice, and then otherwise": {want: plain, decide: func(t *testing.T, p prompting, l *listener, _ sdkapi.PromptApproval) {
			for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusConflict} {
				body := []string{approve, approve, `{"toolCallId":"call-1","input":` + edited + `}`}[i]
				if status := l.answer(p.urls[0], "approve", body); status != want {
					t.Errorf("the %d. answer got %d, want %d", i+1, status, want)
				}
			}
			if status := l.answer(p.urls[0], "reject", approve); status != http.StatusConflict {
				t.Errorf("a late no got %d", status)
			}
		}},
		"by a WebSocket": {want: plain, decide: func(t *testing.T, p prompting, _ *listener, asked sdkapi.PromptApproval) {
			dial(t, p.urls[0], hello).send(sdkapi.WSApprovalDecision, fmt.Sprintf(`{"request_id":%q,"approved":true}`, asked.DecisionID))
		}},
		"at another gateway": {cluster: true, want: plain, decide: func(t *testing.T, p prompting, l *listener, _ sdkapi.PromptApproval) {
			if status := l.answer(p.urls[1], "approve", approve); status != http.StatusOK {
				t.Errorf("it is answered with %d", status)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deployed := alone
			if tt.cluster {
				deployed = func(t *testing.T) prompting { return deploy(t, database.Config{URL: pgtest.Start(t)}, 2) }
			}
			p := deployed(t)
			l := prompted(t, p.urls[0], `{"input":"What is here?"}`)
			asked := l.asked(p.urls[0])
			tt.decide(t, p, l, asked)
			l.until(p.urls[0], sdkapi.EventPromptCompleted)
			var want []string
			if tt.want != "" {
				want = strings.Fields(tt.want)
			}
			if got := calls(t, p.dir); !slices.Equal(got, want) {
				t.Errorf("the tool was called with %v, want %v", got, want)
			}
		})
	}
}

// What nobody answers in time is denied, and a late answer is refused with that.
func TestPromptApprovalExpires(t *testing.T) {
	t.Parallel()
	script := agenttest.NewScript(agenttest.Calling("call-1", "shell_exec", `{}`), agenttest.Saying("Then not."))
	cfg := conversing(t, gatewaytest.Store(t, false), script, hasty{journaltest.NewMemory()})
	withRisks(t, cfg.Tools)
	url := gatewaytest.Start(t, cfg)
	l := prompted(t, url, `{"input":"What is here?"}`)
	l.asked(url)
	l.until(url, sdkapi.EventPromptCompleted)
	if status := l.answer(url, "approve", `{"toolCallId":"call-1"}`); status != http.StatusGone {
		t.Errorf("a late yes got %d", status)
	}
}

// serving names, to a child process, the folder of the gateway that it is, and
// servingOver the database, if that is not there.
const (
	serving     = "WINDIE_TEST_PROMPT_DIR"
	servingOver = "WINDIE_TEST_PROMPT_DB"
)

// beGateway serves prompts from a folder until it is killed, and prints its URL.
func beGateway(dir string) error {
	config := database.Config{File: filepath.Join(dir, "windie.db")}
	if over := os.Getenv(servingOver); over != "" {
		config = database.Config{URL: over}
	}
	db, err := database.Open(context.Background(), config)
	if err != nil {
		return err
	}
	log, err := sqljournal.Open(db, sqljournal.Options{Reclaim: true}) // as the product does, or the turns of one that died would wait for its leases
	if err != nil {
		return err
	}
	_ = log.Close()
	cfg, _, err := promptGateway(db, dir, 2*time.Second)
	if err != nil {
		return err
	}
	go cfg.Sessions.Run(context.Background())
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + ln.Addr().String())
	return doors.New(cfg).Serve(context.Background(), ln)
}

// spawn runs such a gateway, and returns its URL and what kills it.
func spawn(t *testing.T, dir string, env ...string) (url string, kill func()) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(append(os.Environ(), serving+"="+dir), env...)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	})
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), kill
}

// A prompt waits for its approval through the gateway's death, and through
// another one behind that.
func TestPromptApprovalOutlivesTheGateway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url, kill := spawn(t, dir)
	l := prompted(t, url, `{"input":"What is here?"}`)
	l.asked(url)
	kill()
	url, kill = spawn(t, dir)
	if status := l.answer(url, "approve", `{"toolCallId":"call-1"}`); status != http.StatusOK {
		t.Fatalf("the answer got %d", status)
	}
	kill() // it may have called the tool, or not
	url, _ = spawn(t, dir)
	l.until(url, sdkapi.EventPromptCompleted)
	if got := calls(t, dir); len(got) > 1 {
		t.Errorf("the tool was called with %v", got)
	}
	again := &listener{t: t, prompt: l.prompt, heard: []event{{id: ""}}}
	again.on(url, func(event) bool { return true })
	if got := again.heard[1:]; !slices.Equal(unmarked(got), unmarked(l.heard)) {
		t.Errorf("heard on three gateways\n%v, and at last\n%v", l.heard, got)
	}
}

// However often a stream breaks, every event is heard once.
func TestPromptStreamBreaks(t *testing.T) {
	t.Parallel()
	const wanted = 1000
	p := alone(t)
	var breaks atomic.Int64
	var all sync.WaitGroup
	for n := range 10 {
		all.Go(func() {
			chance := rand.New(rand.NewPCG(uint64(n), 1))
			for breaks.Load() < wanted {
				l := prompted(t, p.urls[0], `{"input":"What is here?","deltas":true}`)
				l.asked(p.urls[0])
				l.answer(p.urls[0], "approve", `{"toolCallId":"call-1"}`)
				for l.last().kind != sdkapi.EventPromptCompleted {
					left := chance.IntN(2)
					l.on(p.urls[0], func(event) bool { left--; return left >= 0 })
					breaks.Add(1)
				}
				whole := &listener{t: t, prompt: l.prompt, heard: []event{{}}}
				whole.on(p.urls[0], func(event) bool { return true })
				if !slices.Equal(unmarked(whole.heard[1:]), unmarked(l.heard)) {
					t.Errorf("in pieces\n%v, and whole\n%v", l.heard, whole.heard[1:])
				}
			}
		})
	}
	all.Wait()
}

// A prompt says what it waits for also to a client that does not listen.
func TestPromptIsKnown(t *testing.T) {
	t.Parallel()
	p := alone(t)
	l := prompted(t, p.urls[0], `{"input":"What is here?"}`)
	asked := l.asked(p.urls[0])
	var known sdkapi.Prompt
	_, body := ask(t, http.MethodGet, p.urls[0]+sdkapi.PromptsPath+"/"+l.prompt, "ada", nil)
	if err := json.Unmarshal([]byte(body), &known); err != nil || known.Status != sdkapi.PromptWaiting || len(known.Approvals) != 1 ||
		known.Approvals[0].DecisionID != asked.DecisionID {
		t.Errorf("it is %s, %v", body, err)
	}
}

// A stream ends when its server is told to stop, soon and without a last event,
// and nothing of it is left.
func TestStreamEndsWithTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	cfg, closeAll, err := promptGateway(db, dir, 0)
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
	l := prompted(t, url, `{"input":"What is here?"}`)
	l.on(url, func(e event) bool {
		if e.kind == sdkapi.EventPromptApproval {
			stop()
		}
		return true
	})
	if l.last().kind != sdkapi.EventPromptApproval {
		t.Errorf("the last event is %v", l.last())
	}
	if err := <-ended; err != nil {
		t.Errorf("the server did not end well: %v", err)
	}
}
