// Package console serves the console: its page, its files, and the routes by which browsers come
// in and leave. All else the console asks of the routes that programs have.
package console

import (
	pages "github.com/windieos/windie/console"
	"github.com/windieos/windie/gateway"
)

// door is this protocol of a gateway.
type door struct {
	*gateway.Server
	page *pages.Page
}

// Parts returns the part that serves the console. Without users nobody can sign in, and the
// console shows what asks for nobody.
func Parts() []gateway.Part {
	open := func(s *gateway.Server) *door { return &door{s, pages.Load()} }
	return []gateway.Part{gateway.PartOf("", open, (*door).addPage, (*door).addVisits)}
}
