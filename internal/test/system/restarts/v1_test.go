//go:build system

package restarts_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/pgtest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// waitingSessions are those of a test that wait for their client's tools.
const waitingSessions = 200

// Sessions that wait for tools outlive the gateway, and end as they would have.
func TestV1OutlivesTheGateway(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]func(t *testing.T) string{
		"SQLite":     func(*testing.T) string { return "" },
		"PostgreSQL": func(t *testing.T) string { return pgtest.Start(t) },
	} {
		sessions := waitingSessions
		if name == "PostgreSQL" {
			sessions /= 5
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, env := t.TempDir(), servingOver+"="+over(t)
			url, kill := spawn(t, dir, env)
			desktops := make([]*doorstest.DeskClient, sessions)
			each := func(do func(n int)) {
				var all sync.WaitGroup
				slots := make(chan struct{}, 16)
				for n := range desktops {
					all.Go(func() {
						slots <- struct{}{}
						defer func() { <-slots }()
						do(n)
					})
				}
				all.Wait()
			}
			each(func(n int) {
				d := doorstest.Begun(t, doorstest.AddrOf(url))
				d.Pauses, d.Late, d.Resume = []string{"call-1", "call-3"}[n%2], n/2%2 == 0, n/4%2 == 0
				d.Listen(false)
				desktops[n] = d
			})
			kill()
			began := time.Now()
			url, _ = spawn(t, dir, env)
			each(func(n int) {
				d := desktops[n]
				d.Addr, d.Pauses = doorstest.AddrOf(url), ""
				for again := true; d.Final == "" && d.Failed == ""; {
					d.Listen(again)
				}
				d.Check()
			})
			t.Logf("%d sessions ended %v behind the gateway's death", len(desktops), time.Since(began))
		})
	}
}

// The words of a model whose gateway dies are discarded, also by a client that comes back
// behind the first of it.
func TestV1GatewayDiesInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, resume := range []bool{false, true} {
		t.Run(fmt.Sprintf("Last-Event-ID %v", resume), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			url, kill := spawn(t, dir)
			d := doorstest.Begun(t, doorstest.AddrOf(url))
			d.Resume, d.Message = resume, d.Chat("Plan my week, slowly", true)
			d.Breaks = func(events, bytes int) bool { return events == 0 && bytes == doorstest.Whole }
			d.Listen(false)
			kill()
			url, _ = spawn(t, dir)
			d.Addr, d.Breaks = doorstest.AddrOf(url), nil
			d.Listen(true)
			d.Check()
			if !slices.ContainsFunc(d.Heard, func(e doorstest.Event) bool { return strings.Contains(e.Data, `"restart":true`) }) {
				t.Errorf("nothing was void in %v", d.Heard)
			}
		})
	}
}
