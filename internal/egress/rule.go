package egress

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/fault"
)

// Rule allows requests to one host. Secrets may be sent over plain http only if Private is set: the
// operator then declares that the network to the host is trusted.
type Rule struct {
	// Host is the name of a host, for example "api.example.com", or an IP address. "*.example.com"
	// means all names below example.com, but not example.com itself. "*" means every public host.
	// Host may end in ":port"; the default is the scheme's port.
	Host    string   `json:"host"`
	Schemes []string `json:"schemes,omitempty"` // allowed schemes, "https" or "http"; default: only "https"
	// Path allows this path and all paths below it: "/v1" allows "/v1" and "/v1/x", but not "/v10".
	// Default: all paths.
	Path    string   `json:"path,omitempty"`
	Methods []string `json:"methods,omitempty"` // allowed methods, in upper or lower case; default GET and HEAD
	// Private allows a host whose address is in a private network or on this machine.
	Private bool `json:"private,omitempty"`
	// Secrets are added to each request that matches the rule. They replace values that the guest
	// has set.
	Secrets []Secret `json:"secrets,omitempty"`
}

type grantRule struct {
	Rule
	host   string     // required name or, with suffix, required end of the name
	suffix bool       // host begins with a dot, or is empty for every host
	addr   netip.Addr // required address; invalid for a name
	port   uint16     // 0: the scheme's default
	path   []string   // required first segments
}

// newRule prepares r, and reports all its problems on f.
func newRule(r Rule, at string, f *fault.Error) grantRule {
	g := grantRule{Rule: r}
	if err := g.readHost(); err != nil {
		_ = f.At(at+".host", "%s", err)
	}
	g.Schemes = slices.Clone(r.Schemes)
	if len(g.Schemes) == 0 {
		g.Schemes = []string{"https"}
	}
	for i, s := range g.Schemes {
		if g.Schemes[i] = strings.ToLower(s); g.Schemes[i] != "http" && g.Schemes[i] != "https" {
			_ = f.At(at+".schemes", "expected http or https, not %q", s)
		}
	}
	g.Methods = slices.Clone(r.Methods)
	if len(g.Methods) == 0 {
		g.Methods = []string{http.MethodGet, http.MethodHead}
	}
	for i, m := range g.Methods {
		var err error
		if g.Methods[i], err = readMethod(m); err != nil {
			_ = f.At(at+".methods", "%s", err)
		}
	}
	if err := checkPath(r.Path); err != nil {
		_ = f.At(at+".path", "%s", err)
	}
	g.path = segments(r.Path)
	g.checkReach(at, f)
	g.checkSecrets(at, f)
	return g
}

// readHost sets the parsed fields host, suffix, addr and port from Host. Its error is for the operator.
func (g *grantRule) readHost() (err error) {
	name, port := g.Host, ""
	if addr, err := netip.ParseAddr(name); err == nil && addr.Is6() {
		name = "[" + name + "]"
	} else {
		name, port = splitPort(name)
	}
	if strings.Contains(g.Host, "/") {
		return errors.New("expected only a host, without https:// and without a path")
	}
	if g.port, err = readPort(port); err != nil {
		return err
	}
	if name == "*" {
		g.suffix = true
		return nil
	}
	if name, g.suffix = strings.CutPrefix(name, "*."); g.suffix && strings.HasPrefix(name, "[") {
		return errors.New(`expected a name after "*."`)
	}
	h, err := readHost(name)
	if err != nil {
		return err
	}
	if g.suffix && h.addr.IsValid() {
		return errors.New(`expected a name after "*."`)
	}
	g.host, g.addr = h.name, h.addr
	if g.suffix {
		g.host = "." + g.host
	}
	return nil
}

// checkReach reports a rule that would allow all private hosts, and a rule for an address that it
// can never reach.
func (g *grantRule) checkReach(at string, f *fault.Error) {
	switch {
	case g.Host == "":
	case g.suffix && g.host == "" && g.Private:
		_ = f.At(at+".private", "expected a rule for each private host; %q would allow the whole private network", "*")
	case !g.addr.IsValid():
	case classOf(g.addr) == never:
		_ = f.At(at+".host", "expected an address that plugins may reach; the gateway never connects to this one")
	case classOf(g.addr) == private && !g.Private:
		_ = f.At(at+".private", "expected true, because %s is a private address", g.addr)
	}
}

