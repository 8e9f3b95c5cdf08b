package computer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/computer"
	"github.com/windieos/windie/internal/testkit"
)

// machine is a computer's tools, in a folder of the test's own.
type machine struct {
	agent.View

	dir string
}

func open(t *testing.T, opts computer.Options) *machine {
	t.Helper()
	opts.Root = t.TempDir()
	c, err := computer.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	tools := agent.NewRegistry()
	for _, tool := range c.Tools() {
		if err := tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	return &machine{tools.View(), opts.Root}
}

// call calls a tool, and returns its answer, or behind "failed: " why there is no answer.
func (m *machine) call(ctx context.Context, t *testing.T, tool string, arguments any) string {
	t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	result, err := m.Invoke(ctx, tool, agent.Call{Arguments: raw})
	switch {
	case err != nil:
		return "failed: " + err.Error()
	case result.IsError:
		return "failed: " + result.Content[0].Text
	}
	return string(result.Structured)
}

func (m *machine) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

type arguments map[string]any

// What files can be asked for, and what is answered.
func TestFiles(t *testing.T) {
	t.Parallel()
	m := open(t, computer.Options{})
	m.put(t, "a.txt", "one\ntwo\nthree")
	m.put(t, "binary", "a\xff")
	m.put(t, "long", strings.Repeat("x", computer.MaxRead+1))
	if err := os.Symlink("/etc", filepath.Join(m.dir, "out")); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		tool string
		in   arguments
		want string
	}{
		"whole":             {"file.read", arguments{"path": "a.txt"}, `{"text":"one\ntwo\nthree","line_end":3,"more":false}`},
		"by lines":          {"file.read", arguments{"path": "./a.txt", "line_start": 2, "line_end": 2}, `{"text":"two\n","line_end":2,"more":true}`},
		"behind the end":    {"file.read", arguments{"path": "a.txt", "line_start": 9}, `{"text":"","line_end":8,"more":false}`},
		"no text":           {"file.read", arguments{"path": "binary"}, "failed: binary is no text in UTF-8"},
		"a long line":       {"file.read", arguments{"path": "long"}, "failed: line 1 of long has more than"},
		"nothing":           {"file.read", arguments{"path": "none"}, "failed: there is no none"},
		"a folder":          {"file.read", arguments{"path": "."}, "failed: . is no file"},
		"above":             {"file.read", arguments{"path": "../../etc/passwd"}, "failed: "},
		"absolute":          {"file.read", arguments{"path": "/etc/passwd"}, "failed: "},
		"by a link":         {"file.read", arguments{"path": "out/passwd"}, "failed: "},
		"list by a link":    {"file.list", arguments{"path": "out"}, "failed: "},
		"write by a link":   {"file.write", arguments{"path": "out/windie", "text": "x"}, "failed: "},
		"write above":       {"file.write", arguments{"path": "../windie", "text": "x"}, "failed: "},
		"write over folder": {"file.write", arguments{"path": ".", "text": "x"}, "failed: "},
		"without a program": {"process.run", arguments{"program": "sh"}, "failed: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := m.call(t.Context(), t, tt.tool, tt.in); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s; want %s", got, tt.want)
			}
		})
	}
}

// A file is written whole, into folders that are made, and nothing else is left; it can be listed and read.
func TestWrite(t *testing.T) {
	t.Parallel()
	m := open(t, computer.Options{})
	if got := m.call(t.Context(), t, "file.write", arguments{"path": "b/c/d.txt", "text": "new"}); got != `{"size":3}` {
		t.Errorf("%s", got)
	}
	m.call(t.Context(), t, "file.write", arguments{"path": "b/c/d.txt", "text": "newer"})
	if got := m.call(t.Context(), t, "file.list", arguments{"path": "b/c"}); got != `{"entries":[{"name":"d.txt","size":5}],"more":false}` {
		t.Errorf("%s", got)
	}
	if got := m.call(t.Context(), t, "file.list", arguments{}); got != `{"entries":[{"name":"b/","size":0}],"more":false}` {
		t.Errorf("%s", got)
	}
	if _, offered := open(t, computer.Options{ReadOnly: true}).Get("file.write"); offered {
		t.Error("files can be written where that is not allowed")
	}
}

// Programs run as they are called, and end with what they have started.
func TestPrograms(t *testing.T) {
	t.Parallel()
	m := open(t, computer.Options{Programs: []string{"sh", "cat"}})
	m.put(t, "a.txt", "here")
	for name, tt := range map[string]struct {
		in   arguments
		want string
	}{
		"output":         {arguments{"program": "cat", "args": []string{"a.txt"}}, `{"exit_code":0,"output":"here"}`},
		"no shell":       {arguments{"program": "cat", "args": []string{"$(id)", "; id"}}, `{"exit_code":1,"output":"cat: '$(id)'`},
		"input":          {arguments{"program": "cat", "input": "in"}, `{"exit_code":0,"output":"in"}`},
		"code and error": {arguments{"program": "sh", "args": []string{"-c", "echo no >&2; exit 3"}}, `{"exit_code":3,"output":"no\n"}`},
		"too long":       {arguments{"program": "sh", "args": []string{"-c", "echo a; sleep 60"}, "seconds": 1}, `{"exit_code":-1,"output":"a\n","ended":"it ran longer than 1s"}`},
		"not allowed":    {arguments{"program": "id"}, "failed: id may not be run here; these may: sh, cat"},
		"by its path":    {arguments{"program": "/bin/sh"}, "failed: /bin/sh may not be run here"},
		"in the folder":  {arguments{"program": "./sh"}, "failed: ./sh may not be run here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := m.call(t.Context(), t, "process.run", tt.in); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s; want %s", got, tt.want)
			}
		})
	}
	long := m.call(t.Context(), t, "process.run", arguments{"program": "sh", "args": []string{"-c", "i=0; while [ $i -lt 40000 ]; do echo line $i; i=$((i+1)); done"}})
	if len(long) > 2*computer.MaxOutput || !strings.Contains(long, "line 0\\n") || !strings.Contains(long, "line 39999\\n") || !strings.Contains(long, "bytes are left out") {
		t.Errorf("%d bytes of output: %.200s", len(long), long)
	}
}

// What a program leaves behind ends with it, and with the call.
func TestGroupsEnd(t *testing.T) {
	t.Parallel()
	m := open(t, computer.Options{Programs: []string{"*"}})
	ticks := func() (int64, bool) {
		info, err := os.Stat(filepath.Join(m.dir, "ticks"))
		if err != nil {
			return 0, false
		}
		return info.Size(), info.Size() > 0
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan string)
	go func() {
		done <- m.call(ctx, t, "process.run", arguments{"program": "sh", "args": []string{"-c", "(while :; do echo >> ticks; sleep 0.02; done) & wait"}})
	}()
	testkit.Eventually(t, "the child runs", ticks)
	cancel()
	if got := <-done; !strings.HasPrefix(got, "failed: ") {
		t.Errorf("%s", got)
	}
	size, _ := ticks()
	testkit.Throughout(t, 300*time.Millisecond, "the child has ended", func() (string, bool) {
		now, _ := ticks()
		return fmt.Sprint(now), now <= size+1
	})
	began := time.Now()
	m.call(t.Context(), t, "process.run", arguments{"program": "sh", "args": []string{"-c", "sleep 30 & echo left"}})
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("a program that has ended is waited for %v", took)
	}
}
