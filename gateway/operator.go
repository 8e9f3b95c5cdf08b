package gateway

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// operatorScheme names, in the API document, what routes ask for that call checkOperator.
const operatorScheme = "operator"

// AsksForOperator is what the operation of such a route has as its Security:
// the token, or nothing where only this machine may ask.
var AsksForOperator = []map[string][]string{{}, {operatorScheme: {}}}

// checkOperator lets operators through: whoever brings their token or, when
// none is set, asks from this machine. A hosted gateway cannot distinguish its own
// machine from a proxy there, so it always asks for the token.
func (s *Server) checkOperator(ctx context.Context) error {
	const op = "gateway.operator"
	r := RequestOf(ctx)
	switch {
	case r.Visit.Operates():
		return nil
	case s.app.OperatorToken == "" && r.local && !s.app.Hosted:
		return nil
	case s.app.OperatorToken == "" && s.app.Hosted:
		return fault.New(op, sdkapi.OperatorOnly, "this is for the gateway's operator; set WINDIE_OPERATOR_TOKEN to ask for it")
	case s.app.OperatorToken == "":
		return fault.New(op, sdkapi.OperatorOnly,
			"this is for the gateway's operator, on its own machine; set WINDIE_OPERATOR_TOKEN there to ask from elsewhere")
	case r.bearer == "":
		return fault.New(op, sdkapi.AuthRequired, "this is for the gateway's operator; bring the operator's token").
			At("header.Authorization", "expected Bearer and the operator's token")
	case !peer.SameToken(r.bearer, s.app.OperatorToken):
		return fault.New(op, sdkapi.OperatorOnly, "this is not the operator's token")
	}
	return nil
}

// Recognize notes, for checkOperator, which token a request brings and whether it is
// local. Other routes need not read those headers.
func Recognize(c *fiber.Ctx) error {
	r := RequestOf(c.UserContext())
	r.bearer, r.local = peer.Bearer(c), peer.IsLocal(c)
	return c.Next()
}
