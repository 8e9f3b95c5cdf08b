package peer

import (
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/windieos/windie/sdkapi"
)

// Head is what the gateway reads of the head of each request, whatever its route.
type Head struct {
	ID      string // X-Request-ID
	User    string // sdkapi.UserHeader
	Key     string // sdkapi.KeyHeader
	RunsKey string // sdkapi.RunsKeyHeader
	OnceKey string // sdkapi.IdempotencyKeyHeader
	Origin  string
	Site    string // Sec-Fetch-Site
	Twice   string // the name of a header that may stand in a head once, and stands there again; empty if there is none
}

// ReadHead finds in one pass what a search for each header would find. The first of two headers counts. Two that say
// who asks, by what right, or from where are noted: a proxy before the gateway may use another one than the gateway.
func ReadHead(h *fasthttp.RequestHeader) Head {
	var head Head
	var seen [said]bool
	for name, value := range h.All() {
		switch string(name) { // as fasthttp writes names
		case "X-Request-Id":
			head.first(&head.ID, value)
		case sdkapi.IdempotencyKeyHeader:
			head.first(&head.OnceKey, value)
		case "Sec-Fetch-Site":
			head.first(&head.Site, value)
		case sdkapi.UserHeader:
			head.once(&seen[0], &head.User, sdkapi.UserHeader, value)
		case sdkapi.KeyHeader:
			head.once(&seen[1], &head.Key, sdkapi.KeyHeader, value)
		case sdkapi.RunsKeyHeader:
			head.once(&seen[2], &head.RunsKey, sdkapi.RunsKeyHeader, value)
		case fiber.HeaderOrigin:
			head.once(&seen[3], &head.Origin, fiber.HeaderOrigin, value)
		case fiber.HeaderAuthorization:
			head.once(&seen[4], nil, fiber.HeaderAuthorization, value)
		}
	}
	return head
}

// said is how many headers may stand in a head once.
const said = 5

// first keeps the value of a header that is not there yet.
func (h *Head) first(field *string, value []byte) {
	if *field == "" {
		*field = string(value)
	}
}

// once keeps the value of a header, for which field may be nil, and notes if it was seen before.
func (h *Head) once(seen *bool, field *string, name string, value []byte) {
	switch {
	case *seen:
		h.Twice = name
	case field != nil:
		*field = string(value)
	}
	*seen = true
}
