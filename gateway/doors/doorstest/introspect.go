package doorstest

import (
	"context"
	"testing"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

// Scripted returns the configuration of a gateway whose model follows a script, and the script. The gateway has the
// tools of the dialogues.
func Scripted(t *testing.T, replies ...modelstest.Reply) (gateway.App, *modelstest.Script) {
	t.Helper()
	script := modelstest.NewScript(replies...)
	store, scenes, log := new(storetest.Memory), gatewaytest.Scenes(t), journaltest.NewMemory()
	tools := DialogueTools(t, store, scenes)
	all := session.New(session.Config{
		Journal: log, Tools: tools, System: "You are a helpful assistant.",
		Model: func(_ context.Context, _ string, s session.Settings) (models.Model, models.Request, error) {
			if s.Model != "" && s.Model != "commander" {
				return nil, models.Request{}, fault.New("test", sdkapi.ValidationError, "there is no such model")
			}
			return script, models.Request{Model: "scripted"}, nil
		},
	})
	t.Cleanup(func() {
		all.Close()
		_ = log.Close()
	})
	return gateway.App{Models: OneModel{}, Store: store, Scenes: scenes, Tools: tools, Journal: journal.Count(log), Sessions: all}, script
}
