package mcptools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// beside serves a server that misbehaves, and one that does not.
func beside(t testing.TB, role string, more ...string) served {
	t.Helper()
	s := serve(t, t.TempDir(), map[string]string{"bad": upstream(role, more...), "good": upstream("good")})
	s.until("a good server", "good", ready)
	return s
}

// goesOn reports that the other server works.
func (s served) goesOn() {
	s.t.Helper()
	if _, err := s.invoke("good.echo", `{"text":"x"}`); err != nil {
		s.t.Errorf("the other server: %v", err)
	}
}

func TestServersThatMisbehaveInACall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tool, arguments, timeout string
		code                     sdkapi.Code
		told                     string
	}{
		{"never", `{"n":1}`, "300ms", sdkapi.Timeout, "did not answer within 300ms"},
		{"die", `{"n":1}`, "20s", sdkapi.ToolError, "exit status 3"},
		{"garbage", `{"n":1}`, "20s", sdkapi.ToolError, "sent an invalid answer"},
		{"line", `{"n":1}`, "20s", sdkapi.ToolError, "sent an invalid answer"},
		{"notices", `{"n":1}`, "500ms", sdkapi.Timeout, "did not answer within 500ms"},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			t.Parallel()
			s := beside(t, "good", `"timeout":"`+tt.timeout+`"`)
			s.until("a server", "bad", ready)
			_, err := s.invoke("bad."+tt.tool, tt.arguments)
			wantCode(t, err, tt.code, tt.told)
			t.Logf("%s: %v", tt.tool, err)
			if err != nil && strings.Contains(err.Error(), "swordfish") || strings.Contains(s.log.String(), "swordfish") {
				t.Errorf("a secret is told: %v\n%s", err, s.log)
			}
			s.goesOn()
			if tt.tool == "notices" {
				return // it goes on for ever, until it is ended
			}
			// The next call finds it again, at once or once it was started again.
			testkit.Eventually(t, "a call afterwards succeeds", func() (any, bool) {
				_, err := s.invoke("bad.echo", `{"text":"x"}`)
				return err, err == nil
			})
		})
	}
}

func TestServersThatMisbehaveAtTheirStart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ role, problem string }{
		{"gone", "exit status 7; it printed last: cannot find the database [set]"},
		{"wrong", "failed to list its tools"},
	} {
		t.Run(tt.role, func(t *testing.T) {
			t.Parallel()
			s := beside(t, tt.role)
			if st := s.until("a problem", "bad", broken); !strings.Contains(st.Problem, tt.problem) {
				t.Errorf("%q", st.Problem)
			}
			_, err := s.invoke("bad.echo", `{}`)
			wantCode(t, err, sdkapi.ToolNotFound, "")
			s.goesOn()
			if strings.Contains(s.log.String(), "swordfish") {
				t.Errorf("a secret is told: %s", s.log)
			}
		})
	}
}

func TestServersThatDoNotStart(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{
		"none": `{"command":"/no/such/program"}`,
		"off":  `{"command":"/no/such/program","disabled":true}`,
	})
	if st := s.until("a problem", "none", broken); !strings.Contains(st.Problem, "no such file") {
		t.Errorf("%q", st.Problem)
	}
	if st := s.status("off"); st.State != mcptools.Disabled {
		t.Errorf("%+v", st)
	}
	time.Sleep(500 * time.Millisecond) // 20 + 40 + 80 + 160 ms of waiting, and a part of 320
	if n := strings.Count(s.log.String(), "MCP server unavailable"); n < 2 || n > 8 {
		t.Errorf("it was tried %d times:\n%s", n, s.log)
	}
}

func TestAnswersThatAreTooLarge(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"up": upstream("good")})
	s.until("a server", "up", ready)
	for _, tt := range []struct {
		tool, n, told string
		failed        bool
	}{
		{"many", "100", "part", false},
		{"many", "101", "the answer has 101 parts; the limit is 100", true},
		{"big", "8388608", "xxx", false},
		{"big", "8388609", "the answer has 8388609 bytes; the limit is 8388608", true},
	} {
		t.Run(tt.n, func(t *testing.T) {
			res, err := s.invoke("up."+tt.tool, `{"n":`+tt.n+`}`)
			if got := words(res); err != nil || res.IsError != tt.failed || !strings.HasPrefix(got, tt.told) {
				t.Errorf("%s %s: %.100q, %v", tt.tool, tt.n, got, err)
			}
		})
	}
	_, err := s.invoke("up.big", `{"n":17000000}`)
	wantCode(t, err, sdkapi.ToolError, "maximum line length")
}

func TestStrangeListings(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{
		"strange": upstream("strange"), "nothing": upstream("nothing"), "circle": upstream("circle"), "hoards": upstream("hoards"),
	})
	st := s.until("a server", "strange", ready)
	var names []string
	for _, tool := range st.Tools {
		names = append(names, tool.Name)
	}
	want := "strange.a_name_that_is_so_long_that_no_provider_of_models_takes strange.get_it strange.hidden strange.listed strange.n_code_tool strange.secret_delete_all strange.t_2fast"
	if got := strings.Join(names, " "); len(names) != 7 || !strings.HasPrefix(got, want[:30]) || len(names[0]) != 64 || !strings.HasSuffix(got, "strange.get_it strange.hidden strange.listed strange.n_code_tool strange.secret_delete_all strange.t_2fast") {
		t.Errorf("%q", names)
	}
	for _, note := range []string{
		`"---" is ignored: its name must contain a letter`, `"get-it" is ignored: another tool of the server is also called strange.get_it`,
		`"array" is ignored: its input schema`, `"broken" is ignored: its input schema`, `"remote" is ignored: its input schema`, `the output schema of the tool "listed"`,
	} {
		if !strings.Contains(strings.Join(st.Notes, "\n"), note) {
			t.Errorf("no note has %s: %q", note, st.Notes)
		}
	}
	if d, _ := s.registry.Get("strange.get_it"); d.Description != "exact" {
		t.Errorf("%+v", d)
	}
	d, _ := s.registry.Get("strange.hidden")
	if d.Description != "Adds two numbers." {
		t.Errorf("%q", d.Description)
	}
	const input = "{\"anyOf\":[{\"title\":\"B\"}],\"properties\":{\"description\":{\"description\":\"One.\",\"enum\":[\"a\u200bb\"],\"type\":\"string\"}},\"title\":\"All\",\"type\":\"object\"}"
	if string(d.Input) != input {
		t.Errorf("its arguments are %q, want %q", d.Input, input)
	}
	if st := s.until("a listing in a circle", "circle", ready); len(st.Tools) != 0 || !strings.Contains(strings.Join(st.Notes, ""), "more than 100 pages") {
		t.Errorf("%+v", st)
	}
	if st := s.until("a long listing", "hoards", ready); len(st.Tools) != 1000 || !strings.Contains(strings.Join(st.Notes, ""), "more than 1000 tools") {
		t.Errorf("%d tools, %q", len(st.Tools), st.Notes)
	}
	s.until("a listing of nothing", "nothing", func(st mcptools.Status) bool { return broken(st) || ready(st) })
}

// What a server prints that is no message is for the log, and does not appear
// there without end.
func TestChatterIsLogged(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"up": upstream("good")})
	s.until("a server", "up", ready)
	for range 200 {
		if _, err := s.invoke("up.chatter", `{"n":1}`); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(s.log.String(), "I am a line of the log."); n < 50 || n > 150 {
		t.Errorf("%d lines are in the log", n)
	}
}
