// Package computer has tools for the machine on which it runs: files below a folder, git, programs,
// the screen, and the user's browser.
//
//	c, err := computer.Open(computer.Options{Root: "/home/ada/work", Programs: []string{"make"}, Screen: true, Finder: finder})
//	defer c.Close()
//	registry := agent.NewRegistry()
//	for _, tool := range c.Tools() {
//		err := registry.Register(tool)
//	}
//
// Each kind of tools is a package below this one, which can also be used alone. Options set their
// permissions. A program with these tools calls Supervise first in main.
package computer

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/browser"
	"github.com/windieos/windie/client/computer/delegate"
	"github.com/windieos/windie/client/computer/eyes"
	"github.com/windieos/windie/client/computer/files"
	"github.com/windieos/windie/client/computer/git"
	"github.com/windieos/windie/client/computer/process"
	"github.com/windieos/windie/client/computer/screen"
	"github.com/windieos/windie/perception/query"
)

// Supervise calls process.Supervise. Call it first in main. In a process that supervises a program,
// it does not return.
func Supervise() { process.Supervise() }

// Options are the policy for the tools. The Risk of a tool decides whether a person is asked: a
// tool that only looks is agent.Safe, and a tool that can change something is agent.Risky. If only
// Root is set, the tools read and write files of the folder and commit in its repositories. There
// are then no tools that remove files or run programs, and no tools for the screen or the browser.
type Options struct {
	Root     string // folder of the files; programs also run in it; required
	ReadOnly bool   // files and repositories are read-only
	Remove   bool   // include the tool file.remove
	// Programs are the programs that may run, by their name in PATH. "*" allows every program. If the
	// list is empty, no program may run and there is no tool process.run.
	Programs []string
	Screen   bool           // include the tools that see and control the screen
	Finder   *query.Finder  // finds what the tools of the screen act on; required with Screen
	Display  string         // X11 display; default: the variable DISPLAY
	Browser  *browser.Rules // rules for the tools that drive the user's browser; nil: no such tools

	// Agents are the coding agents that can get tasks. If the list is empty, there is no tool
	// delegate.task.
	Agents []delegate.Agent

	// Ask decides about the steps of these agents, see delegate.Options.Ask. If it is nil, all steps
	// are denied.
	Ask func(ctx context.Context, call agent.Call, step delegate.Step) (bool, error)
}

// Computer is the machine with its tools. Its methods are safe for concurrent use.
type Computer struct {
	readOnly bool // of files

	folder  *files.Folder
	git     *git.Git
	runner  *process.Runner
	screen  *screen.Screen   // nil if Options do not allow it
	eyes    *eyes.Eyes       // of the screen
	browser *browser.Browser // nil if Options do not allow it
	agents  *delegate.Delegate
}

// Open returns the machine. The caller closes it. If the screen is unusable, Open still succeeds,
// and the screen tools report the reason.
func Open(opts Options) (*Computer, error) {
	if opts.Root == "" {
		return nil, errors.New("computer: the folder for files is missing")
	}
	if opts.Screen && opts.Finder == nil {
		return nil, errors.New("computer: the finder for the screen is missing")
	}
	folder, err := files.Open(opts.Root, files.Rules{ReadOnly: opts.ReadOnly, Remove: opts.Remove})
	if err != nil {
		return nil, err
	}
	c := &Computer{
		readOnly: opts.ReadOnly,

		folder: folder,
		git:    git.New(folder.Dir(), git.Rules{ReadOnly: opts.ReadOnly}),
		runner: process.New(folder.Dir(), process.Rules{Programs: opts.Programs}),
		agents: delegate.New(delegate.Options{Dir: folder.Dir(), Agents: opts.Agents, Ask: opts.Ask}),
	}
	if opts.Screen {
		c.screen = screen.Open(opts.Display)
		c.eyes = eyes.New(c.screen, opts.Finder)
	}
	if opts.Browser != nil {
		if c.browser, err = browser.New(*opts.Browser); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// Close closes the folder, the connection to the screen, and the browser.
func (c *Computer) Close() error {
	if c.screen != nil {
		c.screen.Close()
		c.eyes.Close()
	}
	if c.browser != nil {
		c.browser.Close()
	}
	return c.folder.Close()
}

// Dir returns the absolute path of the working folder.
func (c *Computer) Dir() string { return c.folder.Dir() }

// Put copies the content of a reader to a file of the folder, atomically. Its error messages are meant for people.
func (c *Computer) Put(name string, content io.Reader) error { return c.folder.Put(name, content) }

// Keep writes a file like Put, but only if the file is missing. It leaves an existing file
// unchanged. It fails if files are read-only.
func (c *Computer) Keep(name string, content io.Reader) error {
	if c.readOnly {
		return errors.New("this machine accepts no files, because its files are read-only")
	}
	if _, err := os.Lstat(filepath.Join(c.Dir(), filepath.FromSlash(name))); err == nil {
		return nil
	}
	return c.Put(name, content)
}

// Lines returns lines of a text file of the folder, like files.Folder.Lines.
func (c *Computer) Lines(ctx context.Context, name string, first, last int) (text string, end int, more bool, err error) {
	return c.folder.Lines(ctx, name, first, last)
}

// Folder returns the absolute path of a folder in the working folder. An empty name means the
// working folder.
func (c *Computer) Folder(name string) (string, error) { return c.folder.Folder(name) }

// Allows reports whether Options allow the program to run.
func (c *Computer) Allows(program string) bool { return c.runner.Allows(program) }

// Run runs an allowed program, like process.Runner.Run.
func (c *Computer) Run(ctx context.Context, command process.Command) (process.Result, error) {
	return c.runner.Run(ctx, command)
}

// Screen returns the screen, or nil if Options do not allow it.
func (c *Computer) Screen() *screen.Screen { return c.screen }

// Browser returns the browser, or nil if Options do not allow it.
func (c *Computer) Browser() *browser.Browser { return c.browser }

// Tools returns the tools that Options allow.
func (c *Computer) Tools() []agent.Tool {
	tools := append(c.folder.Tools(), c.git.Tools()...)
	tools = append(tools, c.runner.Tools()...)
	tools = append(tools, c.agents.Tools()...)
	if c.screen != nil {
		tools = append(tools, c.screen.Tools()...)
		tools = append(tools, c.eyes.Tools()...)
	}
	if c.browser != nil {
		tools = append(tools, c.browser.Tools()...)
	}
	return tools
}