// checkPath refuses a prefix that cannot be compared with paths.
func checkPath(path string) error {
	switch {
	case path == "":
		return nil
	case path[0] != '/' || strings.ContainsAny(path, "%?#;") || !isPlain(path):
		return errors.New(`expected an unescaped path such as "/v1"; it must not contain "//", a segment "." or "..", or any of the characters "%", "?", "#" and ";"`)
	}
	return nil
}

// readMethod returns a method in upper case, or GET for an empty one. It refuses CONNECT and TRACE.
func readMethod(s string) (string, error) {
	if s == "" {
		return http.MethodGet, nil
	}
	m := strings.ToUpper(s)
	switch {
	case !isToken(m) || len(m) > 32:
		return "", errors.New("expected a method such as GET or POST")
	case m == http.MethodConnect, m == http.MethodTrace:
		return "", fmt.Errorf("expected another method than %s: the gateway never sends it", m)
	}
	return m, nil
}

// match is how far a target matches a rule.
type match int

const (
	noHost   match = iota // the rule is for another host
	noPort                // ... for another scheme or port
	noPath                // ... for other paths
	unclear               // the path can be read as allowed or as not allowed
	noMethod              // ... for other methods
	matched
)

// match returns how far t matches the rule: matched, or the first part that does not match.
func (g *grantRule) match(t target) match {
	port := g.port
	if port == 0 {
		port = defaultPort(t.scheme)
	}
	switch {
	case !g.names(t.host):
		return noHost
	case port != t.port || !slices.Contains(g.Schemes, t.scheme):
		return noPort
	case !below(t.url.EscapedPath(), g.path):
		return noPath
	case len(g.path) > 0 && !isPlain(t.url.EscapedPath()):
		return unclear
	case !slices.Contains(g.Methods, t.method):
		return noMethod
	}
	return matched
}

// names reports whether the rule is for h. Names never match addresses, but "*" matches both.
func (g *grantRule) names(h host) bool {
	switch {
	case g.suffix && g.host == "":
		return true
	case g.addr.IsValid() || h.addr.IsValid():
		return g.addr == h.addr
	case g.suffix:
		return strings.HasSuffix(h.name, g.host)
	}
	return g.host == h.name
}

// permit is the access that all matching rules allow together.
type permit struct {
	private bool
	secrets []Secret
}

// permit returns the access that the rules allow for t, or a Denied error that names the missing
// part of the nearest rule.
func (c *Client) permit(t target) (permit, error) {
	var p permit
	nearest := noHost
	for i := range c.rules {
		m := c.rules[i].match(t)
		nearest = max(nearest, m)
		if m == matched {
			p.private = p.private || c.rules[i].Private
			p.secrets = append(p.secrets, c.rules[i].Secrets...)
		}
	}
	if nearest == matched {
		return p, nil
	}
	return permit{}, denial(t, nearest)
}

// denial returns the error for a target that no rule matches. nearest selects its message: the part
// that the nearest rule lacks.
func denial(t target, nearest match) *Error {
	e := fail(Denied, "%s", map[match]string{
		noHost:   "the grant has no rule for " + t.where(),
		noPort:   "the grant names " + t.host.name + ", but not with " + t.scheme + " at this port",
		noPath:   "the grant names " + t.where() + ", but not this path",
		unclear:  "the path can be read in two ways; write it without dots, backslashes and doubled slashes",
		noMethod: "the grant names " + t.where() + " with this path, but not " + t.method,
	}[nearest])
	e.Hint = t.hint(false)
	return e
}

// plainSegments returns the path of u in the form of a Rule. It stops at a segment that a rule
// cannot express, or that would make the path too long.
func plainSegments(u *url.URL) string {
	var path string
	for s := range strings.SplitSeq(strings.TrimPrefix(u.EscapedPath(), "/"), "/") {
		plain, err := url.PathUnescape(s)
		if err != nil || plain == "" || strings.Contains(plain, "/") || checkPath("/"+plain) != nil || len(path)+len(plain) > maxLoggedPath {
			break
		}
		path += "/" + plain
	}
	return path
}
