package gateway

import (
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/sdkapi"
)

// installScheme names, in the API document, the token that a hosted gateway asks for.
const installScheme = "install"

// asks is what a hosted gateway asks of a request before it is routed.
type asks int

// What there is to ask for, by path alone: a path that is not served is answered as one that is.
const (
	asksToken        asks = iota // the token of an install: whatever is not named below
	asksOperator                 // the operator's token; that of an install leads to a refusal
	asksRegistration             // nothing, but not often
	asksNothing                  // nor is it counted, except by address
	asksNobody                   // nor is it counted: supervisors of the gateway ask often
)

// asksOf returns what a request must bring. Like Fiber, it takes paths in any case
// and with slashes at their end.
func asksOf(method, path string) asks {
	path = strings.TrimRight(strings.ToLower(path), "/")
	switch {
	case path == sdkapi.HealthPath, path == sdkapi.ReadyPath:
		return asksNobody
	case path == strings.TrimRight(sdkapi.RunsPath, "/"), strings.HasPrefix(path, sdkapi.RunsPath): // they bring a key of their own
		return asksNothing
	case path == "", path == sdkapi.ConsolePath, strings.HasPrefix(path, sdkapi.ConsolePath+"/"): // its files are no secret, and its other routes look at their visitor
		return asksNothing
	case path == "/docs", strings.HasPrefix(path, "/docs/"), strings.HasPrefix(path, "/openapi"):
		return asksNothing
	case path == sdkapi.InstallRegisterPath && method == http.MethodPost:
		return asksRegistration
	case path == sdkapi.MetricsPath, path == sdkapi.AuditPath, path == sdkapi.PluginsPath, strings.HasPrefix(path, sdkapi.PluginsPath+"/"), strings.HasPrefix(path, sdkapi.OperatorPath+"/"):
		return asksOperator
	}
	return asksToken
}

// admit lets a request through that brings the token it is asked for, and whose
// caller has not asked for too much. It reads no body.
func (s *Server) admit(c *fiber.Ctx) error {
	r := RequestOf(c.UserContext())
	if !s.app.Hosted && s.limits == nil {
		if err := s.recognize(c, r); err != nil {
			return err
		}
		return c.Next()
	}
	if s.limits != nil {
		r.Quota = s.limits.For(peer.AddressKey(peer.Address(c, s.app.TrustedProxies)))
	}
	err := s.check(c, r)
	if err == nil {
		err = s.letIn(c, r)
	}
	r.Quota.SetHeaders(c)
	r.Quota.End()
	return err
}

// check finds out who sends r, and counts it. What comes from one address is
// counted before its token is looked up, so that guessing has an end too.
func (s *Server) check(c *fiber.Ctx, r *Request) error {
	kind := asksOf(c.Method(), c.Path())
	if kind == asksNobody {
		return nil
	}
	if err := r.Quota.TakeRequest(); err != nil {
		return err
	}
	if err := s.recognize(c, r); err != nil || kind == asksNothing {
		return err
	}
	if kind == asksRegistration {
		return r.Quota.TakeRegistration()
	}
	token := peer.Bearer(c)
	operates := kind == asksOperator && (r.Visit.Operates() || s.app.OperatorToken != "" && peer.SameToken(token, s.app.OperatorToken))
	if !s.app.Hosted || operates {
		return nil
	}
	if r.Visit != nil && r.Visit.User != "" {
		r.Owner, r.Install = r.Visit.User, r.Visit.Install
		return r.Quota.TakeUserRequest(r.Owner)
	}
	install, err := s.Visits.Install(c, token)
	if err != nil {
		return err
	}
	r.Owner, r.Install = install.User, install.ID
	return r.Quota.TakeUserRequest(r.Owner)
}

// recognize notes by which browser at the console a request is sent, if any.
func (s *Server) recognize(c *fiber.Ctx, r *Request) (err error) {
	r.Visit, err = s.Visits.Recognize(c)
	return err
}

// challenge says, as HTTP asks of an answer with 401, by which scheme to authenticate.
func challenge(c *fiber.Ctx) {
	if c.Response().StatusCode() == http.StatusUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	}
}

// describeAdmission adds to the API document, once it has all operations, what
// is asked of them before they are routed.
func (s *Server) describeAdmission() {
	for path, item := range s.API.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Head, item.Post, item.Put, item.Delete, item.Patch, item.Options} {
			if op == nil {
				continue
			}
			kind := asksOf(op.Method, path)
			if s.app.Hosted {
				s.describeToken(op, kind)
			}
			if s.limits != nil && kind != asksNobody {
				s.describeError(op, http.StatusTooManyRequests)
			}
		}
	}
}

// describeToken adds the token to what op asks for.
func (s *Server) describeToken(op *huma.Operation, kind asks) {
	switch kind {
	case asksOperator:
		op.Security = []map[string][]string{{operatorScheme: {}}}
	case asksToken:
		schemes := map[string][]string{installScheme: {}}
		for _, also := range op.Security { // shared between operations, so it is copied
			maps.Copy(schemes, also)
		}
		if schemes[UserScheme] != nil { // which may be another than the token's
			s.describeError(op, http.StatusForbidden)
		}
		op.Security = []map[string][]string{schemes}
	default:
		return
	}
	s.describeError(op, http.StatusUnauthorized)
}

func (s *Server) describeError(op *huma.Operation, status int) {
	op.Responses[strconv.Itoa(status)] = JSONResponse[ErrorResponse](s, http.StatusText(status))
}
