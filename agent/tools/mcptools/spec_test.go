package mcptools_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/internal/fault"
)

func getenv(name string) (string, bool) {
	value, ok := map[string]string{"TOKEN": "swordfish-1234", "EMPTY": ""}[name]
	return value, ok
}

func TestParse(t *testing.T) {
	t.Parallel()
	specs, err := mcptools.Parse([]byte(`{
		"globalShortcut": "of another program",
		"mcpServers": {
			"File System": {"command": "npx", "args": ["-y", "server", "${HOME:-/home}", "$HOME"], "env": {"KEY": "x${env:TOKEN}"}, "cwd": "/tmp"},
			"remote": {"type": "streamable-http", "url": "https://mcp.example/${EMPTY:-never}", "headers": {"Authorization": "Bearer ${TOKEN}"},
				"allow": ["read_*"], "deny": ["read_secret"], "risk": {"read_file": "safe"}, "timeout": "90s"},
			"off": {"command": "x", "args": ["${UNSET}"], "disabled": true, "timeout": 1.5}
		}
	}`), getenv)
	if err != nil {
		t.Fatal(err)
	}
	if len(specs) != 3 {
		t.Fatalf("%d specs", len(specs))
	}
	files, off, remote := specs[0], specs[1], specs[2]
	if files.Name != "file_system" || !reflect.DeepEqual(files.Args, []string{"-y", "server", "/home", "$HOME"}) || files.Env["KEY"] != "xswordfish-1234" || files.Dir != "/tmp" || files.Timeout != time.Minute {
		t.Errorf("%+v", files)
	}
	if remote.URL != "https://mcp.example/" || remote.Headers["Authorization"] != "Bearer swordfish-1234" || remote.Risk["read_file"] != agent.Safe || remote.Timeout != 90*time.Second {
		t.Errorf("%+v", remote)
	}
	if !off.Disabled || off.Timeout != 1500*time.Millisecond {
		t.Errorf("%+v", off)
	}
}

// All faults are reported at once, and no value of a variable.
func TestParseTellsAllProblems(t *testing.T) {
	t.Parallel()
	_, err := mcptools.Parse([]byte(`{"mcpServers": {
		"both": {"command": "x", "url": "https://mcp.example"},
		"neither": {},
		"sse": {"type": "sse", "url": "https://mcp.example"},
		"unset": {"command": "${NO_SUCH}"},
		"9": {"command": "x"},
		"Twin": {"command": "x"}, "twin": {"command": "x"},
		"place": {"url": "ftp://user:${TOKEN}@host"},
		"header": {"url": "https://mcp.example", "headers": {"a b": "x", "c": "x\r\ny: ${TOKEN}"}},
		"number": {"command": 7},
		"wild": {"command": "x", "allow": ["[a"], "risk": {"t": "harmless"}, "timeout": "1h"},
		"env": {"command": "x", "env": {"A=B": "x"}}
	}}`), getenv)
	f := fault.From(err)
	if f == nil {
		t.Fatal("no error")
	}
	var told []string
	for _, field := range f.Details.Fields {
		told = append(told, field.Path+": "+field.Message)
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{
		"both: expected either command or url", "neither: expected either command or url", "sse.type: expected http", "unset.command: the environment variable NO_SUCH is not set",
		"mcpServers.9: expected a name", `twin: expected another name: the tools of "Twin"`, "place.url: expected", `headers: expected valid names and values of headers: "a b"`,
		`headers: expected valid names and values of headers: "c"`, "number: cannot unmarshal", "wild.allow:", "wild.risk.t: expected safe", "wild.timeout: expected at most 10m", `env.env: expected names of variables, not "A=B"`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing has %q:\n%s", want, all)
		}
	}
	if strings.Contains(all+err.Error(), "swordfish") {
		t.Errorf("a secret is told:\n%s", all)
	}
	for _, raw := range []string{`[]`, `{}`, `{"mcpServers":[]}`, `{"mcpServers":`, strings.Repeat(" ", 2<<20)} {
		if _, err := mcptools.Parse([]byte(raw), getenv); err == nil {
			t.Errorf("%.20q is no file", raw)
		}
	}
}
