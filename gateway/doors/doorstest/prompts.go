package doorstest

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/state/database"
)

// WithRisks registers two tools: shell.exec, which needs an approval, and time.now, which needs no approval.
func WithRisks(t *testing.T, tools *agent.Registry) {
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

// Prompting is a deployment for prompts: several gateways that share one database.
type Prompting struct {
	Dir  string // folder in which shell.exec records its calls
	Urls []string
}

// Deploy runs n gateways that share one database until the test ends. Each function in change edits the configuration
// of every gateway.
func Deploy(t *testing.T, config database.Config, n int, change ...func(*gateway.App)) Prompting {
	t.Helper()
	p := Prompting{Dir: t.TempDir()}
	for range n {
		db, err := database.Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		cfg, closeAll, err := PromptGateway(db, p.Dir, 0)
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
		p.Urls = append(p.Urls, gatewaytest.Start(t, cfg))
	}
	return p
}

// Alone deploys one gateway with an SQLite database.
func Alone(t *testing.T) Prompting {
	t.Helper()
	return Deploy(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")}, 1)
}
