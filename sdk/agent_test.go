package sdk_test

import (
	"context"
	"errors"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

// commanders is the models of a gateway that has only the commander.
type commanders struct{}

func (commanders) List(context.Context, string, ...string) sdkapi.ModelList {
	return sdkapi.ModelList{Local: []sdkapi.Model{{ID: "commander", Provider: "commander"}}}
}
func (commanders) Choose(context.Context, string, string) (models.Model, models.Request, error) {
	return commander.Model{}, models.Request{Model: "commander"}, nil
}
func (commanders) Figures() []models.ModelFigures  { return nil }
func (commanders) Default() string                 { return "commander" }
func (commanders) Keep(user, provider, key string) {}
func (commanders) Keeps(string, string) bool       { return false }
func (commanders) Providers() []string             { return nil }

func TestAgent(t *testing.T) {
	t.Parallel()
	log := journaltest.NewMemory()
	registry := agent.NewRegistry()
	if err := registry.Register(agent.Func(agent.Descriptor{Name: "math.add", Risk: agent.Safe}, sum)); err != nil {
		t.Fatal(err)
	}
	all := session.New(session.Config{
		Journal: log, Tools: registry, System: "Be brief.",
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return commander.Model{}, models.Request{}, nil
		},
	})
	t.Cleanup(func() {
		all.Close()
		_ = log.Close()
	})
	c := clientOf(t, gatewaytest.Start(t, gateway.App{Models: commanders{}, Tools: registry, Journal: journal.Count(log), Sessions: all}))
	ctx := t.Context()
	if got, err := c.Agent.Models(ctx, sdk.As{ModelID: "commander", ModelProvider: "commander", InteractionMode: "chat"}); err != nil || got.Config != (sdkapi.ConfigSnapshot{ModelMode: "local", ModelProvider: "commander", SelectedModelID: "commander", InteractionMode: "chat"}) || len(got.Models.Local) != 1 {
		t.Errorf("Models: %+v, %v", got, err)
	}
	if got, err := c.Agent.ToolSchemas(ctx, sdk.As{UserID: "ada"}); err != nil || got.ToolTokens == 0 || len(got.ProviderToolSchemas) != len(got.CanonicalToolSchemas) {
		t.Errorf("ToolSchemas: %+v, %v", got, err)
	}
	if got, err := c.Agent.ToolCapabilities(ctx, "math_add", sdk.As{}); err != nil || got.Capability.ID != "math.add" {
		t.Errorf("ToolCapabilities: %+v, %v", got, err)
	}
	if _, err := c.Agent.ToolCapabilities(ctx, "math/sub", sdk.As{}); !errors.Is(err, &sdkapi.Error{Code: sdkapi.ToolNotFound}) {
		t.Errorf("ToolCapabilities of none: %v", err)
	}
	if got, err := c.Agent.SystemPrompt(ctx, sdk.As{}); err != nil || got.SystemPrompt[:9] != "Be brief." {
		t.Errorf("SystemPrompt: %+v, %v", got, err)
	}
	query := sdkapi.PromptRequest{UserQueryRaw: "hi", ConversationRef: "c1"}
	if got, err := c.Agent.PromptPreview(ctx, query); err != nil || len(got.PromptMessages) != 1 {
		t.Errorf("PromptPreview: %+v, %v", got, err)
	}
	if got, err := c.Agent.QueryPlan(ctx, query); err != nil || got.QueryMessage.Payload.Text != "hi" || len(got.TransparencyEvents) != 3 {
		t.Errorf("QueryPlan: %+v, %v", got, err)
	}
}
