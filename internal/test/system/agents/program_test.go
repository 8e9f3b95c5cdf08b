//go:build system

package agents_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/modelstest"
)

// stepLimit bounds one step of a client, the start of its program included.
const stepLimit = 2 * time.Minute

// protocols are those that a client's model may speak, by the name that its program gives.
var protocols = map[string]modelstest.Protocol{"": {}, "openai": modelstest.OpenAI, "anthropic": modelstest.Anthropic, "gemini": modelstest.Gemini, "responses": responses}

// about is what a client's program says of the client.
type about struct {
	Version string
	Model   string            // the protocol of its model; empty for a client that a program calls tools with
	Asks    bool              // it asks its user, by elicitation
	Cannot  map[string]string // why it cannot do a step, by the step's name
	Failed  string            // a program that does not start
}

// program is a client's program of testdata, which reads a step from a line of JSON and prints what came of it.
type program struct {
	about
	model *scriptedModel // nil for a client without one

	in  io.WriteCloser
	out *bufio.Scanner
}

// programs returns the paths of the clients' programs.
func programs(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.py", "*.mjs"} {
		found, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		t.Fatal("no programs in testdata")
	}
	return paths
}

// installed returns where make deps-system has put what a program needs: a folder of packages for Python, or the
// folder of node_modules.
func installed(t *testing.T, path string) string {
	t.Helper()
	tools := filepath.Join(testkit.RepoRoot(t), ".tools", "agents")
	dir, stamp := filepath.Join(tools, "node", "node_modules"), filepath.Join(tools, "node", "package-lock.json")
	if name, python := strings.CutSuffix(filepath.Base(path), ".py"); python {
		dir = filepath.Join(tools, name)
		stamp = filepath.Join(dir, "stamp")
	}
	if _, err := os.Stat(stamp); err != nil {
		testkit.Skip(t, "the MCP client of "+filepath.Base(path), "make deps-system")
	}
	return dir
}

// start starts a client's program, which ends with the test.
func start(t *testing.T, path string) *program {
	t.Helper()
	dir, home := installed(t, path), t.TempDir()
	main := "program" + filepath.Ext(path) // and not the client's name, which may be that of its package
	for from, to := range map[string]string{path: main, filepath.Join("testdata", "steps", "steps"+filepath.Ext(path)): "steps" + filepath.Ext(path)} {
		source, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(home, to), source, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	name, args := "python3", []string{"-u", main}
	environ := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "PYTHONPATH=" + dir, "PYTHONDONTWRITEBYTECODE=1", "NO_PROXY=*", "CI=1", "MCP_USE_ANONYMIZED_TELEMETRY=false", "OTEL_SDK_DISABLED=true"}
	if filepath.Ext(path) == ".mjs" {
		name, args = node(t), args[1:]
		if err := os.Symlink(dir, filepath.Join(home, "node_modules")); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(name, args...)
	var complaint rig.Output
	cmd.Dir, cmd.Env, cmd.Stderr = home, environ, &complaint
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with all that it starts
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the program printed: %.8000s", complaint.String())
		}
	})
	p := &program{in: in, out: bufio.NewScanner(out)}
	p.out.Buffer(nil, 16<<20)
	if err := p.do(map[string]any{"do": "about"}, &p.about); err != nil {
		t.Fatalf("%s does not start: %v\n%s", path, err, complaint.String())
	}
	if p.Model != "" {
		protocol, known := protocols[p.Model]
		if !known {
			t.Fatalf("%s: no protocol %q", path, p.Model)
		}
		p.model = startModel(t, protocol)
	}
	return p
}

// node returns a Node.js that is new enough for all clients.
func node(t *testing.T) string {
	t.Helper()
	own := filepath.Join(testkit.RepoRoot(t), ".tools", "node", "node_modules", ".bin", "node")
	if _, err := os.Stat(own); err == nil {
		return own
	}
	path, err := exec.LookPath("node")
	if err != nil {
		testkit.Skip(t, "node", "your system's package nodejs, 22 or newer")
	}
	return path
}

