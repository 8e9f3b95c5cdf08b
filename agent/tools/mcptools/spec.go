package mcptools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Limits of the operator's file.
const (
	maxFileBytes = 1 << 20 // size of the file
	maxServers   = 100
	maxGroupLen  = 32 // bytes of a server's name: half of the maximum for a tool's name
)

// Time limits of a call.
const (
	defaultTimeout = 60 * time.Second
	maxTimeout     = 10 * time.Minute
)

// Spec is the operator's description of one MCP server. Either Command or URL is set.
type Spec struct {
	Name    string // prefix of the names of the server's tools, made from the server's name in the file
	Command string
	Args    []string
	Env     map[string]string // environment variables, in addition to the few variables that every server gets
	Dir     string            // working folder of the server; empty means the gateway's working folder
	URL     string
	Headers map[string]string

	Allow []string // name patterns of the tools that the server may offer; empty allows all
	Deny  []string // name patterns of the tools that are denied; they override Allow
	// Risk contains the risk of each tool. The key is the server's name for the tool. A tool that is not in Risk is
	// risky.
	Risk     map[string]agent.Risk
	Timeout  time.Duration // time limit of one call
	Disabled bool

	// SignIn is set if users sign in to the server. The gateway also finds that out by the server's
	// answer.
	SignIn       bool
	ClientID     string   // of this gateway at the server's issuer; empty to register
	ClientSecret string   // of ClientID; empty for none
	Issuer       string   // the only issuer to use; empty for the one that the server names
	Scopes       []string // to request; empty for those that the server names

	ignored []string // fields of the file that have no meaning here
	secrets []string // values that no log may show
	print   string   // hash of the fields for reaching the server, before variables are expanded
}

// Where returns "http" if the server has a URL, or "stdio" if it is a local command.
func (s *Spec) Where() string {
	if s.URL != "" {
		return "http"
	}
	return "stdio"
}

// entry is a server in the file.
type entry struct {
	Type     string                `json:"type"`
	Command  string                `json:"command"`
	Args     []string              `json:"args"`
	Env      map[string]string     `json:"env"`
	Cwd      string                `json:"cwd"`
	URL      string                `json:"url"`
	Headers  map[string]string     `json:"headers"`
	Allow    []string              `json:"allow"`
	Deny     []string              `json:"deny"`
	Risk     map[string]agent.Risk `json:"risk"`
	Timeout  duration              `json:"timeout"`
	Disabled bool                  `json:"disabled"`

	Auth         string   `json:"auth"`
	ClientID     string   `json:"clientId"`
	ClientSecret string   `json:"clientSecret"`
	Issuer       string   `json:"issuer"`
	Scopes       []string `json:"scopes"`
}

// fieldsOfEntry are the known fields of an entry. Other fields are ignored with a note.
var fieldsOfEntry = []string{"type", "command", "args", "env", "cwd", "url", "headers", "allow", "deny", "risk", "timeout", "disabled", "auth", "clientId", "clientSecret", "issuer", "scopes"}

// duration is a duration in the file: a text such as "90s", or a number of seconds.
type duration time.Duration

// UnmarshalJSON reads a number of seconds, or a text in the form of time.ParseDuration. null means 0.
func (d *duration) UnmarshalJSON(raw []byte) error {
	var seconds float64
	if json.Unmarshal(raw, &seconds) == nil {
		*d = duration(min(seconds, 1e6) * float64(time.Second))
		return nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	parsed, err := time.ParseDuration(text)
	*d = duration(parsed)
	return err
}

// Parse parses "mcpServers" in a file with the format of desktop clients. getenv returns the values
// of variables such as ${NAME}. The error is a VALIDATION_ERROR that lists all problems, but never
// the value of a variable.
func Parse(raw []byte, getenv func(string) (string, bool)) ([]Spec, error) {
	f := fault.New("mcptools.Parse", sdkapi.ValidationError, "the file of MCP servers is invalid; details.fields lists the problems")
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	switch err := json.Unmarshal(raw, &file); {
	case len(raw) > maxFileBytes:
		return nil, f.At("file", "expected at most %d bytes", maxFileBytes)
	case err != nil:
		return nil, f.At("file", `expected {"mcpServers": {"NAME": {...}}}: %s`, err)
	case file.Servers == nil:
		return nil, f.At("mcpServers", `expected an object with the servers by name, for example {"mcpServers": {"NAME": {...}}}`)
	case len(file.Servers) > maxServers:
		return nil, f.At("mcpServers", "expected at most %d servers", maxServers)
	}
	var specs []Spec
	named := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		p := &parser{fault: f, at: "mcpServers." + name, getenv: getenv}
		spec := p.server(name, file.Servers[name])
		if other, taken := named[spec.Name]; taken && spec.Name != "" {
			p.wrong("", "expected another name: the tools of %q also begin with %s.", other, spec.Name)
		}
		named[spec.Name] = name
		specs = append(specs, spec)
	}
	if len(f.Details.Fields) > 0 {
		return nil, f
	}
	return specs, nil
}

