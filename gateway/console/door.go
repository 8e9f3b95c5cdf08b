// Package console serves the console: its page, its files, and the routes by which browsers come
// in and leave. All else the console asks of the routes that programs have.
package console

import (
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/console/pages"
	"github.com/windieos/windie/internal/ratelimit"
)

// door is this protocol of a gateway.
type door struct {
	*gateway.Server
	page  *pages.Page
	tries *ratelimit.Limiter // of codes and tokens that let nobody in, by address
}

// triesMinute is how many wrong codes and tokens an address may bring in a minute.
const triesMinute = 20

// Parts returns the part that serves the console. Without users nobody can sign in, and the
// console shows what asks for nobody.
func Parts() []gateway.Part {
	open := func(s *gateway.Server) *door { return &door{s, pages.Load(), ratelimit.New(triesMinute, time.Minute)} }
	return []gateway.Part{gateway.PartOf("", open, (*door).addPage, (*door).addVisits)}
}
