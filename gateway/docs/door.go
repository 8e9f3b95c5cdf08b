// Package docs serves the documentation of the gateway's API: the OpenAPI document, a page that
// shows it, and the references of the clients.
package docs

import "github.com/windieos/windie/gateway"

// door has the server and the settings of the handlers of this package.
type door struct {
	core       *gateway.Server
	hosted     bool
	models     gateway.Models
	pathPrefix string
	publicURL  string
}

// Parts returns the part that documents the routes. It must come after the parts whose routes it
// documents.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	d := &door{core: core, hosted: app.Hosted, models: app.Models, pathPrefix: app.PathPrefix, publicURL: app.PublicURL}
	return []gateway.Part{gateway.PartOf("", d.addOpenAPI, d.addDocs, d.addReferences)}
}
