package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
)

// settingGroups are the settings of docs/limits.md by the beginning of their keys, in order, with what is beyond each. The
// longest key that fits counts.
var settingGroups = []struct{ key, beyond string }{
	{"limits.", "429 RATE_LIMITED"},
	{"budget.", "429 BUDGET_EXCEEDED"},
	{"quota.", "507 QUOTA_EXCEEDED"},
	{"max_artifact_bytes", "413 PAYLOAD_TOO_LARGE"},
}

// shareRows are the limits of docs/limits.md that are shares of settings.
func shareRows(t *testing.T) string {
	t.Helper()
	c, err := loadWith(t, []string{"--mode", "hosted"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	q, user, address := c.Limits.quota(), "WINDIE_LIMITS_USER_REQUESTS", "WINDIE_LIMITS_ADDRESS_REQUESTS"
	const limited, waits = "429 RATE_LIMITED", "the client waits"
	var out strings.Builder
	out.WriteString("\n## Shares of settings\nEach share is at least 1. If a setting is 0, its shares are unlimited too.\n\n| limit on | share | of | hosted | if exceeded |\n| --- | --- | --- | --- | --- |\n")
	for _, row := range []struct {
		what, share, of string
		hosted          int64
		unit, beyond    string
	}{
		{"megapixels of screens that the gateway reads for one user per minute", "1/2", user, int64(q.UserMegapixels), "", limited},
		{"tool calls of one user per minute", "1/2", user, int64(q.UserToolCalls), "", limited},
		{"seconds of sound that the gateway transcribes for one user per minute", "3/10", user, int64(q.UserSound), "", waits},
		{"agent turns that one user begins per minute, over all protocols", "1/10", user, int64(c.Limits.turns()), "", limited},
		{"sockets, streams and large uploads that one user has open at once", "1/12", user, int64(q.UserOpen), "", limited},
		{"megapixels of screens that the gateway reads for one address per minute", "1/2", address, int64(q.AddressMegapixels), "", limited},
		{"tool calls from one address per minute", "1/2", address, int64(q.AddressToolCalls), "", limited},
		{"seconds of sound that the gateway transcribes for one address per minute", "1/2", address, int64(q.AddressSound), "", waits},
		{"registrations from one address per hour", "1/60", address, int64(q.AddressRegistrations), "", limited},
		{"sockets, streams and large uploads that one address has open at once", "1/6", address, int64(q.AddressOpen), "", limited},
		{"HTTP connections that one address has open at once. WebSockets do not count. Trusted proxies have no limit", "5/6", address, int64(q.AddressConnections), "", "the gateway closes the connection"},
		{"prompts that the gateway stores for one user", "2", "WINDIE_QUOTA_ITEMS", c.Quota.prompts(), "", "507 QUOTA_EXCEEDED"},
		{"bytes of memory files that the gateway stores for one user", "1/16", "WINDIE_QUOTA_BYTES", c.Quota.memory(), "bytes", "507 QUOTA_EXCEEDED"},
	} {
		var n, parts, whole int64 = 1, 1, 0
		if _, err := fmt.Sscanf(row.share+"/1", "%d/%d", &n, &parts); err != nil {
			t.Fatal(err)
		}
		for _, s := range settings(c) {
			if s.env == row.of {
				whole = s.value.Int()
			}
		}
		if row.hosted != whole/parts*n {
			t.Errorf("%s: %d is not %s of %d", row.what, row.hosted, row.share, whole)
		}
		fmt.Fprintf(&out, "| %s | %s | `%s` | %s | %s |\n", row.what, row.share, row.of, figure(row.hosted, row.unit), asCode(row.beyond))
	}
	return out.String()
}

// fixedLimits are the limits of docs/limits.md that are no settings and no constants of sdkapi: the figure is that of the
// constant.
var fixedLimits = []struct{ what, constant, unit, beyond string }{
	{"request line and headers of a request", "gateway.maxHeadBytes", "bytes", "413 PAYLOAD_TOO_LARGE, and the gateway closes the connection"},
	{"time to send a whole request body", "gateway/peer.bodyTimeout", "", "408 REQUEST_TIMEOUT"},
	{"minimum speed of a request body, per second", "gateway/peer.bodyRate", "bytes", "408 REQUEST_TIMEOUT, if the speed is lower"},
	{"time between two requests on one connection", "gateway.idleTimeout", "", "the gateway closes the connection"},
	{"size of an image file", "perception.MaxImageBytes", "bytes", "422 INVALID_IMAGE"},
	{"pixels of an image", "perception.MaxImagePixels", "", "422 INVALID_IMAGE"},
	{"width and height of an image", "perception.MaxImageSide", "pixels", "422 INVALID_IMAGE"},
	{"request body that contains an image", "gateway.MaxImageBody", "bytes", "413 PAYLOAD_TOO_LARGE"},
	{"messages of a history that a client sends at /ws", "gateway/desktop.maxRehydrated", "", "422 VALIDATION_ERROR"},
	{"tools in the handshake of a client, or names in one of its lists", "gateway/turns.MaxWSTools", "", "close code 1008, or 422 VALIDATION_ERROR"},
	{"messages that one conversation queues during a turn", "agent/session.MaxQueued", "", "OVERLOADED"},
	{"conversations that one user creates with conversation.create", "agent/conversation.MaxPerUser", "", "422 CONVERSATION_LIMIT"},
	{"rules of one user; also rules in the file of WINDIE_POLICY_FILE", "agent/session.MaxRules", "", "422 VALIDATION_ERROR for a user's rules; if the file has too many, the gateway does not start"},
	{"time for an answer of /openai/v1/chat/completions or /openai/v1/responses", "gateway/openai.answerTime", "", "504 TIMEOUT"},
	{"stored responses of one user", "state/responses.MaxPerUser", "", "the gateway deletes the least recently used response"},
	{"size of the stored responses of one user", "state/responses.MaxBytes", "bytes", "the gateway deletes the least recently used response"},
	{"responses in one conversation of /openai/v1/responses", "state/responses.MaxChain", "", "422 VALIDATION_ERROR"},
	{"size of one conversation of /openai/v1/responses", "state/responses.MaxHistory", "bytes", "422 VALIDATION_ERROR"},
	{"waiting runs of one workspace", "state/runs.MaxWaiting", "", "409 RUN_LIMIT"},
	{"events of one run", "state/runs.MaxEvents", "", "409 RUN_LIMIT"},
	{"arguments of a tool call", "agent.MaxArguments", "bytes", "413 PAYLOAD_TOO_LARGE; a model gets an error as the call's result"},
	{"structured result of a tool", "agent.MaxStructured", "bytes", "500 TOOL_ERROR"},
	{"name of a tool", "agent.MaxNameLen", "bytes", "the gateway does not register the tool"},
	{"description of a tool", "agent.MaxDescriptionLen", "bytes", "the gateway rejects the plugin; for a tool of an MCP server, it cuts the description"},
	{"schema of a tool, or of a response_format", "agent.MaxSchemaLen", "bytes", "the gateway does not register the tool; 422 VALIDATION_ERROR"},
	{"tools of one plugin or MCP server", "agent.MaxToolsPerOwner", "", "the gateway registers none of the tools"},
	{"manifest of a plugin", "gateway.MaxPluginManifest", "bytes", "413 PAYLOAD_TOO_LARGE"},
	{"key of a value that a plugin stores", "state/values.MaxKey", "bytes", "VALIDATION_ERROR"},
	{"value that a plugin stores", "state/values.MaxValue", "bytes", "VALIDATION_ERROR"},
}

// limitsHead is docs/limits.md before its tables.
const limitsHead = `# Limits
This page lists the limits that callers, plugin authors and operators can reach. A test makes this page from the code.
[` + "`errors.md`" + `](errors.md) explains the errors.

- ` + "`/openapi.json`" + ` has the limits of all other request fields (` + "`maxLength`, `maxItems`, `maximum`" + `). If a field exceeds its
  limit, the response is 422 ` + "`VALIDATION_ERROR`" + `.
- Other pages list the limits of [turns](agent.md#limits-of-a-turn), [plugins](plugin-reference.md#limits),
  [MCP](mcp.md#artifacts-and-limits) and its [servers](mcp.md#limits-of-servers), [memory](memory.md#limits)
  and [retention](operate.md#retention).
- ` + "`windie help settings`" + ` lists all settings.
`

// docs/limits.md has the limits of the code; -update writes it anew.
func TestLimitsAreCurrent(t *testing.T) {
	t.Parallel()
	root := testkit.RepoRoot(t)
	code := &constants{root: root, fset: token.NewFileSet(), packages: map[string]*types.Package{}}
	want := limitsHead + settingRows(t) + shareRows(t) + code.wireRows(t) + code.fixedRows(t)
	at := filepath.Join(root, "docs", "limits.md")
	text, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatal("docs/limits.md is not what the code says; run go test -run TestLimitsAreCurrent ./cmd/windie -update")
	}
	if err := os.WriteFile(at, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

// codeName finds the codes of errors in a text, and the paths and fields that are written as code.
var codeName = regexp.MustCompile(`[A-Z]+_[A-Z_]+|\bOVERLOADED|\bTIMEOUT|X-User-Id|Idempotency-Key|/(?:ws|v1|openai|api)[\w/]*|\b[a-z]+[._][a-z_]+\b|windie embed|\b[a-z]+(?:Id|Root|Version)\b`)

func asCode(text string) string { return codeName.ReplaceAllString(text, "`$0`") }

// settingRows is the table of settings.
func settingRows(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	out.WriteString("\n## Settings\n0 means no limit.\n\n| setting | limit on | default | hosted | if exceeded |\n| --- | --- | --- | --- | --- |\n")
	used := map[string]bool{}
	for _, s := range settings(new(config)) {
		group, beyond := "", ""
		for _, g := range settingGroups {
			if strings.HasPrefix(s.key, g.key) && len(g.key) > len(group) {
				group, beyond = g.key, g.beyond
			}
		}
		if group == "" {
			continue
		}
		used[group] = true
		what, _, _ := strings.Cut(s.doc, "; ")
		ofBytes := strings.Contains(s.key, "bytes")
		what = strings.TrimSuffix(what, ", in bytes")
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s |\n", s.env, asCode(what), settingFigure(t, s.preset, ofBytes), settingFigure(t, cmp.Or(s.hosted, s.preset), ofBytes), asCode(beyond))
	}
	for _, g := range settingGroups {
		if !used[g.key] {
			t.Errorf("no setting begins with %s", g.key)
		}
	}
	return out.String()
}

// Each setting with another default in hosted mode says so, and is a row of docs/limits.md or of what docs/operate.md keeps.
func TestHostedDefaults(t *testing.T) {
	t.Parallel()
	limits, kept := guideText(t, "docs/limits.md"), guideText(t, "docs/operate.md")
	for _, s := range settings(new(config)) {
		if s.hosted == "" {
			continue
		}
		if !strings.HasSuffix(s.doc, "(default "+s.hosted+" in hosted mode)") {
			t.Errorf("%s says %q, without its default in hosted mode, %s", s.env, s.doc, s.hosted)
		}
		if strings.Contains(limits, "| `"+s.env+"` |") {
			continue
		}
		row := regexp.MustCompile(`(?m)^\|.*\| ` + settingFigure(t, s.hosted, false) + `\b[^|]*\| .` + s.env + `. \|$`)
		if !row.MatchString(kept) {
			t.Errorf("docs/operate.md has no row %s", row)
		}
	}
}

// settingFigure returns the figure of a default as it stands in the tag of a setting.
func settingFigure(t *testing.T, text string, ofBytes bool) string {
	t.Helper()
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return figure(n, map[bool]string{true: "bytes"}[ofBytes && n > 0])
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Error(err)
	}
	return lengthOf(d)
}

// lengthOf returns a time for people, in its largest unit that divides it.
func lengthOf(d time.Duration) string {
	for _, unit := range []struct {
		name string
		is   time.Duration
	}{{"days", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}} {
		if d > 0 && d%unit.is == 0 {
			return fmt.Sprint(int64(d/unit.is), " ", unit.name)
		}
	}
	return strings.TrimSuffix(d.String(), "s")
}

// figure returns a number for people, with its unit.
func figure(n int64, unit string) string {
	if unit == "bytes" {
		for i, name := range []string{"GiB", "MiB", "KiB"} {
			if size := int64(1) << (30 - 10*i); n%size == 0 {
				return fmt.Sprintf("%d %s", n/size, name)
			}
		}
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return strings.TrimSpace(digits + " " + unit)
}

// constants are the values of constants of this repository, by their packages.
type constants struct {
	root     string
	fset     *token.FileSet
	packages map[string]*types.Package
}

// Import returns a package of ours, or time; of others only the names are missing, and what is made of those.
func (c *constants) Import(path string) (*types.Package, error) {
	if folder, ours := strings.CutPrefix(path, "github.com/windieos/windie/"); ours {
		pkg, _, err := c.load(folder)
		return pkg, err
	}
	if path != "time" {
		return nil, errors.New("not needed")
	}
	file, err := parser.ParseFile(c.fset, "time.go", timeUnits, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check("time", c.fset, []*ast.File{file}, nil)
}

// timeUnits is what constants use of the package time.
const timeUnits = `package time
type Duration int64
type Time struct{}
const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
)`

// load reads a package's declarations, with its comments.
func (c *constants) load(folder string) (*types.Package, []*ast.File, error) {
	if pkg := c.packages[folder]; pkg != nil {
		return pkg, nil, nil
	}
	listed, err := gobuild.ImportDir(filepath.Join(c.root, folder), 0)
	if err != nil {
		return nil, nil, err
	}
	var files []*ast.File
	for _, name := range listed.GoFiles {
		file, err := parser.ParseFile(c.fset, filepath.Join(listed.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
	}
	check := types.Config{Importer: c, IgnoreFuncBodies: true, Error: func(error) {}}
	pkg, _ := check.Check(folder, c.fset, files, nil) // what it cannot resolve is no constant of ours
	c.packages[folder] = pkg
	return pkg, files, nil
}

// value returns the figure of a constant.
func (c *constants) value(t *testing.T, folder, name, unit string) string {
	t.Helper()
	pkg, _, err := c.load(folder)
	if err != nil {
		t.Fatal(err)
	}
	found, ok := pkg.Scope().Lookup(name).(*types.Const)
	if !ok || found.Val().Kind() == constant.Unknown {
		t.Errorf("%s has no constant %s", folder, name)
		return ""
	}
	n, _ := constant.Int64Val(constant.ToInt(found.Val()))
	if strings.HasSuffix(found.Type().String(), "time.Duration") {
		return lengthOf(time.Duration(n))
	}
	return figure(n, unit)
}

// boundForm is how the comment of a bound begins: its name, what it bounds, the unit, and what is beyond it.
var boundForm = regexp.MustCompile(`^(\w+) bounds (.+?)(?:, in (bytes|characters|hours))?; beyond it: (.+?)\.(?: |$)`)

// wireRows is the table of the bounds that sdkapi exports, made of their comments.
func (c *constants) wireRows(t *testing.T) string {
	t.Helper()
	_, files, err := c.load("sdkapi")
	if err != nil {
		t.Fatal(err)
	}
	rows := []string{}
	for _, file := range files {
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				rows = append(rows, c.wireRow(t, group, spec.(*ast.ValueSpec))...)
			}
		}
	}
	slices.Sort(rows)
	return "\n## Requests and messages\n| constant of `sdkapi` | limit on | value | if exceeded |\n| --- | --- | --- | --- |\n" + strings.Join(rows, "")
}

// wireRow returns the row of a constant, if it is a bound.
func (c *constants) wireRow(t *testing.T, group *ast.GenDecl, spec *ast.ValueSpec) []string {
	t.Helper()
	name := spec.Names[0].Name
	if !strings.HasPrefix(name, "Max") {
		return nil
	}
	doc := spec.Doc
	if doc == nil {
		doc = group.Doc
	}
	m := boundForm.FindStringSubmatch(strings.Join(strings.Fields(doc.Text()), " "))
	if m == nil || m[1] != name {
		t.Errorf("sdkapi.%s: its comment must say %q", name, name+" bounds WHAT, in UNIT; beyond it: ANSWER.")
		return nil
	}
	return []string{fmt.Sprintf("| `%s` | %s | %s | %s |\n", name, asCode(m[2]), c.value(t, "sdkapi", name, m[3]), asCode(m[4]))}
}

// fixedRows is the table of the other limits that nothing changes.
func (c *constants) fixedRows(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	out.WriteString("\n## Fixed limits\n| limit on | value | if exceeded |\n| --- | --- | --- |\n")
	for _, l := range fixedLimits {
		folder, name, _ := strings.Cut(l.constant, ".")
		fmt.Fprintf(&out, "| %s | %s | %s |\n", asCode(l.what), c.value(t, folder, name, l.unit), asCode(l.beyond))
	}
	return out.String()
}
