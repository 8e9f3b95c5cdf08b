// Package docs serves the description of the gateway's routes: the OpenAPI
// document, and a page that shows it.
package docs

import "github.com/windieos/windie/gateway"

// door is this protocol of a gateway.
type door struct {
	core       *gateway.Server
	hosted     bool
	models     gateway.Models
	pathPrefix string
	publicURL  string
}

// Parts returns the part that describes the routes of the parts before it.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	d := &door{core: core, hosted: app.Hosted, models: app.Models, pathPrefix: app.PathPrefix, publicURL: app.PublicURL}
	return []gateway.Part{gateway.PartOf("", d.addOpenAPI, d.addDocs, d.addReferences)}
}