// parser parses one server of the file, and collects its problems.
type parser struct {
	fault  *fault.Error
	at     string
	getenv func(string) (string, bool)
	spec   Spec
}

// wrong adds a problem of the server to the fault. If field is empty, the problem is about the server as a whole.
func (p *parser) wrong(field, format string, args ...any) {
	at := p.at
	if field != "" {
		at += "." + field
	}
	_ = p.fault.At(at, format, args...)
}

// server parses the entry called name. After problems, the result is incomplete.
func (p *parser) server(name string, raw json.RawMessage) Spec {
	var e entry
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &e); err != nil {
		p.wrong("", "%s", strings.TrimPrefix(err.Error(), "json: "))
		return Spec{}
	}
	_ = json.Unmarshal(raw, &fields) // it is an object, because it was read just now
	p.spec = Spec{Name: groupOf(name), Allow: e.Allow, Deny: e.Deny, Risk: e.Risk, Disabled: e.Disabled}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(fieldsOfEntry, field) {
			p.spec.ignored = append(p.spec.ignored, field)
		}
	}
	if p.spec.Name == "" {
		p.wrong("", "expected a name that begins with a letter and has at most %d letters and digits: tool names begin with it", maxGroupLen)
	}
	p.spec.print = hashOf([]any{e.Command, e.Args, e.Env, e.Cwd, e.URL, e.Headers})
	if !e.Disabled { // the variables of a disabled server may be unset
		p.reach(e)
		p.signIn(e)
	}
	p.limits(e)
	return p.spec
}

// reach reads and checks the fields for reaching the server, with its environment variables expanded.
func (p *parser) reach(e entry) {
	s := &p.spec
	s.Command, s.URL, s.Dir = p.expand("command", e.Command), p.expand("url", e.URL), p.expand("cwd", e.Cwd)
	for i, arg := range e.Args {
		s.Args = append(s.Args, p.expand(fmt.Sprintf("args[%d]", i), arg))
	}
	s.Env, s.Headers = p.expandAll("env", e.Env), p.expandAll("headers", e.Headers)
	if (e.Command == "") == (e.URL == "") {
		p.wrong("", "expected either command or url, not both")
		return
	}
	kinds := map[bool][]string{true: {"", "http", "streamable-http", "streamableHttp"}, false: {"", "stdio"}}[e.URL != ""]
	if !slices.Contains(kinds, e.Type) {
		p.wrong("type", "expected %s: a url means streamable HTTP, a command means stdio", strings.Join(kinds[1:], " or "))
	}
	if e.URL != "" {
		p.checkURL(s.URL)
	}
	for name := range s.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			p.wrong("env", "expected names of variables, not %q", name)
		}
	}
	for name, value := range s.Headers {
		if !headerName.MatchString(name) || strings.ContainsAny(value, "\r\n\x00") {
			p.wrong("headers", "expected valid names and values of headers: %q is invalid", name)
		}
	}
}

