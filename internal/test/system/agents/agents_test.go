//go:build system

package agents_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// target is a text on the picture of the tests, and nowhere a text that is not.
const (
	target  = "Check out"
	nowhere = "Launch the rocket"
)

// stand is what the steps of one client share.
type stand struct {
	*program

	gateway  *rig.Gateway
	data     string // the gateway's folder
	picture  string // a file in a folder that windie mcp shows
	upstream *upstream
}

// step is something that a client does with a gateway. It returns why that failed.
type step struct {
	name string
	does func(t *testing.T, s *stand) error
}

// steps are what a client does, in order, by the name that a program says in its "cannot".
var steps = []step{
	{"connect over stdio", connectStdio},
	{"list over stdio", lists},
	{"call over stdio", calls},
	{"picture by path", byPath},
	{"close", closes},
	{"connect", connects},
	{"list", lists},
	{"call", calls},
	{"path over HTTP", pathOverHTTP},
	{"picture by id", byID},
	{"picture by data", byData},
	{"picture back", pictureBack},
	{"refused", refused},
	{"approve", approves},
	{"cancel", cancels},
	{"restart", restarts},
	{"connect with a token", connectsHosted},
	{"list with a token", lists},
	{"call with a token", calls},
	{"picture with a token", byData},
}

// Clients of MCP that people use do with a gateway all that they can do with a server. What one cannot do, its program
// gives a reason for, and it still cannot.
func TestAgents(t *testing.T) {
	t.Parallel()
	for _, path := range programs(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), func(t *testing.T) {
			t.Parallel()
			s := newStand(t, path)
			t.Log("version", s.Version)
			for _, step := range steps {
				err := step.does(t, s)
				why, cannot := s.Cannot[step.name]
				switch {
				case cannot && err == nil:
					t.Errorf("%s: the client can do this now; its program says that it cannot: %s", step.name, why)
				case cannot:
					t.Logf("%s: cannot: %s (%.300v)", step.name, why, err)
				case err != nil:
					t.Errorf("%s: %v", step.name, err)
				default:
					t.Logf("%s: passed", step.name)
				}
			}
			for name := range s.Cannot {
				if !slices.ContainsFunc(steps, func(step step) bool { return step.name == name }) {
					t.Errorf("the program cannot do a step that is not there: %q", name)
				}
			}
		})
	}
}

