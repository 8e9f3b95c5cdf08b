// Package computer has tools for the machine that it runs on: files below a folder, git, programs, the screen, and the
// user's browser.
//
//	c, err := computer.Open(computer.Options{Root: "/home/ada/work", Programs: []string{"make"}, Screen: true})
//	defer c.Close()
//	registry := agent.NewRegistry()
//	for _, tool := range c.Tools() {
//		err := registry.Register(tool)
//	}
//
// Each kind of tools is a package of its own below this one, which can be used alone. What they may do, Options say. A
// program that has the tools calls Supervise first in main.
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
	"github.com/windieos/windie/client/computer/files"
	"github.com/windieos/windie/client/computer/git"
	"github.com/windieos/windie/client/computer/process"
	"github.com/windieos/windie/client/computer/screen"
)

// Supervise is process.Supervise: main calls it first. In a process that watches over a program it does not return.
func Supervise() { process.Supervise() }

// Options are the policy: they say what the tools may do. Which of them ask a person first, is the Risk of each tool: what
// only looks is agent.Safe, and what can change something is agent.Risky. The zero value but for Root lets files of the
// folder be read and written, and commits be made in its repositories; nothing is removed, no program runs, and neither
// the screen nor a browser is there.
type Options struct {
	Root     string         // the folder of the files, in which programs run; required
	ReadOnly bool           // files and repositories are read only
	Remove   bool           // with file.remove
	Programs []string       // that may be run, by name as in PATH, or "*" for any; default: no programs, and no process.run
	Screen   bool           // with the tools that see and control the screen
	Display  string         // of X11; default: what DISPLAY says
	Browser  *browser.Rules // with the tools that drive the user's browser, by these rules; nil: without them

	Agents []delegate.Agent // coding agents that tasks may be handed to; default: none, and no delegate.task

	// Ask decides about steps of these agents, as delegate.Options says; nil refuses all.
	Ask func(ctx context.Context, call agent.Call, step delegate.Step) (bool, error)
}

// Computer is the machine as far as its tools may use it. Its methods are safe for concurrent use.
type Computer struct {
	readOnly bool // files

	folder  *files.Folder
	git     *git.Git
	runner  *process.Runner
	screen  *screen.Screen   // nil without
	browser *browser.Browser // nil without
	agents  *delegate.Delegate
}

// Open returns the machine. The caller closes it. A screen that cannot be used is no error: its tools say why.
func Open(opts Options) (*Computer, error) {
	if opts.Root == "" {
		return nil, errors.New("computer: no folder for files is named")
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
	}
	if opts.Browser != nil {
		if c.browser, err = browser.New(*opts.Browser); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// Close gives back the folder, lets go of the screen, and ends the browser.
func (c *Computer) Close() error {
	if c.screen != nil {
		c.screen.Close()
	}
	if c.browser != nil {
		c.browser.Close()
	}
	return c.folder.Close()
}

// Dir returns the folder of the files.
func (c *Computer) Dir() string { return c.folder.Dir() }

// Put writes a file of the folder from a reader, whole or not at all. Its errors are for people.
func (c *Computer) Put(name string, content io.Reader) error { return c.folder.Put(name, content) }

// Keep is Put for a file that is not there: one that is there stays as it is. It fails where files are read only.
func (c *Computer) Keep(name string, content io.Reader) error {
	if c.readOnly {
		return errors.New("files are read only here, so none are taken")
	}
	if _, err := os.Lstat(filepath.Join(c.Dir(), filepath.FromSlash(name))); err == nil {
		return nil
	}
	return c.Put(name, content)
}

// Lines returns lines of a text file of the folder, as files.Folder does.
func (c *Computer) Lines(ctx context.Context, name string, first, last int) (text string, end int, more bool, err error) {
	return c.folder.Lines(ctx, name, first, last)
}

// Folder returns the absolute path of a folder in the working folder, which is that of an empty name.
func (c *Computer) Folder(name string) (string, error) { return c.folder.Folder(name) }

// Allows reports whether Options allow a program.
func (c *Computer) Allows(program string) bool { return c.runner.Allows(program) }

// Run runs a program that Options allow, as process.Runner does.
func (c *Computer) Run(ctx context.Context, command process.Command) (process.Result, error) {
	return c.runner.Run(ctx, command)
}

// Screen returns the screen, nil if Options do not allow it.
func (c *Computer) Screen() *screen.Screen { return c.screen }

// Browser returns the browser, nil if Options do not allow it.
func (c *Computer) Browser() *browser.Browser { return c.browser }

// Tools returns the tools that Options allow.
func (c *Computer) Tools() []agent.Tool {
	tools := append(c.folder.Tools(), c.git.Tools()...)
	tools = append(tools, c.runner.Tools()...)
	tools = append(tools, c.agents.Tools()...)
	if c.screen != nil {
		tools = append(tools, c.screen.Tools()...)
	}
	if c.browser != nil {
		tools = append(tools, c.browser.Tools()...)
	}
	return tools
}
