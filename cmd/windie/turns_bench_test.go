//go:build system

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/sdkapi"
)

// turnTime is how long an answer takes.
const turnTime = 15 // seconds

// BenchmarkStreamingTurns has a model speak to 500 clients at once, faster and
// faster, and reports how long a piece takes from when the model says it until
// its client has it, of those said while all 500 were being spoken to. The
// model and the gateway share a process; the clients are in this one, on the
// same cores.
func BenchmarkStreamingTurns(b *testing.B) {
	for _, each := range []int{2, 5, 10, 20} {
		b.Run(fmt.Sprintf("turns=500/pieces=%d-per-s", 500*each), func(b *testing.B) {
			h := host(b, turnTime*each, each)
			list := h.guests(b, openFiles(b, 500))
			took := h.talk(b, list, each)
			took.report(b, "")
		})
	}
}

// heard is what one guest got of an answer.
type heard struct {
	said, late []time.Duration // of each piece: when, since 1970, and how long it took
	problems   []string
}

// answer asks for an answer, and hears it to its end.
func (g *guest) answer(ref string, pieces int) (h heard) {
	_ = g.conn.SetReadDeadline(time.Now().Add(10 * time.Minute))
	if err := g.send(sdkapi.WSQuery, fmt.Sprintf(`{"text":"Talk.","conversation_ref":%q}`, ref)); err != nil {
		h.problems = append(h.problems, err.Error())
		return h
	}
	for {
		_, message, err := g.conn.ReadMessage()
		now := time.Duration(time.Now().UnixNano())
		switch {
		case err != nil:
			h.problems = append(h.problems, err.Error())
			return h
		case bytes.Contains(message, []byte(`"type":"streaming-response"`)):
			for _, piece := range bytes.Split(message, []byte("@"))[1:] {
				digits, _, _ := bytes.Cut(piece, []byte(" "))
				at, err := strconv.ParseInt(string(digits), 10, 64)
				if err != nil {
					h.problems = append(h.problems, string(message))
				}
				h.said, h.late = append(h.said, time.Duration(at)), append(h.late, now-time.Duration(at))
			}
		case bytes.Contains(message, []byte(`"type":"error"`)):
			h.problems = append(h.problems, string(message))
		case bytes.Contains(message, []byte(`"type":"streaming-complete"`)):
			if len(h.said) != pieces {
				h.problems = append(h.problems, fmt.Sprintf("%d pieces came of %d", len(h.said), pieces))
			}
			return h
		}
	}
}

// lateness is what came of many answers at once.
type lateness struct {
	late     []time.Duration // sorted
	problems []string
	gateway  time.Duration // that the gateway computed
	tool     time.Duration // that this process did
	pieces   int           // of all answers
}

// turnSpread is the time over which the beginnings of turns are spread, so that
// they are no flood.
const turnSpread = 5 * time.Second

// talk has all guests ask.
func (h *hosted) talk(b *testing.B, list []*guest, each int) *lateness {
	b.Helper()
	all := make([]heard, len(list))
	gateway, tool := cpu(b, h.pid), cpu(b, os.Getpid())
	var wg sync.WaitGroup
	var asked atomic.Int64
	for i, g := range list {
		wg.Go(func() {
			time.Sleep(rand.N(turnSpread))
			all[i] = g.answer(fmt.Sprint("c", asked.Add(1)), turnTime*each)
		})
	}
	wg.Wait()
	l := &lateness{gateway: cpu(b, h.pid) - gateway, tool: cpu(b, os.Getpid()) - tool}
	l.gather(all)
	return l
}

// together returns from when until when all were spoken to.
func together(all []heard) (from, to time.Duration) {
	to = 1<<63 - 1
	for _, one := range all {
		if len(one.said) > 0 {
			from, to = max(from, one.said[0]), min(to, one.said[len(one.said)-1])
		}
	}
	return from, to
}

// at returns the lateness that a part of the pieces does not exceed, in ms.
func (l *lateness) at(part float64) float64 {
	if len(l.late) == 0 {
		return 0
	}
	return float64(l.late[int(part*float64(len(l.late)-1))].Microseconds()) / 1000
}

