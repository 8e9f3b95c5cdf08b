//go:build system

package stops_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// killsOfRuns is how often TestRunsOutliveGateways kills a gateway; it has four runs for each, and as many workers.
func killsOfRuns(t *testing.T) int {
	t.Helper()
	text := os.Getenv("WINDIE_RUNS_KILLS")
	if text == "" {
		return 6
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Gateways are killed at random while many workers carry out runs that dashboards control: each run ends, nothing that
// a worker relays is lost or there twice, and no command is carried out twice.
func TestRunsOutliveGateways(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		newRunsCrash(t, 1).play()
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		newRunsCrash(t, 2, "WINDIE_DATABASE_URL="+pgtest.Start(t)).play()
	})
}

// runsCrash is the test on some gateways.
type runsCrash struct {
	t        *testing.T
	gateways []*rig.Gateway
	clients  []*sdk.Client
	start    []func() *rig.Gateway

	mu      sync.Mutex
	applied map[string]int // by command, how often a worker carried it out
	issued  int
	relays  atomic.Int64
	pause   time.Duration // between two events of a run, at most
}

func newRunsCrash(t *testing.T, gateways int, variables ...string) *runsCrash {
	t.Helper()
	c := &runsCrash{t: t, applied: map[string]int{}}
	for range gateways {
		ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listen := ln.Addr().String()
		_ = ln.Close() // it is free for the gateway, again and again
		with := append(slices.Clone(variables), "WINDIE_DATA_DIR="+t.TempDir(), "WINDIE_LISTEN="+listen, "WINDIE_RUNS_API_KEY="+rig.RunsKey, "WINDIE_RUNS_LEASE=3s",
			"WINDIE_VM_MAX_ACTIVE_RUNS_PER_WORKSPACE=1000")
		c.start = append(c.start, func() *rig.Gateway { return rig.Start(t, nil, with...) })
		c.gateways = append(c.gateways, c.start[len(c.start)-1]())
		client, err := sdk.New("http://"+listen, sdk.WithRunsKey(rig.RunsKey), sdk.WithRetries(0))
		if err != nil {
			t.Fatal(err)
		}
		c.clients = append(c.clients, client)
	}
	return c
}

// any returns a client of one of the gateways, which may be dead.
func (c *runsCrash) any() *sdk.Client { return c.clients[rand.N(len(c.clients))] }

// insist repeats something until a gateway answers. It returns refusals.
func (c *runsCrash) insist(ctx context.Context, do func(ctx context.Context, client *sdk.Client) error) error {
	for {
		err := func() error {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			return do(ctx, c.any())
		}()
		var refused *sdkapi.Error
		if err == nil || ctx.Err() != nil || errors.As(err, &refused) && refused.Status/100 == 4 {
			return err
		}
		_ = background.Sleep(ctx, time.Duration(10+rand.N(40))*time.Millisecond)
	}
}

func (c *runsCrash) play() {
	kills := killsOfRuns(c.t)
	c.pause = time.Duration(kills) * 25 * time.Millisecond // so that runs last as long as gateways are killed
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute+time.Duration(kills)*5*time.Second)
	defer cancel()
	var ids []string
	for i := range 4 * kills {
		key := fmt.Sprint("run ", i) // so that one that was made before a crash is not made twice
		err := c.insist(ctx, func(ctx context.Context, client *sdk.Client) error {
			answer, err := client.Runs.Create(sdk.Once(ctx, key), sdkapi.RunRequest{WorkspaceID: "home", AgentID: "clerk", Query: key, Queue: true})
			if err == nil {
				ids = append(ids, answer.Run.RunID)
			}
			return err
		})
		if err != nil {
			c.t.Fatal(err)
		}
	}
	working, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	for i := range kills {
		all.Go(func() { c.work(working, fmt.Sprint("worker-", i)) })
	}
	all.Go(func() { c.command(working, ids) })
	for range kills {
		_ = background.Sleep(ctx, time.Duration(300+rand.N(500))*time.Millisecond)
		i := rand.N(len(c.gateways))
		c.gateways[i].Signal(syscall.SIGKILL)
		c.gateways[i] = c.start[i]()
	}
	c.awaitEnd(ctx, ids)
	stop()
	all.Wait()
	c.check(ids)
}

// work is a worker, which is started again now and then.
func (c *runsCrash) work(ctx context.Context, id string) {
	for ctx.Err() == nil {
		life, end := context.WithTimeout(ctx, time.Duration(5+rand.N(40))*time.Second)
		c.live(ctx, life, id)
		end()
	}
}

// live is a worker until life ends: it relays ten events of each run, and carries out commands.
func (c *runsCrash) live(ctx, life context.Context, id string) {
	session, known, acks := fmt.Sprint(id, " ", rand.Int()), map[string]bool{}, []string{}
	var runs sync.WaitGroup
	defer runs.Wait()
	for life.Err() == nil {
		var answer *sdkapi.RunHeartbeatAnswer
		err := c.insist(ctx, func(ctx context.Context, client *sdk.Client) (err error) {
			answer, err = client.Runs.Heartbeat(ctx, sdkapi.RunHeartbeat{WorkspaceID: "home", WorkerID: id, SessionID: session, Status: "ready", Acknowledged: acks})
			return err
		})
		if err != nil {
			if ctx.Err() == nil {
				c.t.Errorf("%s: %v", id, err)
			}
			return
		}
		acks = acks[:0]
		for _, command := range answer.ControlCommands {
			if acks = append(acks, command.CommandID); !known[command.CommandID] {
				known[command.CommandID] = true
				c.mu.Lock()
				c.applied[command.CommandID]++
				c.mu.Unlock()
			}
		}
		if got := answer.AssignedRun; got != nil {
			runs.Go(func() { c.carryOut(life, id, got) })
		}
		_ = background.Sleep(ctx, time.Duration(50+rand.N(200))*time.Millisecond)
	}
}