// do hands a step to the program, and reads what came of it.
func (p *program) do(step map[string]any, into any) error {
	raw, err := json.Marshal(step)
	if err != nil {
		return err
	}
	if _, err := p.in.Write(append(raw, '\n')); err != nil {
		return fmt.Errorf("the program has ended: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), stepLimit)
	defer cancel()
	read := make(chan error, 1)
	go func() {
		if !p.out.Scan() {
			read <- errors.Join(errors.New("the program has ended"), p.out.Err())
			return
		}
		var failed struct{ Failed string }
		err := json.Unmarshal(p.out.Bytes(), &failed)
		if err == nil && failed.Failed != "" {
			err = errors.New(failed.Failed)
		}
		if err == nil && into != nil {
			err = json.Unmarshal(p.out.Bytes(), into)
		}
		read <- err
	}()
	select {
	case err := <-read:
		return err
	case <-ctx.Done():
		return fmt.Errorf("no answer to the step %v in %v", step["do"], stepLimit)
	}
}

// open connects the client, whose user answers questions with yes.
func (p *program) open(where map[string]any) error {
	where["do"] = "open"
	if p.model != nil {
		where["model"] = p.model.URL
	}
	return p.do(where, nil)
}

// list returns the names of the tools that the client, or its model, sees.
func (p *program) list() ([]string, error) {
	if p.model != nil {
		s, err := p.play("ask", nil)
		names, _ := p.model.of(s)
		return names, err
	}
	var got struct{ Names []string }
	err := p.do(map[string]any{"do": "list"}, &got)
	return got.Names, err
}

// call calls a tool and returns the answer, of which an error of the tool is one.
func (p *program) call(tool string, arguments map[string]any) (answer, error) {
	if p.model != nil {
		s, err := p.play("ask", nil, scriptedCall(tool, arguments, false))
		if err != nil {
			return answer{}, err
		}
		return p.heard(s, 1)
	}
	var got answer
	err := p.do(map[string]any{"do": "call", "tool": tool, "arguments": arguments}, &got)
	return got, err
}

// twice calls a tool, has the test do something, and calls the tool again, all in the same connection.
func (p *program) twice(t *testing.T, tool string, arguments map[string]any, between func()) (answer, error) {
	t.Helper()
	if p.model != nil {
		s, err := p.play("ask", between, scriptedCall(tool, arguments, false), scriptedCall(tool, arguments, true))
		if err != nil {
			return answer{}, err
		}
		return p.heard(s, 2)
	}
	if _, err := p.call(tool, arguments); err != nil {
		return answer{}, err
	}
	between()
	return p.call(tool, arguments)
}

// cancel begins a call, and leaves it when a request for a URL is answered.
func (p *program) cancel(tool string, until string) error {
	if p.model != nil {
		s := newScript(scriptedCall(tool, map[string]any{"text": "x"}, false))
		return p.do(map[string]any{"do": "cancel", "prompt": s.prompt(), "until": until}, nil)
	}
	return p.do(map[string]any{"do": "cancel", "tool": tool, "arguments": map[string]any{"text": "x"}, "until": until}, nil)
}

// heard returns the last of n answers that the model has heard in the conversation of a script.
func (p *program) heard(id string, n int) (answer, error) {
	if _, heard := p.model.of(id); len(heard) >= n {
		return heard[n-1], nil
	}
	names, heard := p.model.of(id)
	return answer{}, fmt.Errorf("the model did not hear of %d calls, but of %v; its tools were %q", n, heard, names)
}

var scripts atomic.Int64

func newScript(calls ...scripted) script {
	return script{ID: fmt.Sprintf("s%d", scripts.Add(1)), Calls: calls}
}

func scriptedCall(tool string, arguments map[string]any, pause bool) scripted {
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return scripted{Tool: tool, Arguments: raw, Pause: pause}
}

// play has the client's agent go through a script, and returns the script's id.
func (p *program) play(do string, pause func(), calls ...scripted) (id string, err error) {
	s := newScript(calls...)
	if pause != nil {
		p.model.pause(s.ID, pause)
	}
	return s.ID, p.do(map[string]any{"do": do, "prompt": s.prompt()}, nil)
}