// report reports the figures, each unit with a suffix.
func (l *lateness) report(b *testing.B, suffix string) {
	b.Helper()
	b.ReportMetric(l.at(0.5), "median-ms"+suffix)
	b.ReportMetric(l.at(0.95), "p95-ms"+suffix)
	b.ReportMetric(l.at(0.99), "p99-ms"+suffix)
	b.ReportMetric(float64(l.gateway.Microseconds())/float64(l.pieces), "gateway-us/piece"+suffix)
	b.ReportMetric(float64(l.tool.Microseconds())/float64(l.pieces), "client-us/piece"+suffix)
	b.ReportMetric(float64(len(l.problems)), "errors"+suffix)
	b.ReportMetric(0, "ns/op")
	if len(l.problems) > 0 {
		b.Errorf("%d errors, such as %s", len(l.problems), strings.Join(l.problems[:min(3, len(l.problems))], "; "))
	}
}

// BenchmarkStalledReader has a model speak to 100 clients, to them alone and
// beside one that asks for much and reads nothing, three times by turns, since
// a disk has moods. It reports how much later the others get what is said, as the
// median of three ratios, how much more memory the gateway takes at last, and
// after how many seconds it closes that one.
func BenchmarkStalledReader(b *testing.B) {
	const each, rounds = 10, 3
	h := host(b, turnTime*each, each)
	list := h.guests(b, 100)
	hoarder := h.hoard(b)
	_ = h.talk(b, list, each) // the first time is not like the others
	rss := h.resident(b)
	var alone, beside *lateness
	var medians, p99s []float64
	var took time.Duration
	for range rounds {
		alone = h.talk(b, list, each)
		closed := hoarder.stall(b)
		beside = h.talk(b, list, each)
		took = <-closed
		medians = append(medians, beside.at(0.5)/alone.at(0.5))
		p99s = append(p99s, beside.at(0.99)/alone.at(0.99))
	}
	alone.report(b, "-alone")
	beside.report(b, "-beside")
	slices.Sort(medians)
	slices.Sort(p99s)
	b.ReportMetric(medians[rounds/2], "median-times")
	b.ReportMetric(p99s[rounds/2], "p99-times")
	b.ReportMetric((h.resident(b)-rss)/(1<<20), "MB-more")
	b.ReportMetric(took.Seconds(), "s-until-closed")
}

// much is how many conversations of 0.9 MB the client has that stalls: more than
// the system keeps for a connection.
const much = 16

// hoard returns a client that has had such conversations.
func (h *hosted) hoard(b *testing.B) *guest {
	b.Helper()
	g := h.guests(b, 1)[0]
	for n := range much {
		if err := g.send(sdkapi.WSQuery, fmt.Sprintf(`{"text":%q,"conversation_ref":"s%d"}`, strings.Repeat("whatever ", 100_000), n)); err != nil {
			b.Fatal(err)
		}
	}
	for done := 0; done < much; {
		_, message, err := g.conn.ReadMessage()
		if err != nil {
			b.Fatal(err)
		}
		if bytes.Contains(message, []byte(`"type":"streaming-complete"`)) {
			done++
		}
	}
	return g
}

// stall connects a client once more, which asks for all of its conversations
// and reads nothing. It reports after how long the gateway closed the connection.
func (g *guest) stall(b *testing.B) <-chan time.Duration {
	b.Helper()
	_ = g.conn.Close()
	err := g.connect()
	if err == nil {
		err = g.conn.NetConn().(*net.TCPConn).SetReadBuffer(4 << 10)
	}
	if err != nil {
		b.Fatal(err)
	}
	closed := make(chan time.Duration, 1)
	go func() {
		began := time.Now()
		var err error
		for n := 0; n < much && err == nil; n++ {
			err = g.send(sdkapi.WSResume, fmt.Sprintf(`{"conversation_ref":"s%d","seq":0}`, n))
		}
		for err == nil {
			time.Sleep(100 * time.Millisecond)
			err = g.conn.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second))
		}
		closed <- time.Since(began)
	}()
	return closed
}