// carryOut carries out a run, if nobody else does already. It does not know of commands, but of its end.
func (c *runsCrash) carryOut(ctx context.Context, id string, got *sdkapi.AssignedRun) {
	turn := fmt.Sprint(got.RunID, " ", got.LeaseEpoch)
	err := c.insist(ctx, func(ctx context.Context, client *sdk.Client) error {
		run, err := client.Runs.Dispatched(ctx, got.RunID, sdkapi.RunDispatch{WorkerID: id, TurnRef: turn, LeaseEpoch: got.LeaseEpoch})
		if err == nil && run.TurnRef != turn {
			c.t.Errorf("the turn of %s is %s", turn, run.TurnRef)
		}
		return err
	})
	for n := int64(1); n <= 10 && err == nil; n++ {
		kind := sdkapi.WSToolOutput
		if n == 10 {
			kind = sdkapi.WSStreamingComplete
		}
		err = c.insist(ctx, func(ctx context.Context, client *sdk.Client) error {
			_, err := client.Runs.Relay(ctx, got.RunID, sdkapi.RunRelay{
				EventType: kind, Payload: fmt.Appendf(nil, `{"epoch":%d,"n":%d}`, got.LeaseEpoch, n), WorkerID: id, LeaseEpoch: got.LeaseEpoch, WorkerSeq: n,
			})
			return err
		})
		c.relays.Add(1)
		_ = background.Sleep(ctx, rand.N(c.pause)+time.Millisecond)
	}
}

// command pauses, resumes and stops runs at random.
func (c *runsCrash) command(ctx context.Context, ids []string) {
	for ctx.Err() == nil {
		id, action := ids[rand.N(len(ids))], []string{sdkapi.RunPause, sdkapi.RunResume, sdkapi.RunResume, sdkapi.RunStop}[rand.N(4)]
		if action == sdkapi.RunStop && rand.N(5) > 0 {
			continue
		}
		_ = c.insist(ctx, func(ctx context.Context, client *sdk.Client) error {
			done, err := client.Runs.Control(ctx, id, sdkapi.RunControlRequest{Action: action})
			if err == nil && done.Command != nil {
				c.issued++
			}
			return err
		})
		_ = background.Sleep(ctx, 20*time.Millisecond)
	}
}

// awaitEnd waits until all runs have ended. Those that are paused it resumes.
func (c *runsCrash) awaitEnd(ctx context.Context, ids []string) {
	for _, id := range ids {
		for over := false; !over; {
			err := c.insist(ctx, func(ctx context.Context, client *sdk.Client) error {
				run, err := client.Runs.Get(ctx, id)
				if err == nil && run.Status == sdkapi.RunPaused {
					_, _ = client.Runs.Control(ctx, id, sdkapi.RunControlRequest{Action: sdkapi.RunResume})
				}
				over = err == nil && run.Over()
				return err
			})
			if err != nil {
				c.t.Fatalf("%s does not end: %v", id, err)
			}
			_ = background.Sleep(ctx, 20*time.Millisecond)
		}
	}
}

// check looks at the timeline of each run.
func (c *runsCrash) check(ids []string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.t.Context()), time.Minute)
	defer cancel()
	for id, n := range c.applied {
		if n != 1 {
			c.t.Errorf("the command %s is carried out %d times", id, n)
		}
	}
	statuses, lost := map[string]int{}, 0
	for _, id := range ids {
		page, err := c.any().Runs.Events(ctx, id, 0, 1000)
		if err != nil {
			c.t.Fatal(err)
		}
		kinds, relayed, applied := map[string]int{}, map[int64]int64{}, map[string]int{}
		for i, e := range page.Events {
			var p struct {
				Epoch, N  int64
				Status    string
				CommandID string `json:"command_id"`
			}
			_ = json.Unmarshal(e.Payload, &p)
			switch kinds[e.EventType]++; {
			case e.Seq != int64(i+1):
				c.t.Errorf("%s: event %d is number %d", id, i+1, e.Seq)
			case p.N != 0 && p.N != relayed[p.Epoch]+1:
				c.t.Errorf("%s: of epoch %d event %d comes after %d", id, p.Epoch, p.N, relayed[p.Epoch])
			case p.N != 0:
				relayed[p.Epoch] = p.N
			case e.EventType == sdkapi.RunEnded:
				statuses[p.Status]++
			case e.EventType == sdkapi.RunControlApplied:
				if applied[p.CommandID]++; applied[p.CommandID] > 1 {
					c.t.Errorf("%s: the command %s is acknowledged twice", id, p.CommandID)
				}
			}
		}
		if lost += kinds[sdkapi.RunWorkerLost]; kinds[sdkapi.RunEnded] != 1 {
			c.t.Errorf("%s ended %d times", id, kinds[sdkapi.RunEnded])
		}
	}
	c.t.Logf("%d runs ended as %v; %d events relayed, %d commands of %d carried out, %d workers lost", len(ids), statuses, c.relays.Load(), len(c.applied), c.issued, lost)
}
