package computer_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer"
	"github.com/windieos/windie/client/computer/browser"
	"github.com/windieos/windie/client/computer/process"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/perception/reader"
)

func TestMain(m *testing.M) {
	process.Supervise()
	goleak.VerifyTestMain(m)
}

// What the options allow is there, and nothing else.
func TestTools(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		opts  computer.Options
		with  []string // groups or names
		never []string
	}{
		"by default": {computer.Options{}, []string{"file.read", "file.write", "git.commit"}, []string{"file.remove", "process.", "screen.", "window.", "browser."}},
		"read only":  {computer.Options{ReadOnly: true, Remove: true}, []string{"file.read", "git.log"}, []string{"file.write", "file.edit", "file.remove", "file.move", "git.commit", "git.add", "git.branch\x00"}},
		"all": {
			computer.Options{Remove: true, Programs: []string{"*"}, Screen: true, Finder: query.New(perception.NewScenes(reader.New(reader.Config{}), perception.Options{}), nil), Browser: &browser.Rules{}},
			[]string{"file.remove", "process.run", "screen.capture", "screen.click", "screen.menu", "window.list", "clipboard.read", "browser.open"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.opts.Root = t.TempDir()
			c, err := computer.Open(tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			tools := agent.NewRegistry()
			var names []string
			for _, tool := range c.Tools() {
				if err := tools.Register(tool); err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Descriptor().Name+"\x00")
			}
			has := func(name string) bool {
				return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, name) })
			}
			for _, want := range tt.with {
				if !has(want) {
					t.Errorf("there is no %s", want)
				}
			}
			for _, gone := range tt.never {
				if has(gone) {
					t.Errorf("%s is there", gone)
				}
			}
		})
	}
}

// A computer has a folder, which is there.
func TestOpen(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"", "/none/of/this/name"} {
		if _, err := computer.Open(computer.Options{Root: root}); err == nil {
			t.Errorf("%q was opened", root)
		}
	}
	if _, err := computer.Open(computer.Options{Root: t.TempDir(), Browser: &browser.Rules{Hosts: []string{"https://x/"}}}); err == nil {
		t.Error("invalid rules were taken")
	}
	if _, err := computer.Open(computer.Options{Root: t.TempDir(), Screen: true}); err == nil {
		t.Error("a screen without a finder was opened")
	}
	dir := t.TempDir()
	c, err := computer.Open(computer.Options{Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Put("a/b", strings.NewReader("c")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(dir + "/a/b"); string(got) != "c" || err != nil || c.Dir() != dir {
		t.Errorf("%q, %v", got, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// A file that is there stays as it is, and where files are read only none is taken.
func TestKeep(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		readOnly bool
		want     string
	}{"read only": {true, ""}, "else": {false, "first"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := computer.Open(computer.Options{Root: t.TempDir(), ReadOnly: tt.readOnly})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for _, text := range []string{"first", "second"} {
				if err := c.Keep("runs/run-1/a.txt", strings.NewReader(text)); (err != nil) != tt.readOnly {
					t.Error(err)
				}
			}
			if got, _ := os.ReadFile(c.Dir() + "/runs/run-1/a.txt"); string(got) != tt.want {
				t.Errorf("%q", got)
			}
		})
	}
}
