package gateway

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// operatorScheme is the API document's name for the token that checkOperator requires.
const operatorScheme = "operator"

// AsksForOperator is the Security field of a route that only operators may use. The API document
// shows the operator's token as optional: a gateway without such a token accepts requests from its
// own machine.
var AsksForOperator = []map[string][]string{{}, {operatorScheme: {}}}

// checkOperator returns an error unless the caller is an operator: the request has the
// operator's token or, if no token is set, comes from this machine. A hosted gateway always
// requires the token, because it cannot tell its own machine from a proxy there.
func (s *Server) checkOperator(ctx context.Context) error {
	const op = "gateway.operator"
	r := RequestOf(ctx)
	switch {
	case r.Visit.Operates():
		return nil
	case s.app.OperatorToken == "" && r.local && !s.app.Hosted:
		return nil
	case s.app.OperatorToken == "" && s.app.Hosted:
		return fault.New(op, sdkapi.OperatorOnly, "only the gateway's operator may use this route; set WINDIE_OPERATOR_TOKEN on the gateway and send that token")
	case s.app.OperatorToken == "":
		return fault.New(op, sdkapi.OperatorOnly,
			"only the operator may use this route, from the gateway's own machine; for access from other machines, set WINDIE_OPERATOR_TOKEN on the gateway")
	case r.bearer == "":
		return fault.New(op, sdkapi.AuthRequired, "only the gateway's operator may use this route; send the operator's token").
			At("header.Authorization", "expected Bearer and the operator's token")
	case !peer.SameToken(r.bearer, s.app.OperatorToken):
		return fault.New(op, sdkapi.OperatorOnly, "only the gateway's operator may use this route; the token is not the value of WINDIE_OPERATOR_TOKEN")
	}
	return nil
}

// Recognize is middleware for routes with AsksForOperator. It records the bearer token of the
// request, and whether the request comes from the gateway's own machine.
func Recognize(c *fiber.Ctx) error {
	r := RequestOf(c.UserContext())
	r.bearer, r.local = peer.Bearer(c), peer.IsLocal(c)
	return c.Next()
}
