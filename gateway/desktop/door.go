// Package desktop serves desktop clients. Over the WebSocket at /ws they talk with an agent and
// run its tools. Further routes preview the request that a model would get.
package desktop

import (
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/models/speech"
	"github.com/windieos/windie/sdkapi"
)

// door holds the services that this package uses.
type door struct {
	turns.Turns
	clientsAsk bool
	models     gateway.Models
	runsKey    string
	times      gateway.Times
	voice      speech.Voice
	services   func() sdkapi.ServiceStates // lists the available services
}

// Parts returns the part that serves desktop clients, or no part if app.Sessions is nil.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Sessions == nil {
		return nil
	}
	d := &door{Turns: turns.New(core, app), clientsAsk: app.ClientsAsk, models: app.Models, runsKey: app.RunsKey, times: app.Times, voice: app.Voice, services: servicesOf(app)}
	return []gateway.Part{gateway.PartOf("agent", d.addSocket, d.addIntrospection, d.addRules)}
}