// newStand starts a gateway with a server behind it, and a client's program.
func newStand(t *testing.T, path string) *stand {
	t.Helper()
	s := &stand{program: start(t, path), data: t.TempDir()}
	s.picture = filepath.Join(t.TempDir(), "screen.png")
	picture, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "examples", "click-target", "screen.png"))
	if err == nil {
		err = os.WriteFile(s.picture, picture, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.upstream = startUpstream(t, s.data)
	s.serve(t, "127.0.0.1:0")
	return s
}

// serve starts the gateway, and waits for the tools of the server behind it.
func (s *stand) serve(t *testing.T, listen string) {
	t.Helper()
	s.gateway = rig.Start(t, nil, "WINDIE_LISTEN="+listen, "WINDIE_DATA_DIR="+s.data, "WINDIE_LOG_LEVEL=warn")
	testkit.EventuallyWithin(t, time.Minute, "the tools of the server behind the gateway", func() (string, bool) {
		said := get(t, s.gateway.URL+"/api/tools", "")
		return said, strings.Contains(said, "test.echo")
	})
}

// get returns what the gateway answers, with the key of a person who approves calls, if the key is not empty.
func get(t *testing.T, url, key string) string { return ask(t, http.MethodGet, url, key, "") }

func ask(t *testing.T, method, url, key, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Windie-Key", key)
	req.Header.Set("X-User-Id", "local") // whom a client stands for that says nothing of a user
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func connectStdio(t *testing.T, s *stand) error {
	t.Helper()
	return s.open(map[string]any{
		"command": []string{rig.Program(t), "mcp", "--root", filepath.Dir(s.picture)},
		"env":     map[string]string{"WINDIE_DATA_DIR": s.data, "PATH": os.Getenv("PATH"), "HOME": s.data},
	})
}

func connects(t *testing.T, s *stand) error {
	t.Helper()
	return s.open(map[string]any{"url": s.gateway.URL + sdkapi.MCPPath})
}

// connectsHosted connects the client to a hosted gateway, with a user's token in a header.
func connectsHosted(t *testing.T, s *stand) error {
	t.Helper()
	if err := closes(t, s); err != nil {
		return err
	}
	data := t.TempDir()
	if err := os.Link(filepath.Join(s.data, "mcp.json"), filepath.Join(data, "mcp.json")); err != nil {
		return err
	}
	gateway := rig.Hosted(t, "WINDIE_LISTEN=127.0.0.1:0", "WINDIE_DATA_DIR="+data)
	var user sdkapi.InstallRegistration
	said := rig.Post(t, gateway.URL+sdkapi.InstallRegisterPath, `{"operating_system":"Linux"}`)
	if err := json.Unmarshal([]byte(said), &user); err != nil || user.InstallToken == "" {
		return fmt.Errorf("%w: %s", err, said)
	}
	return s.open(map[string]any{"url": gateway.URL + sdkapi.MCPPath, "headers": map[string]string{"Authorization": "Bearer " + user.InstallToken}})
}

func closes(_ *testing.T, s *stand) error { return s.do(map[string]any{"do": "close"}, nil) }

func lists(_ *testing.T, s *stand) error {
	names, err := s.list()
	if err != nil {
		return err
	}
	for _, want := range []string{"ocr_resolve_text", "vision_overlay", "test_echo", "test_write"} {
		if !slices.ContainsFunc(names, func(name string) bool { return isTool(name, want) }) {
			return fmt.Errorf("no %s in %q", want, names)
		}
	}
	return nil
}

// says calls a tool and fails unless the answer has the texts.
func (s *stand) says(tool string, arguments map[string]any, texts ...string) error {
	got, err := s.call(tool, arguments)
	if err != nil {
		return err
	}
	return holds(got, texts...)
}

func holds(got answer, texts ...string) error {
	for _, text := range texts {
		if !strings.Contains(got.Text, text) {
			return fmt.Errorf("no %q in the answer %.1500s", text, got.Text)
		}
	}
	return nil
}

func calls(_ *testing.T, s *stand) error {
	return s.says("test_echo", map[string]any{"text": "ahoy"}, "echo of ahoy")
}

// finds asks for the place of the target on a picture.
func (s *stand) finds(image string) error {
	return s.says("ocr_resolve_text", map[string]any{"image": image, "text": target}, target, "artifact")
}

func byPath(_ *testing.T, s *stand) error { return s.finds(s.picture) }

func byID(t *testing.T, s *stand) error {
	t.Helper()
	return s.finds("artifact:" + rig.Upload(t, s.gateway.URL))
}

func byData(_ *testing.T, s *stand) error {
	raw, err := os.ReadFile(s.picture)
	if err != nil {
		return err
	}
	return s.finds("data:image/png;base64," + base64.StdEncoding.EncodeToString(raw))
}

// A picture that the gateway draws reaches the caller as a picture.
func pictureBack(t *testing.T, s *stand) error {
	t.Helper()
	got, err := s.call("vision_overlay", map[string]any{"image": "artifact:" + rig.Upload(t, s.gateway.URL), "points": []map[string]int{{"x": 1106, "y": 586}}})
	if err == nil && got.Images != 1 {
		err = fmt.Errorf("%d images in the answer %.300s", got.Images, got.Text)
	}
	return err
}

// Over HTTP a path is refused, with the command that uploads the file.
func pathOverHTTP(_ *testing.T, s *stand) error {
	return s.says("ocr_resolve_text", map[string]any{"image": s.picture, "text": target}, "curl ", s.gateway.URL+"/api/artifacts/")
}

// The words of an error reach the caller.
func refused(t *testing.T, s *stand) error {
	t.Helper()
	return s.says("ocr_resolve_text", map[string]any{"image": "artifact:" + rig.Upload(t, s.gateway.URL), "text": nowhere}, string(sdkapi.TextNotFound), nowhere)
}

// A risky call is made after a person said yes, and once: the client's user, or whoever has the gateway's key.
func approves(t *testing.T, s *stand) error {
	t.Helper()
	write := map[string]any{"text": "a note"}
	if !s.Asks {
		if err := s.says("test_write", write, "Not run yet", "windie approvals"); err != nil {
			return err
		}
		if n := s.upstream.wrote("a note"); n != 0 {
			return fmt.Errorf("a call that nobody approved was made %d times", n)
		}
		if err := s.approveAll(t); err != nil {
			return err
		}
	}
	if err := s.says("test_write", write, "wrote a note"); err != nil {
		return err
	}
	if n := s.upstream.wrote("a note"); n != 1 {
		return fmt.Errorf("the call was made %d times", n)
	}
	return nil
}

// approveAll says yes to all that waits, with the gateway's key.
func (s *stand) approveAll(t *testing.T) error {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(s.data, "approval.key"))
	if err != nil {
		return err
	}
	said := get(t, s.gateway.URL+"/api/decisions", strings.TrimSpace(string(key)))
	var list sdkapi.DecisionList
	if err := json.Unmarshal([]byte(said), &list); err != nil || len(list.Decisions) != 1 {
		return fmt.Errorf("%w: %s", err, said)
	}
	said = ask(t, http.MethodPost, s.gateway.URL+"/api/decisions/"+list.Decisions[0].ID, strings.TrimSpace(string(key)), `{"approved":true}`)
	if !strings.Contains(said, "approved") {
		return errors.New(said)
	}
	return nil
}

// A call that its client leaves is cancelled, as far as the server behind the gateway, and the client goes on.
func cancels(t *testing.T, s *stand) error {
	t.Helper()
	for _, c := range []chan struct{}{s.upstream.began, s.upstream.ended, s.upstream.free} { // of a call before
		select {
		case <-c:
		default:
		}
	}
	running := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-s.upstream.began:
		case <-r.Context().Done():
		}
	}))
	defer running.Close()
	defer signal(s.upstream.free)
	if err := s.cancel("test_wait", running.URL); err != nil {
		return err
	}
	if err := calls(t, s); err != nil {
		return fmt.Errorf("the next call: %w", err)
	}
	patience := 30 * time.Second
	if _, cannot := s.Cannot["cancel"]; cannot {
		patience = 2 * time.Second
	}
	select {
	case <-s.upstream.ended:
		return nil
	case <-time.After(patience):
		return errors.New("the call goes on at the server behind the gateway")
	}
}

// A client goes on after its gateway was started again.
func restarts(t *testing.T, s *stand) error {
	t.Helper()
	got, err := s.twice(t, "test_echo", map[string]any{"text": "again"}, func() {
		s.gateway.Stop()
		s.serve(t, strings.TrimPrefix(s.gateway.URL, "http://"))
	})
	if err != nil {
		return err
	}
	return holds(got, "echo of again")
}