// signIn reads and checks the fields for signing in.
func (p *parser) signIn(e entry) {
	s := &p.spec
	s.SignIn, s.Scopes = e.Auth == "oauth", e.Scopes
	s.ClientID, s.ClientSecret, s.Issuer = p.expand("clientId", e.ClientID), p.expand("clientSecret", e.ClientSecret), p.expand("issuer", e.Issuer)
	p.keep(s.ClientSecret)
	if e.Auth != "" && e.Auth != "oauth" {
		p.wrong("auth", "expected oauth")
	}
	more := e.ClientID != "" || e.ClientSecret != "" || e.Issuer != "" || len(e.Scopes) > 0
	if more && !s.SignIn {
		p.wrong("auth", "expected oauth, which clientId, clientSecret, issuer and scopes need")
	}
	if s.SignIn && e.URL == "" {
		p.wrong("auth", "expected a server with a url")
	}
	if e.ClientSecret != "" && e.ClientID == "" {
		p.wrong("clientSecret", "expected a clientId beside it")
	}
	if u, err := url.Parse(s.Issuer); err != nil || s.Issuer != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		p.wrong("issuer", "expected a URL such as https://login.example.com")
	}
	for name := range e.Headers {
		if s.SignIn && strings.EqualFold(name, "Authorization") {
			p.wrong("headers", "expected no Authorization beside auth: users sign in themselves")
		}
	}
}

// headerName matches the valid names of HTTP headers.
var headerName = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+.^_|~-]+$`)

// checkURL checks an expanded URL, and treats the values of its query as secrets.
func (p *parser) checkURL(text string) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		p.wrong("url", "expected a URL such as https://mcp.example.com/mcp, without user and fragment")
		return
	}
	for _, values := range u.Query() { // some servers expect a key there
		p.keep(values...)
	}
}

// limits checks the time limit, the patterns and the risks.
func (p *parser) limits(e entry) {
	p.spec.Timeout = cmp.Or(time.Duration(e.Timeout), defaultTimeout)
	if p.spec.Timeout < time.Millisecond || p.spec.Timeout > maxTimeout {
		p.wrong("timeout", `expected at most %s, for example "90s", or a number of seconds`, maxTimeout)
	}
	for field, patterns := range map[string][]string{"allow": e.Allow, "deny": e.Deny} {
		for _, pattern := range patterns {
			if _, err := path.Match(pattern, ""); err != nil {
				p.wrong(field, "expected names of tools, in which * matches any text, not %q", pattern)
			}
		}
	}
	for tool, risk := range e.Risk {
		if risk != agent.Safe && risk != agent.Risky && risk != agent.Forbidden {
			p.wrong("risk."+tool, "expected %s, %s or %s", agent.Safe, agent.Risky, agent.Forbidden)
		}
	}
}

// minSecret is the minimum length of a secret, in bytes. Shorter values occur in ordinary texts, so the log
// would hide those texts.
const minSecret = 6

// variable matches ${NAME}, ${env:NAME} and ${NAME:-DEFAULT}.
var variable = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)

// expand replaces the environment variables in text. Their values are secrets. A variable that is not set and
// has no default is a problem of the field.
func (p *parser) expand(field, text string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		parts := variable.FindStringSubmatch(found)
		value, set := p.getenv(parts[1])
		switch {
		case set:
			p.keep(value)
			return value
		case parts[2] != "":
			return strings.TrimPrefix(parts[2], ":-")
		}
		p.wrong(field, "the environment variable %s is not set; set it, or write ${%s:-} if it is optional", parts[1], parts[1])
		return ""
	})
}

// expandAll expands the variables in each of values. Each expanded value is a secret as a whole.
func (p *parser) expandAll(field string, values map[string]string) map[string]string {
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out[name] = p.expand(field+"."+name, values[name])
		p.keep(out[name])
	}
	return out
}

// keep marks values as secrets. It ignores values shorter than minSecret.
func (p *parser) keep(values ...string) {
	for _, value := range values {
		if len(value) >= minSecret {
			p.spec.secrets = append(p.spec.secrets, value)
		}
	}
}

// redactor returns a replacer that removes the server's secrets from a text.
func (s *Spec) redactor() *strings.Replacer {
	secrets := slices.Clone(s.secrets)
	// Longest first, because one may be part of another.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, secret := range secrets {
		pairs = append(pairs, secret, "[set]")
		if escaped := url.QueryEscape(secret); escaped != secret {
			pairs = append(pairs, escaped, "[set]")
		}
	}
	return strings.NewReplacer(pairs...)
}
