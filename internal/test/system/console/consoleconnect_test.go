//go:build system

package console_test

import (
	"bufio"
	"encoding/json"
	"io"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// connecting is an MCP client that a person connects by the URL of the gateway.
type connecting struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
}

// said is a line of a connecting client.
type said struct {
	Open, Iss, State, Scope, Result, Refused, Failed string
	Rotated                                          bool
	Tools                                            []string
}

// startConnecting starts the OAuth client of a version of the TypeScript SDK. It ends with the test.
func startConnecting(t *testing.T, url, version string) *connecting {
	t.Helper()
	node, err := exec.LookPath("node")
	modules := filepath.Join(testkit.RepoRoot(t), ".tools", "agents", "node", "node_modules")
	if _, missing := os.Stat(filepath.Join(modules, "@modelcontextprotocol", "sdk")); err != nil || missing != nil {
		testkit.Skip(t, "the TypeScript SDK of MCP", "make deps-system")
	}
	home := t.TempDir()
	source, err := os.ReadFile(filepath.Join("testdata", "connect.mjs"))
	if err == nil {
		err = os.WriteFile(filepath.Join(home, "connect.mjs"), source, 0o600)
	}
	if err == nil {
		err = os.Symlink(modules, filepath.Join(home, "node_modules"))
	}
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(node, "connect.mjs", url, version)
	var complaint rig.Output
	program.Dir, program.Stderr = home, &complaint
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = program.Process.Kill()
		_ = program.Wait()
		if t.Failed() {
			t.Logf("the client printed: %.4000s", complaint.String())
		}
	})
	return &connecting{t, in, bufio.NewScanner(out)}
}

// says returns the next line of the client.
func (c *connecting) says() (s said) {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatalf("the client ended: %v", c.out.Err())
	}
	if err := json.Unmarshal(c.out.Bytes(), &s); err != nil {
		c.t.Fatalf("%s: %v", c.out.Text(), err)
	}
	return s
}

// asks sends a line to the client and returns its answer.
func (c *connecting) asks(line string) said {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
	return c.says()
}

// registerApp registers an app that gets its codes at an address of its own scheme, and returns where it leads the browser.
func registerApp(t *testing.T, public, redirect string) (url string) {
	t.Helper()
	said := rig.Post(t, public+sdkapi.OAuthRegisterPath, `{"client_name":"An app","redirect_uris":["`+redirect+`"]}`)
	var client sdkapi.OAuthRegistration
	if err := json.Unmarshal([]byte(said), &client); err != nil || client.ClientID == "" {
		t.Fatal(said, err)
	}
	return public + sdkapi.OAuthAuthorizePath + "?" + neturl.Values{
		"response_type": {"code"}, "client_id": {client.ClientID}, "redirect_uri": {redirect}, "code_challenge": {strings.Repeat("c", 43)}, "code_challenge_method": {"S256"},
	}.Encode()
}

// runs runs a command on the gateway's data, and returns what it printed.
func (g *consoleGateway) runs(args ...string) string {
	g.t.Helper()
	var out, complaint rig.Output
	if code := rig.Run(g.t.Context(), args, g.environ, nil, &out, &complaint); code != 0 {
		g.t.Fatalf("%v: %d %s", args, code, complaint.String())
	}
	return strings.TrimSpace(out.String())
}

// A person adds a hosted gateway, behind a proxy, to an MCP client by its URL: the browser shows who asks for what, after the person has
// signed in. The person allows a part, sees the client in the list and disconnects it.
func TestConnectClient(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1", "2"} {
		t.Run("TypeScript SDK "+version, func(t *testing.T) {
			t.Parallel()
			connectClient(t, version)
		})
	}
}

func connectClient(t *testing.T, version string) {
	public, lead := startBehindProxy(t)
	g := startForConsole(t, "WINDIE_MODE=hosted", "WINDIE_PUBLIC_URL="+public)
	lead(g.url)
	var token struct {
		InstallToken string `json:"install_token"`
	}
	if err := json.Unmarshal([]byte(g.runs("token", "create", g.runs("user", "create"), "--json")), &token); err != nil {
		t.Fatal(err)
	}
	client, b := startConnecting(t, public+"/mcp", version), newTab(t, public)
	to := client.says().Open
	if !strings.HasPrefix(to, public+"/oauth/authorize?") {
		t.Fatalf("led to %s", to)
	}
	b.do(chromedp.Navigate(to))
	b.sees("Sign in to continue")
	b.do(chromedp.Navigate("about:blank")) // as a provider's pages, which lead back without the request
	b.do(chromedp.Navigate(public + "/console/#/"))
	b.sees("Sign in to continue")
	b.write("input[type=password]", token.InstallToken)
	b.click("button", "Sign in")
	b.sees("TypeScript SDK", "Nobody has verified it", "a program on your own machine", "Read screens", "Use tools")
	b.wellFormed("a client asks")
	b.picture("connect")
	b.click("label.check", "Use tools")
	b.click("button", "Allow")
	b.sees("You can close this page.")
	b.forgives()
	got := client.says()
	if got.Iss != public || got.State != "the state of this test" || got.Scope != "screens" || !slices.Contains(got.Tools, "ocr_read") || slices.Contains(got.Tools, "memory_search") {
		t.Errorf("%+v", got)
	}
	if got := client.asks("refresh"); got.Result != "AUTHORIZED" || !got.Rotated || !slices.Contains(got.Tools, "ocr_read") {
		t.Errorf("%+v", got)
	}
	b.open(public + "/console/#/gateway/clients")
	b.sees("TypeScript SDK", "It may: read screens")
	b.wellFormed("connected clients")
	b.click("button", "Disconnect")
	b.click(".sure button", "Yes")
	b.sees("No clients connected")
	if got := client.asks("list"); got.Failed == "" && got.Open == "" {
		t.Errorf("a disconnected client still lists tools: %+v", got)
	}
	denied := startConnecting(t, public+"/mcp", version)
	b.do(chromedp.Navigate(denied.says().Open))
	b.sees("TypeScript SDK")
	b.click("button", "Deny")
	b.sees("You can close this page.")
	b.forgives()
	if got := denied.says(); got.Refused != "access_denied" {
		t.Errorf("%+v", got)
	}
	app := registerApp(t, public, "cursor://anysphere.cursor-mcp/oauth/callback")
	b.do(chromedp.Navigate(app))
	b.sees("An app", "the program on your own machine that opens links of", "cursor:", "cursor://anysphere.cursor-mcp/oauth/callback")
	b.wellFormed("an app asks")
	b.click("button", "Allow")
	b.sees("open it") // no program here opens such links
	b.forgives()
	b.do(chromedp.Navigate(public + "/oauth/authorize?client_id=client_none&redirect_uri=https://evil.example/"))
	b.sees("Connect a client", "the client's request is invalid")
	b.wellFormed("an invalid request")
}
