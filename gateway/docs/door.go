// Package docs serves the description of the gateway's routes: the OpenAPI
// document, and a page that shows it.
package docs

import "github.com/windieos/windie/gateway"

// door is this protocol of a gateway.
type door struct{ *gateway.Server }

// Parts returns the part that describes the routes of the parts before it.
func Parts() []gateway.Part {
	return []gateway.Part{gateway.PartOf("", func(s *gateway.Server) *door { return &door{s} }, (*door).addOpenAPI, (*door).addDocs, (*door).addReferences)}
}
