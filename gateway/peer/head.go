package peer

import (
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/windieos/windie/sdkapi"
)

// Head holds the request headers that the gateway reads on every route.
type Head struct {
	ID      string // value of the header X-Request-ID
	User    string // value of the header sdkapi.UserHeader
	Key     string // value of the header sdkapi.KeyHeader
	RunsKey string // value of the header sdkapi.RunsKeyHeader
	OnceKey string // value of the header sdkapi.IdempotencyKeyHeader
	Origin  string
	Site    string // value of the header Sec-Fetch-Site
	Twice   string // name of a header that may occur only once but occurs twice; empty if there is none
}

// ReadHead reads the headers in one pass. If a header occurs twice, the first counts. Twice is set
// for a repeated header that identifies or authorizes the caller: a proxy in front of the gateway
// might use the other value.
func ReadHead(h *fasthttp.RequestHeader) Head {
	var head Head
	var seen [said]bool
	for name, value := range h.All() {
		switch string(name) { // fasthttp writes names in this form
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

// said is the number of headers that may occur only once.
const said = 5

// first stores a header's value unless the field is already set.
func (h *Head) first(field *string, value []byte) {
	if *field == "" {
		*field = string(value)
	}
}

// once stores a header's value, unless field is nil. If the header was seen before, it sets Twice
// instead.
func (h *Head) once(seen *bool, field *string, name string, value []byte) {
	switch {
	case *seen:
		h.Twice = name
	case field != nil:
		*field = string(value)
	}
	*seen = true
}
