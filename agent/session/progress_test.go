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
