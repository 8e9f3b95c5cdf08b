// Package desktop serves desktop clients: the WebSocket at /ws, over which they talk
// with an agent and run its tools, and the routes that show what a model would be asked.
package desktop

import (
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/models/speech"
	"github.com/windieos/windie/sdkapi"
)

// door is this protocol of a gateway.
type door struct {
	turns.Turns
	clientsAsk bool
	models     gateway.Models
	runsKey    string
	times      gateway.Times
	voice      speech.Voice
	services   func() sdkapi.ServiceStates // which there are
}

// Parts returns the part that serves desktop clients, none without sessions.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Sessions == nil {
		return nil
	}
	d := &door{Turns: turns.New(core, app), clientsAsk: app.ClientsAsk, models: app.Models, runsKey: app.RunsKey, times: app.Times, voice: app.Voice, services: servicesOf(app)}
	return []gateway.Part{gateway.PartOf("agent", d.addSocket, d.addIntrospection, d.addRules)}
}
