package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
)

// Lines that a running tool reports become events, one a second at most, and none after the result.
func TestProgressBecomesEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := agenttest.New(t, agenttest.Calling("c1", "files_copy", `{}`), agenttest.Saying("Copied."))
		var late func()
		b.Tool("files.copy", agent.Safe, func(ctx context.Context, _ agent.Call) (agent.Result, error) {
			for i := range 6 {
				agent.Progress(ctx, fmt.Sprintf("%d of 6", i))
				time.Sleep(500 * time.Millisecond)
			}
			agent.Progress(ctx, strings.Repeat("x", 2000))
			time.Sleep(time.Second)
			late = func() { agent.Progress(ctx, "too late") }
			return agent.Result{Structured: json.RawMessage(`{}`)}, nil
		}).Open(session.Settings{})
		b.Start("Copy the files")
		var said []string
		ended := false
		for _, kept := range b.Until(session.KindTurnEnded) {
			event, err := session.Decode(kept)
			if err != nil {
				t.Fatal(err)
			}
			switch e := event.(type) {
			case session.ToolEnded:
				ended = true
				late()
			case session.Progressed:
				if ended || e.Call != "c1" || len(e.Message) > 600 {
					t.Errorf("after the end %v: %+v", ended, e)
				}
				said = append(said, e.Message[:min(6, len(e.Message))])
			}
		}
		if want := []string{"0 of 6", "2 of 6", "4 of 6", "xxxxxx"}; !slices.Equal(said, want) {
			t.Errorf("got %q, want %q", said, want)
		}
	})
}

// Output of a running tool is shown before its result, in order and whole, however fast its pieces come; of more than the
// limit its beginning is shown.
func TestOutputBecomesEvents(t *testing.T) {
	for _, tt := range []struct {
		name          string
		pieces, bytes int
		pause         time.Duration
		least, most   int // events
	}{
		{"pieces at once", 1000, 10, 0, 2, 2},
		{"pieces over time", 40, 10, 250 * time.Millisecond, 8, 12},
		{"more than is shown", 100, 1000, 0, 2, 2},
		{"longer than events are", 230, 10, time.Second, 200, 201},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := agenttest.New(t, agenttest.Calling("c1", "files_read", `{}`), agenttest.Saying("Read."))
				var all strings.Builder
				b.Tool("files.read", agent.Safe, func(ctx context.Context, _ agent.Call) (agent.Result, error) {
					for i := range tt.pieces {
						piece := fmt.Sprintf("%0*d\n", tt.bytes-1, i)
						all.WriteString(piece)
						agent.Output(ctx, piece)
						time.Sleep(tt.pause)
					}
					return agent.Result{Structured: json.RawMessage(`{}`)}, nil
				}).Open(session.Settings{})
				b.Start("Read the files")
				var shown strings.Builder
				events := 0
				for _, kept := range b.Until(session.KindToolEnded) {
					if e, is, err := session.As[session.Progressed](kept); is && err == nil {
						shown.WriteString(e.Output)
						events++
					}
				}
				want := all.String()[:min(all.Len(), agent.MaxPartial)]
				if shown.String() != want || events < tt.least || events > tt.most {
					t.Errorf("%d bytes shown in %d events, want %d bytes", shown.Len(), events, len(want))
				}
			})
		})
	}
}
