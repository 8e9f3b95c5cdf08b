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

// installScheme is the API document's name for the token that a hosted gateway requires.
const installScheme = "install"

// asks is the credential that a hosted gateway requires of a request before routing it.
type asks int

// The kinds of asks. The path alone decides, so unknown paths get the same refusal as known ones.
const (
	asksToken        asks = iota // an install's token: all paths that asksOf does not name
	asksOperator                 // the operator's token; the route refuses an install's token
	asksRegistration             // no token, but registrations count against a limit of their own
	asksNothing                  // no token; the request counts against its address's limit only
	asksNobody                   // no token and no count: supervisors poll these paths
)

// asksOf returns the credential that a request needs. Like Fiber's router, it ignores the
// path's case and trailing slashes.
func asksOf(method, path string) asks {
	path = strings.TrimRight(strings.ToLower(path), "/")
	switch {
	case path == sdkapi.HealthPath, path == sdkapi.ReadyPath:
		return asksNobody
	case path == strings.TrimRight(sdkapi.RunsPath, "/"), strings.HasPrefix(path, sdkapi.RunsPath): // these routes check the runs key themselves
		return asksNothing
	case path == "", path == sdkapi.ConsolePath, strings.HasPrefix(path, sdkapi.ConsolePath+"/"): // its files are public; its other routes check the visitor themselves
		return asksNothing
	case path == "/docs", strings.HasPrefix(path, "/docs/"), strings.HasPrefix(path, "/openapi"):
		return asksNothing
	case path == sdkapi.OAuthRegisterPath && method == http.MethodPost:
		return asksRegistration
	case strings.HasPrefix(path, "/.well-known/oauth-"), strings.HasPrefix(path, sdkapi.OAuthPath+"/"): // the client's secrets are in the body
		return asksNothing
	case path == sdkapi.InstallRegisterPath && method == http.MethodPost:
		return asksRegistration
	case path == sdkapi.MetricsPath, path == sdkapi.AuditPath, path == sdkapi.PluginsPath, strings.HasPrefix(path, sdkapi.PluginsPath+"/"), strings.HasPrefix(path, sdkapi.OperatorPath+"/"):
		return asksOperator
	}
	return asksToken
}

// admit is middleware that passes on requests with the required credential whose caller is
// within the limits. It refuses all others and does not read the body.
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

// check identifies the sender of r and counts the request against the limits. It counts by
// address before it looks up the token, so that guessing tokens is limited too.
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
	if s.takesAccess(c, token) {
		return s.admitClient(c, r, token)
	}
	install, err := s.Visits.Install(c, token)
	if err != nil {
		return err
	}
	r.Owner, r.Install = install.User, install.ID
	return r.Quota.TakeUserRequest(r.Owner)
}

// recognize sets r.Visit to the console visit whose cookie the request carries, if any.
func (s *Server) recognize(c *fiber.Ctx, r *Request) (err error) {
	r.Visit, err = s.Visits.Recognize(c)
	return err
}

// describeAdmission adds to the API document the credentials and errors of admit. Call it
// after all operations are registered.
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

// describeToken adds the credential of kind to op's security, with the errors that it causes.
func (s *Server) describeToken(op *huma.Operation, kind asks) {
	switch kind {
	case asksOperator:
		op.Security = []map[string][]string{{operatorScheme: {}}}
	case asksToken:
		schemes := map[string][]string{installScheme: {}}
		for _, also := range op.Security { // shared between operations, so it is copied
			maps.Copy(schemes, also)
		}
		if schemes[UserScheme] != nil { // X-User-Id may name a different user than the token
			s.describeError(op, http.StatusForbidden)
		}
		op.Security = []map[string][]string{schemes}
	default:
		return
	}
	s.describeError(op, http.StatusUnauthorized)
}

// describeError adds the error response of a status to op's entry in the API document.
func (s *Server) describeError(op *huma.Operation, status int) {
	op.Responses[strconv.Itoa(status)] = JSONResponse[ErrorResponse](s, http.StatusText(status))
}
