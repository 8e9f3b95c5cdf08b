//go:build system

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// BenchmarkPromptStreams has a model speak to 200 programs at once, each of
// which hears it as server-sent events, and reports how long a piece takes from
// when the model says it until its program has it. The programs are in this
// process, on the same cores, and read as the Go client does.
func BenchmarkPromptStreams(b *testing.B) {
	for _, each := range []int{2, 5, 10} {
		b.Run(fmt.Sprintf("streams=200/pieces=%d-per-s", 200*each), func(b *testing.B) {
			h := host(b, turnTime*each, each)
			clients := h.programs(b, 200)
			all := make([]heard, len(clients))
			l := &lateness{gateway: -cpu(b, h.pid), tool: -cpu(b, os.Getpid())}
			var wg sync.WaitGroup
			for i, c := range clients {
				wg.Go(func() {
					time.Sleep(rand.N(turnSpread))
					all[i] = prompted(b, c, turnTime*each)
				})
			}
			wg.Wait()
			l.gateway, l.tool = l.gateway+cpu(b, h.pid), l.tool+cpu(b, os.Getpid())
			l.gather(all)
			l.report(b, "")
		})
	}
}

// programs registers so many users, and returns a client for each.
func (h *hosted) programs(b *testing.B, n int) []*sdk.Client {
	b.Helper()
	anybody, err := sdk.New(h.url)
	if err != nil {
		b.Fatal(err)
	}
	list := make([]*sdk.Client, n)
	inLimits(n, guestsAtOnce, func(i int) {
		install, err := anybody.Install.Register(b.Context(), "Linux")
		if err == nil {
			list[i], err = sdk.New(h.url, sdk.WithToken(install.InstallToken), sdk.WithUser(install.UserID))
		}
		if err != nil {
			b.Error(err)
		}
	})
	if b.Failed() {
		b.FailNow()
	}
	return list
}

// prompted asks for an answer, and hears it to its end.
func prompted(b *testing.B, c *sdk.Client, pieces int) (h heard) {
	b.Helper()
	for e, err := range c.Prompts.Start(b.Context(), sdkapi.PromptStart{Input: "Talk.", Deltas: true}) {
		now := time.Duration(time.Now().UnixNano())
		switch {
		case err != nil:
			h.problems = append(h.problems, err.Error())
		case e.Failed != nil:
			h.problems = append(h.problems, e.Failed.Message)
		case e.Delta != nil:
			for _, piece := range strings.Split(e.Delta.Text, "@")[1:] {
				digits, _, _ := strings.Cut(piece, " ")
				at, err := strconv.ParseInt(digits, 10, 64)
				if err != nil {
					h.problems = append(h.problems, e.Delta.Text)
				}
				h.said, h.late = append(h.said, time.Duration(at)), append(h.late, now-time.Duration(at))
			}
		}
	}
	if len(h.said) != pieces {
		h.problems = append(h.problems, fmt.Sprintf("%d pieces came of %d", len(h.said), pieces))
	}
	return h
}

// gather adds what was heard while all were being spoken to.
func (l *lateness) gather(all []heard) {
	from, to := together(all)
	for _, one := range all {
		l.problems = append(l.problems, one.problems...)
		l.pieces += len(one.said)
		for i, at := range one.said {
			if at >= from && at <= to {
				l.late = append(l.late, one.late[i])
			}
		}
	}
	slices.Sort(l.late)
}
