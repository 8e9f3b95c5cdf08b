package agenttest_test

import (
	"context"
	"fmt"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/state/journal/journaltest"
)

// A session whose model calls a tool and then says what came of it.
func Example() {
	model := agenttest.NewScript(
		agenttest.Calling("c1", "clock_now", `{"zone":"UTC"}`),
		agenttest.Saying("It is ", "noon."),
	)
	log := journaltest.NewMemory()
	defer log.Close()
	tools := agent.NewRegistry()
	clock := agenttest.Tool{
		Described: agent.Descriptor{Name: "clock.now", Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Builtin}},
		Do: func(_ context.Context, c agent.Call) (agent.Result, error) {
			return agent.Result{Content: []agent.Part{agent.Text("12:00")}}, nil
		},
	}
	if err := tools.Register(clock); err != nil {
		fmt.Println(err)
		return
	}
	all := session.New(session.Config{Journal: log, Tools: tools, Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
		return model, models.Request{}, nil
	}})
	defer all.Close()

	ctx := context.Background()
	if err := all.Create(ctx, "s1", "ada", session.Settings{}); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := all.Start(ctx, "s1", "ada", []session.Part{{Text: "What time is it?"}}, session.Reject); err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range all.Follow(ctx, "s1", 0) {
		if err != nil || e.Kind == session.KindTurnEnded {
			break
		}
		if e.Kind == session.KindToolStarted || e.Kind == session.KindToolEnded {
			fmt.Println(e.Kind)
		}
	}
	state, err := all.State(ctx, "s1", "ada")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(state.Messages[3].Parts[0].Text)
	// Output:
	// tool.started
	// tool.ended
	// It is noon.
}
