package toolhost_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors/doorstest"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

// lister is a journal that lists streams beside its own: their sessions are deleted once they are
// listed.
type lister struct {
	journal.Journal

	gone []string
}

func (l lister) Streams(ctx context.Context, prefix, after string, limit int) ([]journal.Stream, error) {
	list, err := l.Journal.Streams(ctx, prefix, after, journal.MaxEvents)
	for _, name := range l.gone {
		if name > after {
			list = append(list, journal.Stream{Name: name})
		}
	}
	slices.SortFunc(list, func(a, b journal.Stream) int { return strings.Compare(a.Name, b.Name) })
	return list[:min(len(list), limit)], err
}

// The list skips sessions that are deleted meanwhile, and goes on behind them.
func TestToolHostListSkipsDeleted(t *testing.T) {
	t.Parallel()
	log := journaltest.NewMemory()
	all := session.New(session.Config{Journal: log})
	t.Cleanup(all.Close)
	prefix := "session/" + session.HostOf(sdkapi.LocalUser) + "as_"
	gone := []string{prefix + strings.Repeat("2", 26), prefix + strings.Repeat("3", 26), prefix + strings.Repeat("z", 26)}
	url := gatewaytest.Start(t, gateway.App{Sessions: all, Journal: journal.Count(lister{log, gone}), Store: new(storetest.Memory)})
	var want, got []string
	for range 3 {
		want = append(want, newHostSession(t, url))
	}
	for after, first := "", true; first || after != ""; first = false {
		resp, body := doorstest.Ask(t, http.MethodGet, url+sdkapi.AgentSessionsPath+"?limit=2&after="+after, "", nil)
		var page sdkapi.AgentSessionList
		if err := json.Unmarshal([]byte(body), &page); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status, body)
		}
		for _, one := range page.Sessions {
			got = append(got, one.SessionID)
		}
		after = page.Next
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the list has %v, want %v", got, want)
	}
}
